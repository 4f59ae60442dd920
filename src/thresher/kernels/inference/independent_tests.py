"""Tests between two groups of different items."""

import math

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.clusters import bell_mccaffrey, cluster_contributions
from thresher.kernels.inference.moments import Moments
from thresher.kernels.inference.spread import FEWEST, Spread, spread_of

Floats = npt.NDArray[np.float64]
_ROUNDING = 1e-9
"""Relative difference of sums of the same scores in another order."""
_PERMUTATIONS = 1999
_MANY = 1000


def permutation(scores: Floats, inside: npt.NDArray[np.bool_], seed: int) -> float:
    """Two-sided p-value of the difference of two means, if the labels of the items could be shuffled.

    A group of few equal scores cannot look certain, since the spread is that of all items. With a thousand
    items on each side Welch's test needs no such guard, and the p-value is 0.

    Formula: (1 + draws with a difference at least as large) / (1 + draws), of 1,999 draws

    >>> permutation(np.array([5.0, 5.0, 5.0, 5.0]), np.array([True, True, False, False]), 1)
    1.0
    """
    generator, deviations = np.random.default_rng(seed), scores - scores.mean()
    size = min(int(np.count_nonzero(inside)), int(np.count_nonzero(~inside)))
    if size >= _MANY:
        return 0.0
    observed = abs(float(deviations[inside].sum())) * (1 - _ROUNDING)
    draws = (generator.choice(deviations, size, replace=False, shuffle=False) for _ in range(_PERMUTATIONS))
    hits = sum(abs(float(draw.sum())) >= observed for draw in draws)
    return (1 + hits) / (1 + _PERMUTATIONS)


def welch(first: Moments, second: Moments) -> Spread:
    """The difference of two means, first minus second, of groups with unequal variances (Welch 1947).

    >>> welch(Moments.of(np.array([1.0, 3.0])), Moments.of(np.array([0.0, 2.0]))).degrees
    2.0
    """
    sides = spread_of(first), spread_of(second)
    variances = [side.standard_error**2 for side in sides]
    below = sum(variance**2 / side.degrees for variance, side in zip(variances, sides, strict=True))
    degrees = sum(variances) ** 2 / below if below > 0 else sides[0].degrees + sides[1].degrees
    return Spread(sides[0].value - sides[1].value, math.sqrt(sum(variances)), degrees)


def contrast_spread(
    scores: Floats, inside: npt.NDArray[np.bool_], cluster: npt.NDArray[np.int64], clusters: int
) -> Spread:
    """Mean of the items inside minus mean of those outside; clusters may have items on both sides.

    Formula: the CR2 variance of the contrast, with Bell-McCaffrey degrees of freedom (see `clusters`)

    Returns:
        Value and standard error; the latter is NaN if one cluster has all items of a side, because the side
        then does not show how clusters differ.
    """
    sides = inside, ~inside
    sizes = [_summed(side.astype(np.float64), cluster, clusters) for side in sides]
    means = [float(scores[side].mean()) for side in sides]
    degrees = bell_mccaffrey(*sizes) if clusters >= FEWEST else math.nan
    if math.isnan(degrees):
        return Spread(means[0] - means[1], math.nan, clusters - 1)
    sums = [
        _summed(np.where(side, scores - mean, 0.0), cluster, clusters)
        for side, mean in zip(sides, means, strict=True)
    ]
    parts = [cluster_contributions(*pair) for pair in zip(sums, sizes, strict=True)]
    added = parts[0] - parts[1]
    # Unlike a mean's, it may be less than without clusters: clusters on both sides cancel in the difference.
    return Spread(means[0] - means[1], math.sqrt(float(added @ added)), degrees)


def _summed(values: Floats, cluster: npt.NDArray[np.int64], clusters: int) -> Floats:
    return np.asarray(np.bincount(cluster, values, clusters), dtype=np.float64)
