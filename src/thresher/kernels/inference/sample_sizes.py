"""How many items show a difference: a range, because a pilot leaves open how much further items vary."""

import math
from dataclasses import dataclass

import numpy as np

from thresher.kernels.inference.distributions import normal_quantile
from thresher.kernels.inference.interval import LEVEL
from thresher.kernels.inference.moments import Moments
from thresher.kernels.inference.one_more import OneMore, UnitSums
from thresher.kernels.inference.spread import Spread

POWER = 0.8
"""The convention of the field (Cohen 1988, Statistical Power Analysis for the Behavioral Sciences)."""
SURE = 0.8
"""Level of the range of a sample size."""
FEWEST_DIFFERING = 10
"""With fewer items that differ there is no sample size: such estimates vary by a factor above 2."""


@dataclass(frozen=True)
class SampleSize:
    """Numbers of items, or clusters, that show a difference.

    Attributes:
        low: the least that a pilot leaves open; None if fewer than 10 of its items differ.
        high: the most.
        floor: below it no such difference is shown, however little items vary: 3 * range / difference for 95 %.
    """

    low: int | None
    high: int
    floor: int

    @classmethod
    def of(
        cls,
        difference: float,
        variances: tuple[float, float],
        reach: float,
        *,
        level: float = LEVEL,
        power: float = POWER,
        few: bool = False,
    ) -> "SampleSize":
        """Numbers of items for a difference.

        With that many, a true difference of that size is shown with probability `power`, and without a
        difference a loss of that size is ruled out with the same probability.

        Formula: ((z(1 - alpha / 2) + z(power)) * standard deviation / difference) ** 2, and at least
            ln(1 / alpha) * range / difference
        Source: Miller (2024), Adding Error Bars to Evals, section 5; the standard formula for paired means.

        Args:
            difference: its size.
            variances: the smallest and the largest variance of an item's difference that are possible.
            reach: the largest difference of an item; infinite without bounds.
            level: level of the interval that shows it.
            power: probability of showing it.
            few: whether fewer than 10 items of the pilot differ.

        >>> SampleSize.of(0.05, (0.09, 0.09), 1.0)
        SampleSize(low=283, high=283, floor=60)
        """
        floor = max(2, math.ceil(-math.log(1 - level) * reach / difference)) if math.isfinite(reach) else 2
        factor = ((normal_quantile((1 + level) / 2) + normal_quantile(power)) / difference) ** 2
        low, high = (max(floor, math.ceil(factor * variance)) for variance in variances)
        return cls(None if few else low, high, floor)


def variance_limits(
    visible: Spread, sums: UnitSums | None, units: int, reach: float
) -> tuple[float, float] | None:
    """The variances of a unit's difference that the units leave open; None if they show none.

    Squared deviations are bounded scores whose mean is the variance.

    Args:
        visible: the difference with its standard error.
        sums: its units; without their single deviations the variance of squares follows from the kurtosis.
        units: number of units.
        reach: the largest difference; infinite without bounds.
    """
    if not visible.known or not 0 < visible.standard_error < math.inf:
        return None
    if sums is not None and sums.parts is not None:
        deviations, _, times = sums.parts
        squares = np.square(deviations * sums.units / sums.items)
        squared = UnitSums.of_items(Moments.of(np.repeat(squares, times.astype(np.int64))))
        return OneMore(squared, (0.0, reach**2)).limits(SURE)
    number, variance = visible.number, units * visible.standard_error**2
    error = variance * math.sqrt(max(visible.kurtosis + 2, 0.0) / number)
    if math.isfinite(reach):
        return OneMore(UnitSums.of_error(variance, error, number), (0.0, reach**2)).limits(SURE)
    low, high = Spread(variance, error, number - 1, units=number).limits(SURE) or (variance, variance)
    return max(0.0, low), high


def rate_variance(rate: float, difference: float, same: float) -> float:
    """Variance of the difference of two 0/1 scores with the rates `rate` and `rate + difference`.

    Args:
        rate: the first rate.
        difference: second rate minus the first.
        same: share of the items that both systems answer alike; they answer the others independently.

    >>> round(rate_variance(0.8, 0.05, 0.7), 4)
    0.1195
    """
    other = rate + difference
    independent = rate * (1 - other) + (1 - rate) * other
    return same * abs(difference) + (1 - same) * independent - difference**2
