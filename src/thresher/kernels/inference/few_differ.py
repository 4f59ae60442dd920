"""Intervals of differences if few items or clusters differ: two units are added, a win and a loss."""

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.clusters import bell_mccaffrey
from thresher.kernels.inference.gains import Gains
from thresher.kernels.inference.spread import Spread, cluster_spread, spread_of

Floats = npt.NDArray[np.float64]


def adjusted_spread(gains: Gains, reach: float) -> Spread:
    """Mean and standard error with two more items, a gain and a loss of `reach`.

    For 0/1 scores this is the interval of Bonett and Price (2012), Adjusted Wald Confidence Interval for
    a Difference of Binomial Proportions Based on Paired Data. Its coverage holds if few or no items differ,
    when the plain interval shrinks to nothing.

    >>> adjusted_spread(Gains.of(np.zeros(6), np.zeros(6)), 1.0).standard_error
    0.1767766952966369
    """
    return with_two_more(spread_of(gains.moments), 1 / gains.items, reach)


def with_two_more(spread: Spread, share: float, reach: float, sizes: Floats | None = None) -> Spread:
    """The spread of a difference with two more units, a gain and a loss of `reach`.

    For means it is the spread over the units and these two. For other values, which have no differences of
    single units, it follows from their jackknife variance: each added unit moves the value by its share of
    the whole times `reach`. The share is that of an average unit, weighted by the shares, since losing a unit
    with many objects or tokens changes the value more.

    Formula: value v / (1 + 2 s), variance ((1 - s) e^2 + 2 s^2 (r^2 + v^2 / (1 + 2 s))) / (1 + 2 s)^2 with
        the standard error e, the share s = sum h^2 of units with the shares h, and the reach r; of clusters
        (1 + 2 s) / (1 + s) of this variance, and the degrees of freedom of the clusters and two of share s
    Source: Bonett and Price (2012) for rates, see `adjusted_spread`; Tukey's (1958) pseudo-values of the
        jackknife for others.

    Args:
        spread: of the difference.
        share: s; 1 / n for n equal units.
        reach: the largest difference of a unit.
        sizes: per cluster its number of items; None for items.

    >>> with_two_more(Spread(0.0, 0.0, 5), 1 / 6, 1.0).standard_error.__round__(4)
    0.1768
    """
    scale = 1 + 2 * share
    variance = (1 - share) * spread.standard_error**2 + 2 * share**2 * (reach**2 + spread.value**2 / scale)
    degrees = math.inf
    if sizes is not None:
        variance *= scale / (1 + share)
        degrees = bell_mccaffrey(np.append(sizes, [share * sizes.sum()] * 2))
    error = math.sqrt(variance) / scale
    part = spread.standard_error / scale / error if error else 0.0
    return replace(
        spread,
        value=spread.value / scale,
        standard_error=error,
        degrees=degrees,
        kurtosis=0.0,
        skewness=spread.skewness * part**3,  # the two added units are not skewed
        units=spread.number,
    )


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
