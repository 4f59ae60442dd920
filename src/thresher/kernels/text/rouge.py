"""ROUGE, equal to rouge-score 0.1.2 to the last bit, for many pairs at a time."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.text.interning import Vocabulary, interned_lines, text_blocks
from thresher.kernels.text.lcs import lcs_lengths
from thresher.kernels.text.ngrams import shared_ngrams
from thresher.kernels.text.stem import porter_stemmer
from thresher.kernels.text.tokenize import ROUGE_TOKENIZERS, Tokenizer
from thresher.kernels.text.union_lcs import union_lcs_hits_of_pairs

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_NGRAM_TYPE = re.compile(r"rouge[1-9]")


class RougeScores(NamedTuple):
    """Precision, recall and their harmonic mean per pair."""

    precision: Floats
    recall: Floats
    fmeasure: Floats


def rouge(
    predictions: Sequence[str],
    references: Sequence[str],
    rouge_types: Sequence[str] = ("rouge1", "rouge2", "rougeL", "rougeLsum"),
    *,
    tokenizer: str = "rouge-score",
    use_stemmer: bool = False,
) -> dict[str, RougeScores]:
    """ROUGE of each pair of texts (Lin 2004), as the package rouge-score computes it.

    Precision is hits / tokens (n-grams) of the prediction, recall hits / those of the reference, F their
    harmonic mean; each is 0 where it would be 0/0. Hits are shared n-grams (`rouge1` to `rouge9`), the
    length of the longest common subsequence (`rougeL`), or the union of line-wise ones (`rougeLsum`,
    lines end at a line feed).

    Args:
        predictions: one text per pair.
        references: the reference text of each pair.
        rouge_types: what to compute.
        tokenizer: a name of `ROUGE_TOKENIZERS`.
        use_stemmer: whether tokens of more than three characters are stemmed (Porter, English).

    Raises:
        InputError: for an unknown type.

    >>> scores = rouge(["the cat sat"], ["the cat sat down"], ["rouge1"])["rouge1"]
    >>> scores.precision.tolist(), scores.recall.tolist()
    ([1.0], [0.75])
    """
    check_rouge_types(rouge_types)
    tokenize = ROUGE_TOKENIZERS[tokenizer]
    stem = porter_stemmer() if use_stemmer else None
    parts: dict[str, list[RougeScores]] = {rouge_type: [] for rouge_type in rouge_types}
    vocabulary = Vocabulary(stem)
    for block in text_blocks(predictions, references):
        vocabulary = vocabulary.renewed()
        pairs = _Pairs(predictions[block], references[block], tokenize, vocabulary)
        for rouge_type, scores in pairs.scores(rouge_types).items():
            parts[rouge_type].append(scores)
    return {rouge_type: _joined(scores) for rouge_type, scores in parts.items()}


def check_rouge_types(rouge_types: Sequence[str]) -> None:
    """Raise for a type other than `rouge1` to `rouge9`, `rougeL` and `rougeLsum`."""
    for rouge_type in rouge_types:
        if rouge_type not in {"rougeL", "rougeLsum"} and not _NGRAM_TYPE.fullmatch(rouge_type):
            types = "rouge1 to rouge9, rougeL or rougeLsum"
            raise InputError(f"{rouge_type!r} is not a ROUGE type; choose {types}")


class _Pairs:
    """A block of interned pairs, and the hits of each ROUGE type."""

    def __init__(
        self,
        predictions: Sequence[str],
        references: Sequence[str],
        tokenize: Tokenizer,
        vocabulary: Vocabulary,
    ) -> None:
        self.prediction_lines = interned_lines(predictions, tokenize, vocabulary)
        self.reference_lines = interned_lines(references, tokenize, vocabulary)
        self.predictions = ["".join(lines) for lines in self.prediction_lines]
        self.references = ["".join(lines) for lines in self.reference_lines]

    def scores(self, rouge_types: Sequence[str]) -> dict[str, RougeScores]:
        orders = max((int(name[5:]) for name in rouge_types if _NGRAM_TYPE.fullmatch(name)), default=0)
        shared = shared_ngrams(self.predictions, self.references, orders)
        hits = {f"rouge{n}": counts for n, counts in enumerate(shared, start=1)}
        if {"rougeL", "rougeLsum"} & set(rouge_types):
            hits["rougeL"] = lcs_lengths(self.predictions, self.references)
        if "rougeLsum" in rouge_types:
            hits["rougeLsum"] = self._lsum_hits(hits["rougeL"])
        return {name: self._rates(name, hits[name]) for name in rouge_types}

    def _lsum_hits(self, lcs: Integers) -> Integers:
        """Hits of ROUGE-Lsum; equal to ROUGE-L's for single lines and for texts without a common token."""
        lines = zip(self.prediction_lines, self.reference_lines, strict=True)
        several = np.fromiter((len(ours) > 1 or len(theirs) > 1 for ours, theirs in lines), np.bool_)
        chosen = np.flatnonzero(several & (lcs > 0)).tolist()
        hits = lcs.copy()
        hits[chosen] = union_lcs_hits_of_pairs(
            [self.prediction_lines[pair] for pair in chosen], [self.reference_lines[pair] for pair in chosen]
        )
        return hits

    def _rates(self, rouge_type: str, hits: Integers) -> RougeScores:
        n = int(rouge_type[5:]) if _NGRAM_TYPE.fullmatch(rouge_type) else 1
        precision = hits / _ngrams_in(self.predictions, n)
        recall = hits / _ngrams_in(self.references, n)
        total = precision + recall
        fmeasure = np.divide(2 * precision * recall, total, out=np.zeros(len(hits)), where=total > 0)
        return RougeScores(precision, recall, fmeasure)


def _ngrams_in(texts: Sequence[str], n: int) -> Integers:
    """Number of n-grams of each text; at least 1, because it is a divisor."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return np.maximum(lengths - n + 1, 1)


def _joined(parts: Sequence[RougeScores]) -> RougeScores:
    if not parts:
        return RougeScores(np.zeros(0), np.zeros(0), np.zeros(0))
    return RougeScores(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
