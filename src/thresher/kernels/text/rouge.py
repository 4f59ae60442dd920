"""ROUGE, equal to rouge-score 0.1.2 to the last bit, for many pairs at a time."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.text.interning import Vocabulary, interned_lines, spaced_tokens, text_blocks
from thresher.kernels.text.lcs import lcs_lengths
from thresher.kernels.text.native_counts import rouge_counts
from thresher.kernels.text.ngrams import shared_ngrams
from thresher.kernels.text.stem import Stem, porter_stemmer
from thresher.kernels.text.tokenize import ROUGE_TOKENIZERS, Tokenizer, rouge_score_tokens
from thresher.kernels.text.union_lcs import union_lcs_hits_of_pairs
from thresher.native.library import library

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_NGRAM_TYPE = re.compile(r"rouge[1-9]")
_NONE: Integers = np.zeros(0, np.int64)


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
    counts = count_overlaps(predictions, references, rouge_types, tokenizer, use_stemmer=use_stemmer)
    return counts.scores()


def check_rouge_types(rouge_types: Sequence[str]) -> None:
    """Raise for a type other than `rouge1` to `rouge9`, `rougeL` and `rougeLsum`."""
    for rouge_type in rouge_types:
        if rouge_type not in {"rougeL", "rougeLsum"} and not _NGRAM_TYPE.fullmatch(rouge_type):
            types = "rouge1 to rouge9, rougeL or rougeLsum"
            raise InputError(f"{rouge_type!r} is not a ROUGE type; choose {types}")


class RougeCounts(NamedTuple):
    """Tokens of each text and hits of each ROUGE type, one entry per pair."""

    hits: Mapping[str, Integers]
    predicted: Integers
    reference: Integers

    def scores(self) -> dict[str, RougeScores]:
        """Precision, recall and F-measure of each type."""
        return {rouge_type: self._rates(rouge_type, hits) for rouge_type, hits in self.hits.items()}

    def _rates(self, rouge_type: str, hits: Integers) -> RougeScores:
        n = _order(rouge_type) or 1
        precision = hits / np.maximum(self.predicted - n + 1, 1)
        recall = hits / np.maximum(self.reference - n + 1, 1)
        total = precision + recall
        fmeasure = np.divide(2 * precision * recall, total, out=np.zeros(len(hits)), where=total > 0)
        return RougeScores(precision, recall, fmeasure)


def count_overlaps(
    predictions: Sequence[str],
    references: Sequence[str],
    rouge_types: Sequence[str],
    tokenizer: str,
    *,
    use_stemmer: bool,
) -> RougeCounts:
    """The counts behind `rouge`, which has the same arguments."""
    check_rouge_types(rouge_types)
    tokenize = ROUGE_TOKENIZERS[tokenizer]
    stem = porter_stemmer() if use_stemmer else None
    count = counted_by_python if library() is None else counted_by_library
    return count(predictions, references, rouge_types, tokenize, stem)


def counted_by_python(
    predictions: Sequence[str],
    references: Sequence[str],
    rouge_types: Sequence[str],
    tokenize: Tokenizer,
    stem: Stem | None,
) -> RougeCounts:
    """Counts of pairs, in blocks that bound memory."""
    vocabulary = Vocabulary(stem)
    parts = []
    for block in text_blocks(predictions, references):
        vocabulary = vocabulary.renewed()
        pairs = _Pairs(predictions[block], references[block], tokenize, vocabulary)
        parts.append(pairs.counts(rouge_types))
    return _joined(parts, rouge_types)


def counted_by_library(
    predictions: Sequence[str],
    references: Sequence[str],
    rouge_types: Sequence[str],
    tokenize: Tokenizer,
    stem: Stem | None,
) -> RougeCounts:
    """The same counts by the native kernels, which know rouge-score's tokenizer; others run here."""
    if tokenize is rouge_score_tokens or all(map(str.isascii, chain(predictions, references))):
        return _native_counts(predictions, references, rouge_types, fold=True, stem=stem is not None)
    parts = []
    for block in text_blocks(predictions, references):
        ours, theirs = (spaced_tokens(texts[block], tokenize, stem) for texts in (predictions, references))
        parts.append(_native_counts(ours, theirs, rouge_types, fold=False, stem=False))
    return _joined(parts, rouge_types)


def _native_counts(
    predictions: Sequence[str],
    references: Sequence[str],
    rouge_types: Sequence[str],
    *,
    fold: bool,
    stem: bool,
) -> RougeCounts:
    orders = max(map(_order, rouge_types), default=0)
    subsequences = 2 if "rougeLsum" in rouge_types else int("rougeL" in rouge_types)
    counts = rouge_counts(
        predictions, references, orders=orders, subsequences=subsequences, fold=fold, stem=stem
    )
    columns = dict(zip(["rougeL", "rougeLsum"], counts.T[2 + orders :], strict=True))
    columns |= {f"rouge{n}": counts[:, 1 + n] for n in range(1, orders + 1)}
    hits = {rouge_type: columns[rouge_type] for rouge_type in rouge_types}
    return RougeCounts(hits, counts[:, 0], counts[:, 1])


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

    def counts(self, rouge_types: Sequence[str]) -> RougeCounts:
        orders = max(map(_order, rouge_types), default=0)
        shared = shared_ngrams(self.predictions, self.references, orders)
        hits = {f"rouge{n}": counts for n, counts in enumerate(shared, start=1)}
        if {"rougeL", "rougeLsum"} & set(rouge_types):
            hits["rougeL"] = lcs_lengths(self.predictions, self.references)
        if "rougeLsum" in rouge_types:
            hits["rougeLsum"] = self._lsum_hits(hits["rougeL"])
        lengths = [
            np.fromiter(map(len, texts), np.int64, len(texts))
            for texts in (self.predictions, self.references)
        ]
        return RougeCounts({rouge_type: hits[rouge_type] for rouge_type in rouge_types}, *lengths)

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


def _order(rouge_type: str) -> int:
    """The n of n-grams; 0 for subsequences."""
    return int(rouge_type[5:]) if _NGRAM_TYPE.fullmatch(rouge_type) else 0


def _joined(parts: Sequence[RougeCounts], rouge_types: Sequence[str]) -> RougeCounts:
    none = RougeCounts(dict.fromkeys(rouge_types, _NONE), _NONE, _NONE)
    parts = parts or [none]
    hits = {name: np.concatenate([part.hits[name] for part in parts]) for name in rouge_types}
    predicted, reference = (np.concatenate([part[side] for part in parts]) for side in (1, 2))
    return RougeCounts(hits, predicted, reference)
