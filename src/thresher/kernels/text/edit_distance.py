"""Edit distances of pairs of texts, by rapidfuzz."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.kernels.text.interning import Vocabulary, text_blocks
from thresher.kernels.text.tokenize import Tokenizer

Integers = npt.NDArray[np.int64]

DISTANCES: MappingProxyType[str, str] = MappingProxyType(
    {
        "levenshtein": "Levenshtein",
        "indel": "Indel",
        "osa": "OSA",
        "damerau_levenshtein": "DamerauLevenshtein",
    }
)
"""Name of a distance -> its module in rapidfuzz."""


class EditDistances(NamedTuple):
    """Counts with one entry per pair."""

    edits: Integers
    """Fewest edits that turn the prediction into the reference."""
    predicted: Integers
    """Units (characters or tokens) of the prediction."""
    reference: Integers
    """Units of the reference."""


def edit_distances(
    predictions: Sequence[str],
    references: Sequence[str],
    distance: str = "levenshtein",
    tokenize: Tokenizer | None = None,
) -> EditDistances:
    """Compute the edit distance of each pair.

    Args:
        predictions: one text per pair.
        references: the reference text of each pair.
        distance: `levenshtein` (insert, delete, replace), `indel` (insert, delete), `osa` (Levenshtein and
            swaps of neighbours, each edited once), `damerau_levenshtein` (swaps without that limit).
        tokenize: splits a text into the units to edit; None for characters (code points).

    >>> edit_distances(["ab", "the cat"], ["ba", "a cat"], "osa").edits.tolist()
    [1, 3]
    >>> edit_distances(["the cat sat"], ["the cats sat"], tokenize=str.split)
    EditDistances(edits=array([1]), predicted=array([3]), reference=array([3]))
    """
    from rapidfuzz import distance as rapidfuzz_distances
    from rapidfuzz.process import cpdist

    if tokenize is not None:
        predictions, references = _interned(predictions, references, tokenize)
    predicted, reference = (
        np.fromiter(map(len, texts), np.int64, len(texts)) for texts in (predictions, references)
    )
    edits = np.zeros(0, np.int64)
    if len(predicted):
        scorer = getattr(rapidfuzz_distances, DISTANCES[distance]).distance
        edits = np.asarray(cpdist(predictions, references, scorer=scorer, dtype=np.int64), dtype=np.int64)
    return EditDistances(edits, predicted, reference)


def edit_similarity(distances: EditDistances, distance: str = "levenshtein") -> npt.NDArray[np.float64]:
    """1 - edits / the maximum for texts of these lengths; 1 if both are empty.

    The maximum is the length of the longer text, and for `indel` the sum of both lengths.

    >>> edit_similarity(edit_distances(["ab", ""], ["abcd", ""])).tolist()
    [0.5, 1.0]
    """
    most = np.maximum(distances.predicted, distances.reference)
    if distance == "indel":
        most = distances.predicted + distances.reference
    return np.asarray(1.0 - distances.edits / np.maximum(most, 1), dtype=np.float64)


def _interned(
    predictions: Sequence[str], references: Sequence[str], tokenize: Tokenizer
) -> tuple[list[str], list[str]]:
    """The tokens of each text as a string; within a pair, equal tokens are equal characters."""
    ours: list[str] = []
    theirs: list[str] = []
    vocabulary = Vocabulary()
    for block in text_blocks(predictions, references):
        vocabulary = vocabulary.renewed()
        ours += [vocabulary.encode(tokenize(text)) for text in predictions[block]]
        theirs += [vocabulary.encode(tokenize(text)) for text in references[block]]
    return ours, theirs
