"""BLEU, equal to NLTK's to the last bit, for many items at a time."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.kernels.text import native_counts
from thresher.kernels.text.interning import Vocabulary, blocks
from thresher.kernels.text.native_counts import NATIVE_TOKENIZERS, bleu_counts_of_tokens
from thresher.kernels.text.ngrams import clipped_ngrams
from thresher.kernels.text.smoothing import SMOOTHING, Orders, counted_orders
from thresher.native.library import library
from thresher.results import Statistics, SumReduction

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Tokens = Sequence[str]

BLOCK_TOKENS = 1 << 14
"""About how many tokens are counted at once.

4,000 pairs of 60 words take 0.14 s of the processor; with blocks of a quarter 0.16 s, of four times 0.17 s,
and without blocks 0.19 s, because the counts leave the processor's cache (pairs of `benchmarks/text.py`).
"""


_ONLY_ZEROS = frozenset({0, 1, 3, 4})
"""Methods of smoothing that change orders without a match only."""
_ONE_ADDED = 2
"""The method that adds one to both counts of every order but the first."""


class BleuCounts(NamedTuple):
    """The counts per item that BLEU needs."""

    matches: Integers
    """Candidate n-grams that occur in a reference, clipped to their frequency there: items x orders."""
    length: Integers
    """Tokens of the candidate."""
    reference_length: Integers
    """Tokens of the reference closest in length; of the shorter one on a tie."""


def bleu_counts(
    candidates: Sequence[Tokens], references: Sequence[Sequence[Tokens]], orders: int
) -> BleuCounts:
    """Count matches and lengths for BLEU.

    Args:
        candidates: one tokenized text per item.
        references: the tokenized references of each item, at least one.
        orders: the largest n of the n-grams.

    >>> counts = bleu_counts([["a", "b", "b"]], [[["a", "b"], ["b", "b", "c", "d"]]], 2)
    >>> counts.matches.tolist(), counts.length.tolist(), counts.reference_length.tolist()
    ([[3, 2]], [3], [2])
    """
    if library() is not None:
        counts = bleu_counts_of_tokens(candidates, references, orders)
        if counts is not None:
            return _named(counts)
    sizes = [len(text) + sum(map(len, texts)) for text, texts in zip(candidates, references, strict=True)]
    vocabulary = Vocabulary()
    parts = []
    for block in blocks(sizes, BLOCK_TOKENS):
        vocabulary = vocabulary.renewed()
        parts.append(_counts_of_block(candidates[block], references[block], orders, vocabulary))
    if not parts:
        return BleuCounts(np.zeros((0, orders), np.int64), *(np.zeros(0, np.int64) for _ in range(2)))
    return BleuCounts(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def bleu_counts_of_texts(
    candidates: Sequence[str],
    references: Sequence[Sequence[str]],
    orders: int,
    tokenizer: str,
    tokenize: Callable[[str], list[str]],
) -> BleuCounts:
    """`bleu_counts` of texts.

    Args:
        candidates: one text per item.
        references: the references of each item, at least one.
        orders: the largest n of the n-grams.
        tokenizer: name of the tokenizer; native kernels know some.
        tokenize: the tokenizer.

    >>> bleu_counts_of_texts(["a b b"], [["a b", "b b c d"]], 2, "whitespace", str.split).matches.tolist()
    [[3, 2]]
    """
    if library() is not None and tokenizer in NATIVE_TOKENIZERS:
        return _named(native_counts.bleu_counts_of_texts(candidates, references, tokenizer, orders))
    tokens = [[tokenize(text) for text in texts] for texts in references]
    return bleu_counts([tokenize(text) for text in candidates], tokens, orders)


def sentence_bleu(
    counts: BleuCounts, weights: Sequence[float] = (0.25, 0.25, 0.25, 0.25), smoothing: int = 0
) -> Floats:
    """BLEU of each item: brevity penalty times the geometric mean of its n-gram precisions.

    Source: Papineni et al. 2002, "BLEU: a Method for Automatic Evaluation of Machine Translation", with
    the conventions of `nltk.translate.bleu_score.sentence_bleu`: 0 without a common token; without
    smoothing, an order without a match makes the score next to nothing (below 1e-76 for equal weights of
    four orders), not 0.

    Args:
        counts: of at least `counted_orders(len(weights), smoothing)` orders.
        weights: weight of each order's precision.
        smoothing: number of a method of Chen and Cherry, 0 (none) to 7.

    Returns:
        One score per item; NaN if method 6 is undefined (no matching trigram).

    >>> counts = bleu_counts([["a", "b", "c"]], [[["a", "b", "d"]]], 2)
    >>> sentence_bleu(counts, (0.5, 0.5)).round(4).tolist()  # (2/3 * 1/2) ** 0.5
    [0.5774]
    """
    plain = np.zeros(len(counts.length), np.bool_)
    if smoothing in _ONLY_ZEROS | {_ONE_ADDED} and counts.matches.shape[1] >= len(weights):
        needed = 1 if smoothing == _ONE_ADDED else len(weights)
        plain[:] = counts.matches[:, :needed].all(axis=1)
    scores = np.empty(len(plain))
    added = int(smoothing == _ONE_ADDED)
    scores[plain] = _plain_bleu(BleuCounts(*(column[plain] for column in counts)), weights, added)
    others = BleuCounts(*(column[~plain] for column in counts))
    value = partial(bleu_of, weights=weights, smoothing=smoothing)
    rows = zip(*(column.tolist() for column in (*_orders(others), others.reference_length)), strict=True)
    scores[~plain] = [
        value(Orders(matches, totals, n, length), closest) for matches, totals, n, length, closest in rows
    ]
    return scores


def _plain_bleu(counts: BleuCounts, weights: Sequence[float], added: int) -> Floats:
    """`bleu_of` of items without a precision of 0, in a third of its time: columns instead of rows.

    Logarithms and exponentials are those of `math`, as in NLTK; numpy's differ in the last bit.

    Args:
        counts: of these items.
        weights: weight of each order's precision.
        added: added to both counts of every order but the first.
    """
    n = len(weights)
    more = added * (np.arange(n) > 0)
    precisions = (counts.matches[:, :n] + more) / (_orders(counts)[1][:, :n] + more)
    logs = _each(math.log, precisions.ravel().tolist()).reshape(len(precisions), n) * np.asarray(weights)
    shorter = counts.length <= counts.reference_length
    penalties = np.ones(len(logs))
    penalties[shorter] = _each(
        math.exp, (1 - counts.reference_length[shorter] / counts.length[shorter]).tolist()
    )
    return penalties * _each(math.exp, list(map(math.fsum, logs.tolist())))


def _each(function: Callable[[float], float], numbers: list[float]) -> Floats:
    return np.fromiter(map(function, numbers), np.float64, len(numbers))


def bleu_of(orders: Orders, reference_length: float, *, weights: Sequence[float], smoothing: int) -> float:
    """BLEU of one set of counts, of an item or of a corpus; NaN if undefined."""
    if not orders.matches[0]:
        return 0.0 if orders.totals[0] else math.nan
    precisions = SMOOTHING[smoothing](orders, len(weights))
    if precisions is None:
        return math.nan
    logs = [
        weight * math.log(precision)
        for weight, precision in zip(weights, precisions, strict=True)
        if precision > 0
    ]
    return _brevity_penalty(orders.length, reference_length) * math.exp(math.fsum(logs))


@dataclass(frozen=True)
class CorpusBleu(SumReduction):
    """BLEU of all items as one corpus: counts and lengths are summed before the division.

    With methods 0 to 4 this is `nltk.translate.bleu_score.corpus_bleu`. Methods 5 to 7 use the sums only,
    while NLTK takes some counts from the last item.

    Attributes:
        weights: weight of each order's precision.
        smoothing: number of the smoothing method.

    >>> counts = bleu_counts([["a"], ["b"]], [[["a"]], [["c"]]], 1)
    >>> CorpusBleu((1.0,))(Statistics(counts._asdict()), np.ones(2))
    0.5
    """

    kind: ClassVar[str] = "corpus_bleu"
    size_term: ClassVar[int | None] = -1
    weights: tuple[float, ...] = (0.25, 0.25, 0.25, 0.25)
    smoothing: int = 0

    @property
    def reads(self) -> tuple[str, ...]:
        """The counts."""
        return BleuCounts._fields

    def terms(self, statistics: Statistics) -> Floats:
        """Matches, totals and counts of each order, and both lengths."""
        counts = BleuCounts(*(statistics[name] for name in BleuCounts._fields))
        lengths = [counts.length, counts.reference_length]
        return np.column_stack([*_orders(counts)[:3], *lengths]).astype(np.float64)

    def of_sums(self, sums: Floats) -> Floats:
        """BLEU of each row of sums."""
        n = counted_orders(len(self.weights), self.smoothing)
        values = [
            bleu_of(
                Orders(row[:n], row[n : 2 * n], row[2 * n : 3 * n], row[-2]),
                row[-1],
                weights=self.weights,
                smoothing=self.smoothing,
            )
            for row in sums.reshape(-1, sums.shape[-1]).tolist()
        ]
        return np.array(values).reshape(sums.shape[:-1])


def _orders(counts: BleuCounts) -> tuple[Integers, Integers, Integers, Integers]:
    """The columns of `Orders`."""
    n_grams = counts.length[:, None] - np.arange(counts.matches.shape[1])
    return counts.matches, np.maximum(n_grams, 1), np.maximum(n_grams, 0), counts.length


def _named(counts: Integers) -> BleuCounts:
    """The columns of native kernels."""
    return BleuCounts(counts[:, :-2].copy(), counts[:, -2].copy(), counts[:, -1].copy())


def _counts_of_block(
    candidates: Sequence[Tokens], references: Sequence[Sequence[Tokens]], orders: int, vocabulary: Vocabulary
) -> BleuCounts:
    ours = [vocabulary.encode(tokens) for tokens in candidates]
    theirs = [vocabulary.encode(tokens) for texts in references for tokens in texts]
    per_item = np.fromiter(map(len, references), np.int64, len(references))
    owners = np.repeat(np.arange(len(references)), per_item)
    matches = clipped_ngrams(ours, theirs, owners, orders)
    length = np.fromiter(map(len, ours), np.int64, len(ours))
    reference_lengths = np.fromiter(map(len, theirs), np.int64, len(theirs))
    closest = _closest(length[owners], reference_lengths, np.cumsum(per_item) - per_item)
    return BleuCounts(np.stack(matches, axis=1), length, closest)


def _closest(length: Integers, reference_lengths: Integers, starts: Integers) -> Integers:
    """The closest reference length of each item, the shorter one on a tie."""
    # Distance and length in one number, so that one minimum gives both.
    scale = int(reference_lengths.max(initial=0)) + 1
    keys = np.abs(reference_lengths - length) * scale + reference_lengths
    return np.asarray(np.minimum.reduceat(keys, starts) % scale, dtype=np.int64)


def _brevity_penalty(length: float, reference_length: float) -> float:
    if length > reference_length:
        return 1.0
    return math.exp(1 - reference_length / length)
