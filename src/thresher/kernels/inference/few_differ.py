"""Differences that rest on a few items or clusters: intervals with two more units, one won and one lost."""

import math

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.spread import Spread, cluster_spread

Floats = npt.NDArray[np.float64]


def adjusted_spread(gains: Floats, reach: float) -> Spread:
    """Mean and standard error with two more items, one gained and one lost as far as possible.

    For 0/1 scores this is the interval of Bonett and Price (2012), Adjusted Wald Confidence Interval for
    a Difference of Binomial Proportions Based on Paired Data. It keeps an honest width where few or no
    items differ and the plain interval shrinks to nothing.

    >>> adjusted_spread(np.zeros(6), 1.0).standard_error
    0.1767766952966369
    """
    more = len(gains) + 2
    centre = float(gains.sum()) / more
    variance = (float(gains @ gains) + 2 * reach**2) / more - centre**2
    return Spread(centre, math.sqrt(variance / more), math.inf)


def adjusted_clusters(sums: Floats, sizes: Floats, reach: float) -> Spread:
    """Mean and standard error with two more clusters, one gained and one lost as far as any was.

    The added clusters have the size at which clusters of equal size would weigh as much, sum m^2 / sum m.
    With clusters of average size the interval holds the truth too rarely where a large cluster happens not
    to differ (measured in docs/statistics.md).

    Args:
        sums: per cluster the sum of its items' differences.
        sizes: per cluster its number of items.
        reach: the largest mean difference of a cluster.

    >>> adjusted_clusters(np.zeros(4), np.full(4, 5.0), 1.0).standard_error.__round__(4)
    0.2582
    """
    size = float(sizes @ sizes) / float(sizes.sum())
    weights = np.append(sizes, [size, size])
    added = np.append(sums, [reach * size, -reach * size])
    centre = float(added.sum() / weights.sum())
    return cluster_spread(centre, added - centre * weights, weights)
