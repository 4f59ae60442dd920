"""Counts of the n-grams that texts share, for many pairs at once."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thresher.kernels.text.grouping import representatives
from thresher.kernels.text.interning import as_arrays

Integers = npt.NDArray[np.int64]


def shared_ngrams(candidates: Sequence[str], references: Sequence[str], orders: int) -> list[Integers]:
    """Size of the multiset intersection of two texts' n-grams, for n = 1..orders.

    Args:
        candidates: one interned text per pair.
        references: the other text of each pair.
        orders: the largest n.

    Returns:
        For each n, one count per pair: the sum over n-grams of the smaller of both frequencies.

    >>> [counts.tolist() for counts in shared_ngrams(["abab", "xy"], ["abc", "yx"], 2)]
    [[2, 2], [1, 0]]
    """
    return clipped_ngrams(candidates, references, np.arange(len(references)), orders)


def clipped_ngrams(
    candidates: Sequence[str], references: Sequence[str], owners: Integers, orders: int
) -> list[Integers]:
    """`shared_ngrams` for several references: an n-gram counts up to its largest frequency in any of them.

    Args:
        candidates: one interned text per item.
        references: the interned references of all items.
        owners: the item that each reference belongs to, ascending.
        orders: the largest n.

    Returns:
        For each n, one count per item.

    >>> [counts.tolist() for counts in clipped_ngrams(["aab"], ["a", "aa"], np.array([0, 0]), 1)]
    [[2]]
    """
    tokens, lengths = as_arrays([*candidates, *references])
    text = np.repeat(np.arange(len(lengths)), lengths)
    ends = np.cumsum(lengths)[text]
    item = np.concatenate((np.arange(len(candidates)), owners))[text]
    several = bool(np.any(owners[1:] == owners[:-1]))
    letters = int(tokens.max(initial=0)) + 1
    grams = item  # number of the n-gram without its last token; it includes the item
    starts = np.arange(len(tokens))
    common = np.ones(len(candidates), np.int64)
    counts = []
    for n in range(1, orders + 1):
        # An n-gram can only be shared if its first n-1 tokens are: drop all other starts.
        possible = np.flatnonzero((common[grams] > 0) & (starts + n <= ends[starts]))
        grams, starts = grams[possible], starts[possible]
        grams = representatives(grams * letters + tokens[starts + n - 1])
        common = _common(grams, text[starts], len(candidates), several=several)
        counts.append(np.bincount(item[starts], common, len(candidates)).astype(np.int64))
    return counts


def _common(grams: Integers, text: Integers, n_candidates: int, *, several: bool) -> Integers:
    """How often each gram is shared, at the gram's representative; 0 elsewhere."""
    is_candidate = text < n_candidates
    in_candidate = np.bincount(grams[is_candidate], minlength=len(grams))
    theirs = grams[~is_candidate]
    if several:
        in_reference = _largest_per_gram(theirs, text[~is_candidate], len(grams))
    else:
        in_reference = np.bincount(theirs, minlength=len(grams))
    return np.minimum(in_candidate, in_reference)


def _largest_per_gram(grams: Integers, texts: Integers, n_grams: int) -> Integers:
    """The largest frequency of each gram in any one of the texts."""
    largest = np.zeros(n_grams, np.int64)
    if len(grams):
        same_text = representatives(grams * (int(texts.max()) + 1) + texts)
        np.maximum.at(largest, grams, np.bincount(same_text)[same_text])
    return largest
