"""Intervals of differences if few items or clusters differ: two units are added, a win and a loss."""

import math

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.gains import Gains
from thresher.kernels.inference.spread import Spread, cluster_spread

Floats = npt.NDArray[np.float64]


def adjusted_spread(gains: Gains, reach: float) -> Spread:
    """Mean and standard error with two more items, a gain and a loss of `reach`.

    For 0/1 scores this is the interval of Bonett and Price (2012), Adjusted Wald Confidence Interval for
    a Difference of Binomial Proportions Based on Paired Data. Its coverage holds if few or no items differ,
    when the plain interval shrinks to nothing.

    >>> adjusted_spread(Gains.of(np.zeros(6), np.zeros(6)), 1.0).standard_error
    0.1767766952966369
    """
    more = gains.items + 2
    centre = gains.moments.total / more
    variance = (gains.squares + 2 * reach**2) / more - centre**2
    return Spread(centre, math.sqrt(variance / more), math.inf)


def adjusted_clusters(sums: Floats, sizes: Floats, reach: float) -> Spread:
    """Mean and standard error with two more clusters, a gain and a loss of `reach` per item.

    The added clusters have the effective size sum m^2 / sum m of clusters with m items. With clusters of
    average size the interval contains the true value too rarely if a large cluster happens not to differ
    (measured in docs/statistics.md).

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
