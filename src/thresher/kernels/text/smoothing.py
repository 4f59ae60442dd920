"""Smoothing of BLEU's precisions for orders of n-grams without a match.

Source: Chen and Cherry 2014, "A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU",
with the constants and the order of operations of NLTK, so that numbers agree to the last bit.
"""

import math
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

Precisions = list[float | Fraction]

_EPSILON = 0.1  # method 1: what a zero count becomes
_ALPHA = 5  # method 6: weight of the prior
_K = 5  # method 4: damping of short candidates
_FIFTH = 5  # methods 5 and 7: the order after the last


class Orders(NamedTuple):
    """N-gram counts of one candidate or of a corpus, one entry per order from 1 up."""

    matches: Sequence[float]
    """N-grams that occur in a reference, clipped."""
    totals: Sequence[float]
    """N-grams of the candidate, at least 1 for each."""
    counts: Sequence[float]
    """N-grams of the candidate, possibly 0."""
    length: float
    """Tokens of the candidate."""


def counted_orders(n_weights: int, smoothing: int) -> int:
    """Number of orders of n-grams that a smoothing method needs for `n_weights` weighted ones."""
    return max(n_weights, _FIFTH) if smoothing in {5, 7} else n_weights


def unsmoothed(orders: Orders, n: int) -> Precisions:
    """Method 0: a zero precision becomes the smallest float, so that its logarithm is defined."""
    return [
        match / total if match else sys.float_info.min
        for match, total in zip(orders.matches[:n], orders.totals, strict=False)
    ]


def epsilon_added(orders: Orders, n: int) -> Precisions:
    """Method 1: a zero count becomes a small constant."""
    return [
        (match or _EPSILON) / total for match, total in zip(orders.matches[:n], orders.totals, strict=False)
    ]


def one_added(orders: Orders, n: int) -> Precisions:
    """Method 2: one is added to both counts of every order but the first."""
    first = orders.matches[0] / orders.totals[0]
    return [first, *((orders.matches[i] + 1) / (orders.totals[i] + 1) for i in range(1, n))]


def halved(orders: Orders, n: int) -> Precisions:
    """Method 3: zero counts become 1/2, 1/4, 1/8, ... (NIST)."""
    smoothed: Precisions = []
    zeros = 0
    for match, total in zip(orders.matches[:n], orders.totals, strict=False):
        zeros += not match
        smoothed.append(match / total if match else 1 / (2**zeros * total))
    return smoothed


def halved_by_length(orders: Orders, n: int) -> Precisions:
    """Method 4: as method 3, smaller for short candidates; a candidate of one token stays as it is."""
    smoothed: Precisions = []
    zeros = 0
    for match, total in zip(orders.matches[:n], orders.totals, strict=False):
        if match or orders.length <= 1:
            smoothed.append(match / total)
        else:
            zeros += 1
            smoothed.append(1 / (2**zeros * _K / math.log(orders.length)) / total)
    return smoothed


def averaged(orders: Orders, n: int) -> Precisions:
    """Method 5: each precision becomes the mean of it and its neighbours; may exceed 1."""
    return _neighbours_averaged(_fractions(orders, n), orders)


def interpolated(orders: Orders, n: int) -> Precisions | None:
    """Method 6: from order 3 on, interpolate with a prior from the two orders below.

    None (undefined) without a matching trigram.
    """
    smoothed = _fractions(orders, n)
    if not smoothed[2]:
        return None
    for i in range(2, n):
        below, two_below = smoothed[i - 1], smoothed[i - 2]
        prior = below**2 / two_below if two_below else 0
        match, count = Fraction(orders.matches[i]), Fraction(orders.counts[i])
        smoothed[i] = (match + _ALPHA * prior) / (count + _ALPHA)
    return smoothed


def halved_and_averaged(orders: Orders, n: int) -> Precisions:
    """Method 7: method 4, then method 5."""
    smoothed = _fractions(orders, n)
    for i, damped in enumerate(halved_by_length(orders, n)):
        if not smoothed[i]:
            smoothed[i] = damped
    return _neighbours_averaged(smoothed, orders)


SMOOTHING: tuple[Callable[[Orders, int], Precisions | None], ...] = (
    unsmoothed,
    epsilon_added,
    one_added,
    halved,
    halved_by_length,
    averaged,
    interpolated,
    halved_and_averaged,
)


def _neighbours_averaged(precisions: Precisions, orders: Orders) -> Precisions:
    fifth = Fraction(orders.matches[_FIFTH - 1]) / Fraction(orders.totals[_FIFTH - 1])
    following = [*precisions[1:], fifth]
    before = precisions[0] + 1
    smoothed: Precisions = []
    for precision, after in zip(precisions, following, strict=True):
        before = (before + precision + after) / 3
        smoothed.append(before)
    return smoothed


def _fractions(orders: Orders, n: int) -> Precisions:
    return [Fraction(orders.matches[i]) / Fraction(orders.totals[i]) for i in range(n)]
