"""One rule for the variance that a sample cannot show: one more unit at a bound, and random weights.

A sample of near-perfect scores does not show the total failures of which it happens to have none. So one
more item is imagined at a bound of the scale, and units (items or clusters) get independent exponential
weights; `tail` is the probability that the weighted sum is 0 or less. For 0/1 scores the test of two groups
is nearly Fisher's with mid-p; for many items it becomes the t test with its skewness.

Sources: Gaffke (2005), Three test statistics for a nonparametric one-sided hypothesis on the mean of a
    nonnegative variable; Fay, Proschan and Brittain (2015), Combining one-sample confidence procedures for
    inference in the two-sample case.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.moments import Moments

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Bounds = tuple[float, float]
Cumulants = tuple[float, float, float]
_FLAT = 1e-4
"""Skewness below which the gamma distribution is replaced by its first order, which it equals to 1e-9."""


def tail(first: float, second: float, third: float) -> float:
    """P(Z <= 0) for Z = sum E_i z_i with exponential weights E_i, by a gamma with its first three cumulants.

    Args:
        first: sum z.
        second: sum z^2.
        third: sum z^3.

    >>> tail(0.0, 1.0, 0.0)
    0.5
    """
    from scipy.special import gammainc, gammaincc, ndtr

    if second <= 0:
        return 0.0 if first > 0 else 1.0
    skewness, place = 2 * third / second**1.5, -first / math.sqrt(second)
    if abs(skewness) < _FLAT:
        return float(ndtr(place + skewness / 6 * (1 - place * place)))
    shape = 4 / skewness**2
    scaled = max(0.0, shape + place * math.copysign(math.sqrt(shape), skewness))
    return float((gammainc if skewness > 0 else gammaincc)(shape, scaled))


@dataclass(frozen=True)
class UnitSums:
    """Power sums of units with sums S and sizes m: all that the rule needs.

    Attributes:
        units: number of units.
        items: sum of the sizes.
        mean: sum S / sum m; powers are of deviations S - mean * m from it.
        seconds: sum d^2, sum d m, sum m^2.
        thirds: sum d^3, sum d^2 m, sum d m^2, sum m^3.
    """

    units: int
    items: float
    mean: float
    seconds: tuple[float, float, float]
    thirds: tuple[float, float, float, float]

    @classmethod
    def of_items(cls, moments: Moments) -> Self:
        """Sums of items, from the moments of their scores."""
        count, cubes = float(moments.count), moments.powers[1] * moments.reach**3
        seconds, thirds = (moments.squares, 0.0, count), (cubes, moments.squares, 0.0, count)
        return cls(moments.count, count, moments.mean, seconds, thirds)

    @classmethod
    def of_clusters(cls, sums: Floats, sizes: Floats) -> Self:
        """Sums of clusters, from the sum of the scores and the number of items of each."""
        m, mean = sizes, float(sums.sum() / sizes.sum())
        d = sums - mean * m
        seconds = float(d @ d), float(d @ m), float(m @ m)
        thirds = float(d @ (d * d)), float(d @ (d * m)), float(d @ (m * m)), float(m @ (m * m))
        return cls(len(m), float(m.sum()), mean, seconds, thirds)

    @property
    def size(self) -> float:
        """Size of the unit that is added: that of the cluster of an average item."""
        return self.seconds[2] / self.items

    def cumulants(self, mean: float, bound: float) -> Cumulants:
        """Sums of z, z^2 and z^3 for z = S - mean * m, with one more unit at a bound."""
        shift, extra = mean - self.mean, self.size * (bound - mean)
        (dd, dm, mm), (ddd, ddm, dmm, mmm) = self.seconds, self.thirds
        return (
            extra - shift * self.items,
            extra**2 + dd - 2 * shift * dm + shift**2 * mm,
            extra**3 + ddd - 3 * shift * ddm + 3 * shift**2 * dmm - shift**3 * mmm,
        )

    def weighted_mean(self, bound: float) -> Cumulants:
        """Mean, variance and half the third cumulant of the weighted mean, with one more unit at a bound."""
        size, units = self.size, self.units + 1
        items = self.items + size
        mean = (self.mean * self.items + bound * size) / items
        _, second, third = self.cumulants(mean, bound)
        return (
            mean,
            second / items**2 * units / (units + 1),
            third / items**3 * units**2 / ((units + 1) * (units + 2)),
        )


def melded_p_value(
    inside: UnitSums, outside: UnitSums, bounds: Bounds, shared: Floats | None = None
) -> float:
    """Two-sided p-value of equal means of two groups of bounded scores.

    Each group has one more unit, at opposite bounds: the difference is once as small and once as large as
    these units can make it.

    Args:
        inside: the first group.
        outside: the second group.
        bounds: bounds of the scores.
        shared: per unit with items in both groups its deviations in each (units x 2).
    """
    evidence = 0.0
    for low, high in (bounds, bounds[::-1]):
        (mean, second, third), (other, other_second, other_third) = (
            inside.weighted_mean(low),
            outside.weighted_mean(high),
        )
        second, third = second + other_second, third - other_third
        if shared is not None:
            one, two = (shared * [_scale(inside, 2), _scale(outside, 2)]).T
            second -= 2 * float(one @ two)
            one, two = (shared * [_scale(inside, 3), _scale(outside, 3)]).T
            third += float(((one - two) ** 3 - one**3 + two**3).sum())
        evidence += tail(mean - other, max(second, 0.0), third)
    return min(1.0, evidence, 2 - evidence)


def _scale(sums: UnitSums, power: int) -> float:
    """Factor of a unit's deviation in the cumulant of this order of the randomly weighted mean."""
    units = sums.units + 1
    share = units / (units + 1) if power == 2 else units**2 / ((units + 1) * (units + 2))  # noqa: PLR2004
    return float(share ** (1 / power) / (sums.items + sums.size))


def melded_clusters(scores: Floats, inside: Mask, cluster: npt.NDArray[np.int64], bounds: Bounds) -> float:
    """`melded_p_value` of the items inside against the others, where clusters are the units.

    A cluster may have items on both sides; it has one weight, so what moves both sides cancels.
    """
    clusters = int(cluster.max()) + 1
    sums = np.stack([np.bincount(cluster[side], scores[side], clusters) for side in (inside, ~inside)])
    sizes = np.stack([np.bincount(cluster[side], minlength=clusters) for side in (inside, ~inside)]).astype(
        float
    )
    groups = [
        UnitSums.of_clusters(total[size > 0], size[size > 0]) for total, size in zip(sums, sizes, strict=True)
    ]
    both = (sizes > 0).all(axis=0)
    deviations = [total - group.mean * size for total, size, group in zip(sums, sizes, groups, strict=True)]
    shared = np.stack(deviations, axis=1)[both] if both.any() else None
    return melded_p_value(groups[0], groups[1], bounds, shared)
