"""One rule for the variance that a sample cannot show: one more unit at a bound, and random weights.

A sample of near-perfect scores does not show the total failures of which it happens to have none. So one
more item is imagined at a bound of the scale, and units (items or clusters) get independent exponential
weights; `tail` is the probability that the weighted sum is 0 or less. The item lies at the low and at the high
bound with equal probability ("mid"). For 0/1 scores the limits are those of Clopper and Pearson with mid-p, for
wins and losses the sign test with mid-p (McNemar), for two groups nearly Fisher's test with mid-p; for many
items they become the t interval with its skewness.

Sources: Gaffke (2005), Three test statistics for a nonparametric one-sided hypothesis on the mean of a
    nonnegative variable; Fay, Proschan and Brittain (2015), Combining one-sample confidence procedures for
    inference in the two-sample case; Lugannani and Rice (1980), Saddle point approximation for the distribution
    of the sum of independent random variables.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.moments import Moments

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Bounds = tuple[float, float]
Cumulants = tuple[float, float, float]
_NOTHING = 1e-300
"""Shares of the largest value whose reciprocal would be infinite."""
_FLAT = 1e-4
"""Skewness below which the gamma distribution is replaced by its first order, which it equals to 1e-9."""
USUAL = 0.96
"""Up to this level limits come from three moments; beyond, where these make p too small, from the saddlepoint."""
_CLOSE = 1e-14
"""Limits are known to this share of their range."""


def tail(first: float, second: float, third: float) -> float:
    """P(Z <= 0) for Z = sum E_i z_i with exponential weights E_i, by a gamma with its first three cumulants.

    It misses p by 2 to 4 % between 0.025 and 0.05, and is four times too small at 0.0002: see `saddlepoint`.

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
    deviation = math.sqrt(second)
    skewness, place = 2 * third / second / deviation, -first / deviation
    if abs(skewness) < _FLAT:
        return float(ndtr(place + skewness / 6 * (1 - place * place)))
    shape = 4 / skewness**2
    scaled = max(0.0, shape + place * math.copysign(math.sqrt(shape), skewness))
    return float((gammainc if skewness > 0 else gammaincc)(shape, scaled))


def saddlepoint(values: Floats, times: Floats | None = None) -> float:
    """P(sum E_i z_i <= 0) for exponential weights E_i, right also far in the tail.

    Args:
        values: z.
        times: how often each value occurs, by default once.

    >>> round(saddlepoint(np.array([1.0, -4.0]), np.array([3.0, 1.0])), 2)  # 0.512
    0.51
    """
    from scipy.special import ndtr

    number = np.ones(len(values)) if times is None else times
    values = values / (float(np.abs(values).max()) or 1.0)
    if values.min() >= -_NOTHING:
        return 0.0
    if values.max() <= _NOTHING:
        return 1.0
    ends = 1 / float(values.min()) * (1 - 1e-12), 1 / float(values.max()) * (1 - 1e-12)
    # The slope is infinite at both ends; its hyperbolic tangent has the same root.
    at = zero_of(lambda s: math.tanh(float(number @ (values / (1 - s * values)))), *ends)
    log, second = (
        -float(number @ np.log1p(-at * values)),
        float(number @ np.square(values / (1 - at * values))),
    )
    if abs(at) * math.sqrt(second) < 1e-5:  # noqa: PLR2004 (0 / 0: the mean is 0)
        return tail(*(float(number @ values**power) for power in (1, 2, 3)))
    root, slope = math.copysign(math.sqrt(max(0.0, -2 * log)), at), at * math.sqrt(second)
    density = math.exp(-root * root / 2) / math.sqrt(2 * math.pi)
    return min(1.0, max(0.0, float(ndtr(root)) + density * (1 / root - 1 / slope)))


@dataclass(frozen=True)
class UnitSums:
    """Power sums of units with sums S and sizes m: all that the rule needs.

    Attributes:
        units: number of units.
        items: sum of the sizes.
        mean: sum S / sum m; powers are of deviations d = S - mean * m from it.
        seconds: sum d^2, sum d m, sum m^2.
        thirds: sum d^3, sum d^2 m, sum d m^2, sum m^3.
        share: of all items, that the added unit has; NaN for that of the cluster of an average item.
        parts: deviations, sizes and how often they occur, for tails beyond `USUAL`; None where they are too many.
    """

    units: int
    items: float
    mean: float
    seconds: tuple[float, float, float]
    thirds: tuple[float, float, float, float]
    share: float = math.nan
    parts: tuple[Floats, Floats, Floats] | None = field(default=None, compare=False)

    def with_scores(self, scores: Floats, times: Floats | None = None) -> Self:
        """The same sums, of items with these scores."""
        ones = np.ones(len(scores))
        return replace(self, parts=(scores - self.mean, ones, ones if times is None else times))

    @classmethod
    def of_items(cls, moments: Moments) -> Self:
        """Sums of items, from the moments of their scores."""
        count, cubes = float(moments.count), moments.powers[1] * moments.reach**3
        seconds, thirds = (moments.squares, 0.0, count), (cubes, moments.squares, 0.0, count)
        return cls(moments.count, count, moments.mean, seconds, thirds)

    @classmethod
    def of_clusters(cls, sums: Floats, sizes: Floats) -> Self:
        """Sums of clusters, from the sum of the scores and the number of items of each."""
        mean = float(sums.sum() / sizes.sum())
        return cls.of_deviations(mean, sums - mean * sizes, sizes)

    @classmethod
    def of_rate(cls, hits: float, total: float) -> Self:
        """Sums of `total` items of which `hits` are 1 and the others 0; both may be fractions."""
        rate = hits / total
        squares = total * rate * (1 - rate)
        cubes = squares * (1 - 2 * rate)
        return cls(round(total), total, rate, (squares, 0.0, total), (cubes, squares, 0.0, total))

    @classmethod
    def of_error(cls, value: float, error: float, units: float, skewness: float = 0.0) -> Self:
        """Sums of equal units that give a value this standard error and skewness."""
        squares, cubes = (error * units) ** 2, skewness * (error * units) ** 3
        return cls(round(units), units, value, (squares, 0.0, units), (cubes, squares, 0.0, units))

    @classmethod
    def of_deviations(cls, mean: float, d: Floats, m: Floats) -> Self:
        """Sums of units from their deviations from the mean and their sizes."""
        seconds = float(d @ d), float(d @ m), float(m @ m)
        thirds = float(d @ (d * d)), float(d @ (d * m)), float(d @ (m * m)), float(m @ (m * m))
        return cls(len(m), float(m.sum()), mean, seconds, thirds, parts=(d, m, np.ones(len(m))))

    @classmethod
    def of_influences(cls, value: float, without: Floats, sizes: Floats, units: int, share: float) -> Self:
        """Sums of a value that is not a mean, from what it becomes without each group of units.

        Exact for means, where a group contributes d = (v - v_g) (n - m_g). Random groups of several units stand for
        these: their squares and cubes have the expectation of those of their units.

        Args:
            value: the value over all units.
            without: the value without each group.
            sizes: per group how much of the value it holds: its number of items, or of objects of a label.
            units: number of units.
            share: sum h^2 of the shares h that the units hold; see `unit_share`.
        """
        remaining = sizes.sum() - sizes
        centre = float(remaining @ without / remaining.sum())
        sums = cls.of_deviations(value, (centre - without) * remaining, sizes)
        if units > len(sizes):
            (dd, _, _), (ddd, *_), size = sums.seconds, sums.thirds, share * sums.items
            seconds, thirds = (dd, 0.0, size * sums.items), (ddd, dd * size, 0.0, size**2 * sums.items)
            sums = replace(sums, units=units, seconds=seconds, thirds=thirds, parts=None)
        return replace(sums, share=share)

    @property
    def size(self) -> float:
        """Size of the unit that is added."""
        return self.seconds[2] / self.items if math.isnan(self.share) else self.share * self.items

    @property
    def standard_error(self) -> float:
        """Standard error of the mean that the units show; NaN for a single one."""
        return (
            math.sqrt(self.seconds[0] * self.units / (self.units - 1)) / self.items
            if self.units > 1
            else math.nan
        )

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


@dataclass(frozen=True)
class OneMore:
    """What units show of a mean between finite bounds.

    Attributes:
        sums: power sums of the units.
        bounds: smallest and largest possible mean.
        noise: variance of the mean from elsewhere, such as the judges of a panel.
    """

    method: ClassVar[str] = "one-more"
    sums: UnitSums
    bounds: Bounds
    noise: float = 0.0

    def below(self, mean: float, *, far: bool = False) -> float:
        """Confidence that the true mean is at most `mean`: the tails with one more at each bound, averaged."""
        if far and self.sums.parts is not None and not self.noise:
            d, m, times = self.sums.parts
            z, number = d - (mean - self.sums.mean) * m, np.append(times, 1.0)
            ends = (self.sums.size * (bound - mean) for bound in self.bounds)
            return sum(saddlepoint(np.append(z, end), number) for end in ends) / 2
        noise = self.noise * (self.sums.items + self.sums.size) ** 2
        cumulants = (self.sums.cumulants(mean, bound) for bound in self.bounds)
        return sum(tail(first, second + noise, third) for first, second, third in cumulants) / 2

    def limits(self, level: float) -> tuple[float, float]:
        """The means that no side rejects at (1 - level) / 2."""
        alpha, (low, high), far = (1 - level) / 2, self.bounds, level > USUAL
        value = min(high, max(low, self.sums.mean))
        return (
            zero_of(lambda mean: self.below(mean, far=far) - alpha, low, value),
            zero_of(lambda mean: self.below(mean, far=far) - 1 + alpha, value, high),
        )

    def p_value(self, mean: float = 0.0, *, far: bool = False) -> float:
        """Two-sided p-value of the true mean being `mean`; `far` if it is compared with less than 1 - `USUAL`."""
        below = self.below(mean, far=far)
        return min(1.0, 2 * min(below, 1 - below))


def rate_limits(hits: float, total: float, level: float) -> tuple[float, float]:
    """The interval of a rate: nearly Clopper and Pearson's with mid-p, which is 0.741 to 1 for 10 of 10.

    >>> [round(limit, 3) for limit in rate_limits(10, 10, 0.95)]
    [0.734, 1.0]
    """
    return OneMore(UnitSums.of_rate(hits, total), (0.0, 1.0)).limits(level)


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


def zero_of(function: Callable[[float], float], low: float, high: float) -> float:
    """Where an increasing function changes sign; an end if it does not (false position, Illinois form)."""
    at_low, at_high = function(low), function(high)
    if at_low >= 0 or at_high <= 0:
        return low if at_low >= 0 else high
    span, last, side = high - low, math.inf, 0
    for _ in range(200):
        at = (low * at_high - high * at_low) / (at_high - at_low)
        value = function(at)
        if value == 0 or abs(at - last) <= _CLOSE * span:
            return at
        last, above = at, 1 if value > 0 else -1
        if above > 0:
            high, at_high, at_low = at, value, at_low / (2 if side > 0 else 1)
        else:
            low, at_low, at_high = at, value, at_high / (2 if side < 0 else 1)
        side = above
    return last
