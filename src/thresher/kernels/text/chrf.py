"""chrF and chrF++, equal to sacrebleu's but from 0 to 1, for many pairs at a time."""

import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.kernels.text.interning import Vocabulary, text_blocks
from thresher.kernels.text.native_counts import chrf_counts
from thresher.kernels.text.ngrams import shared_ngrams
from thresher.native.library import library
from thresher.results import Statistics, SumReduction

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

BLOCK_CHARACTERS = 1 << 13
"""About how many characters are counted at once; fewer than elsewhere, because every character is a token.

4,000 pairs of 60 words take 0.52 s of the processor; with blocks of a quarter 0.90 s, of four times 0.54 s,
of 64 times 1.1 s (pairs of `benchmarks/text.py`).
"""

_PUNCTUATION = frozenset(string.punctuation)


class NgramCounts(NamedTuple):
    """Counts per pair and order of n-grams, characters first, then words: pairs x orders."""

    matches: npt.NDArray[Any]
    """N-grams that both texts have, with multiplicity."""
    predicted: npt.NDArray[Any]
    """N-grams of the prediction; 0 if the reference has none of that order."""
    reference: npt.NDArray[Any]
    """N-grams of the reference."""


def ngram_counts(
    predictions: Sequence[str],
    references: Sequence[str],
    *,
    char_order: int = 6,
    word_order: int = 0,
    whitespace: bool = False,
) -> NgramCounts:
    """Count n-grams for chrF.

    Args:
        predictions: one text per pair.
        references: the reference text of each pair.
        char_order: largest n of the character n-grams.
        word_order: largest n of the word n-grams; 0 for none, 2 for chrF++.
        whitespace: whether white space counts as characters; otherwise it is removed.

    >>> counts = ngram_counts(["ab a"], ["aba c"], char_order=2, word_order=1)
    >>> counts.matches.tolist(), counts.predicted.tolist(), counts.reference.tolist()
    ([[3, 2, 0]], [[3, 2, 2]], [[4, 3, 2]])
    """
    if library() is not None:
        return _native_counts(predictions, references, char_order, word_order, whitespace=whitespace)
    parts = []
    for block in text_blocks(predictions, references, budget=BLOCK_CHARACTERS):
        texts = predictions[block], references[block]
        counts = [_counts([_characters(side, whitespace=whitespace) for side in texts], char_order)]
        if word_order:
            vocabulary = Vocabulary()
            words = [[vocabulary.encode(chrf_words(text)) for text in side] for side in texts]
            counts.append(_counts(words, word_order))
        parts.append(NgramCounts(*(np.concatenate(columns, axis=1) for columns in zip(*counts, strict=True))))
    if not parts:
        return NgramCounts(*(np.zeros((0, char_order + word_order), np.int64) for _ in range(3)))
    return NgramCounts(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def chrf(counts: NgramCounts, beta: float = 2.0) -> Floats:
    """F-beta of the mean precision and the mean recall over all orders.

    The means are over the orders for which both texts have n-grams; the value is 0 without such an order or
    without a match.

    Source: Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation", and 2017 (chrF++),
    as sacrebleu 2 computes it (effective order, no epsilon), divided by 100.

    Args:
        counts: the last axis holds the orders; any other axes.
        beta: weight of recall relative to precision.

    >>> chrf(ngram_counts(["abc"], ["abd"], char_order=2), beta=1).round(4).tolist()  # 2/3, 1/2
    [0.5833]
    """
    both = (counts.predicted > 0) & (counts.reference > 0)
    orders = np.maximum(both.sum(axis=-1), 1)
    precision, recall = (
        _sum_in_order(np.divide(counts.matches, total, out=np.zeros(both.shape), where=both)) / orders
        for total in (counts.predicted, counts.reference)
    )
    factor = beta**2
    score = (1 + factor) * precision * recall
    below = factor * precision + recall
    zeros: Floats = np.zeros(score.shape)
    return np.asarray(np.divide(score, below, out=zeros, where=precision + recall > 0))


@dataclass(frozen=True)
class CorpusChrf(SumReduction):
    """chrF of all items as one corpus: the counts are summed before the division.

    Attributes:
        beta: weight of recall relative to precision.

    >>> counts = ngram_counts(["a", "b"], ["a", "c"], char_order=1)
    >>> CorpusChrf()(Statistics(counts._asdict()), np.ones(2))
    0.5
    """

    kind: ClassVar[str] = "corpus_chrf"
    size_term: ClassVar[int | None] = -2
    beta: float = 2.0

    @property
    def reads(self) -> tuple[str, ...]:
        """The counts."""
        return NgramCounts._fields

    def terms(self, statistics: Statistics) -> Floats:
        """All counts, and a one per item."""
        counts = [statistics[name] for name in NgramCounts._fields]
        return np.column_stack([*counts, np.ones(statistics.size)]).astype(np.float64)

    def of_sums(self, sums: Floats) -> Floats:
        """The chrF of the summed counts; NaN without items."""
        counts = NgramCounts(*np.split(sums[..., :-1], 3, axis=-1))
        return np.where(sums[..., -1] > 0, chrf(counts, self.beta), np.nan)


def chrf_words(text: str) -> list[str]:
    """Words of chrF++: split at white space, and one ASCII punctuation mark split off the end or start.

    >>> chrf_words('(well), "so it is!"')
    ['(well)', ',', '"', 'so', 'it', 'is!', '"']
    """
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            words += (word[:-1], word[-1])
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            words += (word[0], word[1:])
        else:
            words.append(word)
    return words


def _native_counts(
    predictions: Sequence[str],
    references: Sequence[str],
    char_order: int,
    word_order: int,
    *,
    whitespace: bool,
) -> NgramCounts:
    matches, lengths = chrf_counts(predictions, references, char_order, word_order, whitespace=whitespace)
    totals = [
        np.hstack((_ngrams(lengths[:, side], char_order), _ngrams(lengths[:, 2 + side], word_order)))
        for side in (0, 1)
    ]
    return NgramCounts(matches.copy(), np.where(totals[1] > 0, totals[0], 0), totals[1])


def _characters(texts: Sequence[str], *, whitespace: bool) -> list[str]:
    return list(texts) if whitespace else ["".join(text.split()) for text in texts]


def _counts(sides: Sequence[Sequence[str]], orders: int) -> NgramCounts:
    """Counts of interned predictions and references."""
    predictions, references = sides
    matches = np.stack(shared_ngrams(predictions, references, orders), axis=1)
    predicted, reference = (_ngrams_of(texts, orders) for texts in sides)
    return NgramCounts(matches, np.where(reference > 0, predicted, 0), reference)


def _ngrams_of(texts: Sequence[str], orders: int) -> Integers:
    return _ngrams(np.fromiter(map(len, texts), np.int64, len(texts)), orders)


def _ngrams(lengths: Integers, orders: int) -> Integers:
    """Number of n-grams of texts with these lengths: texts x orders."""
    return np.asarray(np.maximum(lengths[:, None] - np.arange(orders), 0), dtype=np.int64)


def _sum_in_order(values: Floats) -> Floats:
    """The sum over the last axis from left to right, as a loop adds: numpy's sum differs in the last bit."""
    total = np.zeros(values.shape[:-1])
    for order in range(values.shape[-1]):
        total += values[..., order]
    return total
