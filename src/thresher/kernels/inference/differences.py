"""The difference between two runs over the same items: value, standard error, intervals and p-value."""

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.distributions import t_quantile
from thresher.kernels.inference.estimate import is_binary, mean_scores, value_of
from thresher.kernels.inference.interval import Interval
from thresher.kernels.inference.jackknife import jackknife_groups, jackknife_spread
from thresher.kernels.inference.paired_tests import item_swap, mcnemar, sign_flip
from thresher.kernels.inference.spread import FEWEST, Spread, mean_spread
from thresher.kernels.inference.statistic import unit_statistic
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Units

Floats = npt.NDArray[np.float64]
FEW = 50
"""With fewer units that differ, p-values come from sign flips or swaps instead of the t distribution."""
FEW_DIFFERING = 20
"""With fewer items (or clusters) that differ among ties, the t interval is too short."""
SWAPS = 1000


@dataclass(frozen=True, eq=False)
class Difference:
    """What is known of a difference before anything is judged.

    Attributes:
        spread: the difference and the standard error that its intervals rest on.
        centre: middle of the intervals; the difference itself, unless few items differ.
        method: name of the interval's method.
        p_value: two-sided.
        test: name of the test.
        scores: differences per item; None where the measure is no mean.
        binary: whether both runs' scores are 0 or 1.
        reach: the largest difference that there can be.
    """

    spread: Spread
    centre: float
    method: str
    p_value: float
    test: str | None
    scores: Floats | None = None
    binary: bool = False
    reach: float = math.inf

    def interval(self, level: float) -> Interval | None:
        """An interval of the difference; None with fewer than two independent units."""
        if not self.spread.known or math.isnan(self.spread.value):
            return None
        centred = Spread(self.centre, self.spread.standard_error, self.spread.degrees)
        return Interval(*centred.limits(level), level, self.method)

    def possible(self, level: float) -> Interval | None:
        """The interval without differences that the measure's bounds rule out."""
        found = self.interval(level)
        if found is None:
            return None
        return replace(found, low=max(found.low, -self.reach), high=min(found.high, self.reach))

    def detectable(self, level: float, power: float) -> float:
        """The smallest difference that is found with that power; NaN where nothing is known.

        Formula: (quantile of 1 - alpha / 2 + quantile of the power) * standard error; 2.80 standard
            errors for 5 %, 80 % and many items
        Source: Miller (2024), Adding Error Bars to Evals.
        """
        degrees = self.spread.degrees
        if not self.spread.known:
            return math.nan
        return self.spread.standard_error * (
            t_quantile((1 + level) / 2, degrees) + t_quantile(power, degrees)
        )


def paired_difference(first: Target, second: Target, units: Units, seed: int) -> Difference:
    """Second minus first over the rows of `units`, by whichever way fits the measure."""
    low, high = first.measure.bounds
    found = _found(first, second, units, seed)
    return replace(found, reach=min(found.reach, high - low))


def _found(first: Target, second: Target, units: Units, seed: int) -> Difference:
    scores = [mean_scores(target, units) for target in (first, second)]
    if scores[0] is None or scores[1] is None:
        return _of_values(first, second, units, seed)
    binary = all(is_binary(each, first.measure.bounds) for each in scores if each is not None)
    gains = scores[1] - scores[0]
    if binary and units.clusters is None:
        return _of_rates(gains)
    return _of_means(gains, units, first.measure.bounds, seed, binary=binary)


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


def _of_rates(gains: Floats) -> Difference:
    value = float(gains.mean()) if len(gains) else math.nan
    if len(gains) < FEWEST:
        return _nothing(value, gains, binary=True)
    wins, losses = int(np.count_nonzero(gains > 0)), int(np.count_nonzero(gains < 0))
    adjusted = adjusted_spread(gains, 1.0)
    spread = Spread(value, adjusted.standard_error, adjusted.degrees)
    p_value, test = mcnemar(wins, losses), "mcnemar mid-p"
    return Difference(spread, adjusted.value, "bonett-price", p_value, test, gains, binary=True, reach=1.0)


def _of_means(
    gains: Floats, units: Units, bounds: tuple[float, float], seed: int, *, binary: bool
) -> Difference:
    spread = mean_spread(gains, units.cluster, units.clusters or 0)
    if not spread.known:
        return _nothing(spread.value, gains, binary=binary)
    centre, method = spread.value, "paired t" if units.clusters is None else "cluster-t"
    each, moved = _by_unit(gains, units)
    if moved < min(FEW_DIFFERING, len(each)):
        reach = float(np.abs(each).max(initial=0.0)) or bounds[1] - bounds[0]
        if math.isfinite(reach):
            adjusted = adjusted_spread(each, reach)
            degrees = adjusted.degrees if units.clusters is None else spread.degrees
            spread = Spread(spread.value, adjusted.standard_error, degrees)
            centre, method = adjusted.value, "adjusted" if units.clusters is None else "cluster-adjusted"
    p_value, test = _tested(gains, units, seed, "paired t" if units.clusters is None else "cluster-t")
    return Difference(spread, centre, method, p_value, test, gains, binary)


def _by_unit(gains: Floats, units: Units) -> tuple[Floats, int]:
    """What each item or cluster adds to the mean difference, and in how many of them any item differs."""
    if units.cluster is None:
        return gains, int(np.count_nonzero(gains))
    sums = np.bincount(units.cluster, gains, units.size)
    differing = np.bincount(units.cluster[gains != 0], minlength=units.size)
    shares = np.asarray(sums * (units.size / len(gains)), dtype=np.float64)
    return shares, int(np.count_nonzero(differing))


def _tested(gains: Floats, units: Units, seed: int, name: str) -> tuple[float, str]:
    sums = gains if units.cluster is None else np.bincount(units.cluster, gains, units.size)
    if np.count_nonzero(sums) < FEW:
        return sign_flip(sums, seed=seed), "sign flip"
    return mean_spread(gains, units.cluster, units.clusters or 0).p_value, name


def _of_values(first: Target, second: Target, units: Units, seed: int) -> Difference:
    """A difference of values that are no means, by leaving out units of both runs alike."""
    values = [value_of(target, units) for target in (first, second)]
    value = values[1] - values[0]
    if units.size < FEWEST:
        return _nothing(value, None, binary=False)
    group, groups = jackknife_groups(units.size, seed)
    without = [unit_statistic(target, units).leaving_out(group, groups) for target in (first, second)]
    spread = jackknife_spread(value, without[1] - without[0])
    name = "jackknife" if units.clusters is None else "cluster-jackknife"
    p_value, test = spread.p_value, name if spread.known else None
    if units.size < FEW and first.measure.reduction == second.measure.reduction and not math.isnan(value):
        p_value, test = item_swap(first, second, units, SWAPS, seed), "item swap"
    return Difference(spread, value, name, p_value, test)


def _nothing(value: float, gains: Floats | None, *, binary: bool) -> Difference:
    return Difference(Spread(value, math.nan, 0), value, "none", math.nan, None, gains, binary)
