"""A paired difference with its intervals and its p-value."""

import math
from dataclasses import dataclass, replace

from thresher.kernels.inference.distributions import t_quantile
from thresher.kernels.inference.gains import Gains
from thresher.kernels.inference.interval import Interval
from thresher.kernels.inference.spread import Spread


@dataclass(frozen=True, eq=False)
class PairedDifference:
    """A difference whose interval and p-value come from one procedure.

    Both are computed from `spread`. If few items differ, an exact test guards them: the p-value is the larger
    of the two, and if the exact test does not reject at 1 - level, the interval is extended to 0. So the
    interval excludes 0 exactly if the p-value is at most 1 - level.

    Attributes:
        spread: the difference and the standard error of its intervals.
        centre: middle of the intervals; the difference itself, unless few items differ.
        method: name of the interval's method.
        exact: p-value of the exact test; NaN without one.
        exact_test: name of the exact test.
        gains: differences of item scores; None if the measure is not a mean.
        binary: whether both runs' scores are 0 or 1.
        reach: the largest possible difference.
        guarded: the spread with two more units, a gain and a loss of the whole range; None for rates, whose
            spread has them, and for values that no share of the items moves (see `Reduction.by_share`).
    """

    spread: Spread
    centre: float
    method: str
    exact: float = math.nan
    exact_test: str | None = None
    gains: Gains | None = None
    binary: bool = False
    reach: float = math.inf
    guarded: Spread | None = None

    @property
    def p_value(self) -> float:
        """Two-sided p-value of the hypothesis that the difference is 0; NaN if it cannot be tested."""
        own = self._centred.p_value
        return own if math.isnan(self.exact) else max(own, self.exact)

    @property
    def test(self) -> str | None:
        """Name of the test that gives the p-value."""
        if not self._centred.known:
            return None
        return self.exact_test if self.exact >= self._centred.p_value else self.method

    @property
    def _centred(self) -> Spread:
        return replace(self.spread, value=self.centre)

    def interval(self, level: float) -> Interval | None:
        """An interval of the difference; None with fewer than two independent units."""
        if not self.spread.known or math.isnan(self.spread.value):
            return None
        low, high = self._centred.limits(level)
        if self.exact > 1 - level:
            low, high = min(low, 0.0), max(high, 0.0)
        return Interval(low, high, level, self.method)

    def possible(self, level: float) -> Interval | None:
        """The interval cut to differences that the measure's bounds allow."""
        interval = self.interval(level)
        if interval is None:
            return None
        return replace(interval, low=max(interval.low, -self.reach), high=min(interval.high, self.reach))

    def with_rare_differences(self, level: float) -> Interval | None:
        """The interval with two more units, a gain and a loss of the whole range; None if there is none.

        Items that hardly differ say little about those that rarely differ a lot. With these two, losses too
        rare to occur among so few items are within the interval: if one item in 15 loses everything,
        20 items show an equivalence within that loss in 0 of 300 samples, instead of 56. Where a few such
        losses occur, the interval is longer on their side (Hall 1992): without that, a mean IoU over 400
        images was called equivalent within its true loss in 8 % of samples, with it in 6 %.
        """
        if self.guarded is None or not self.guarded.known or math.isnan(self.guarded.value):
            return None
        low, high = self.guarded.longest_limits(level)
        return Interval(max(low, -self.reach), min(high, self.reach), level, f"{self.method}, two added")

    def detectable(self, level: float, power: float) -> float:
        """The smallest difference that is detected with that power; NaN if unknown.

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
