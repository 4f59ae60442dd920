"""Tests between two groups of different items."""

import math

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.clusters import bell_mccaffrey, cluster_contributions
from thresher.kernels.inference.moments import Moments
from thresher.kernels.inference.spread import FEWEST, Spread, spread_of

Floats = npt.NDArray[np.float64]
_ROUNDING = 1e-7
"""Of log-probabilities: R's fisher.test allows the same relative error for equally likely tables."""


def fisher_exact(hits: tuple[int, int], items: tuple[int, int]) -> float:
    """Fisher's exact test of two rates: the probability of tables at most as likely as the observed one.

    Args:
        hits: items with score 1 in each group.
        items: items in each group.

    >>> round(fisher_exact((3, 0), (3, 3)), 6)
    0.1
    """
    from scipy.special import gammaln

    total, all_hits = sum(items), sum(hits)
    possible = np.arange(max(0, all_hits - items[1]), min(all_hits, items[0]) + 1, dtype=np.float64)
    cells = [possible, items[0] - possible, all_hits - possible, items[1] - all_hits + possible]
    margins = sum(float(gammaln(count + 1)) for count in (*items, all_hits, total - all_hits))
    logs = margins - float(gammaln(total + 1)) - sum(gammaln(cell + 1) for cell in cells)
    observed = logs[int(hits[0] - possible[0])]
    return min(1.0, float(np.exp(logs[logs <= observed + _ROUNDING]).sum()))


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
