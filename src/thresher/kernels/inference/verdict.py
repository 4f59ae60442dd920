"""The verdict of a comparison of two runs for one measure."""

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from thresher.errors import InputError
from thresher.kernels.inference.corrections import holm
from thresher.kernels.inference.distributions import normal_quantile
from thresher.kernels.inference.interval import Interval, finite
from thresher.results import Direction

POWER = 0.8
"""The convention of the field (Cohen 1988, Statistical Power Analysis for the Behavioral Sciences)."""
STATED_SHARE = 0.02
"""Without a margin, sample sizes are given for a difference of this share of the measure's range.
It is an example of a small difference; no verdict depends on it."""


class Verdict(StrEnum):
    """The four outcomes of a comparison; `equivalent` needs a margin from the user."""

    BETTER = "better"
    """The second run is significantly better."""
    WORSE = "worse"
    """The second run is significantly worse."""
    EQUIVALENT = "equivalent"
    """The difference is within the margin."""
    INCONCLUSIVE = "inconclusive"
    """These items show none of the other three."""


@dataclass(frozen=True)
class Comparison:
    """Second run minus first run, for one measure over the items that both scored.

    Attributes:
        measure: name of the measure.
        direction: whether higher or lower is better.
        items: items that count, repeats of an item counted once.
        clusters: number of clusters; None if items are taken as independent.
        first_value: the first run's value over those items.
        second_value: the second run's value over those items.
        difference: second minus first.
        standard_error: of the difference; NaN if unknown.
        interval: of the difference; None with fewer than two independent units.
        narrow: interval of level 1 - 2 (1 - level), 90 % for 95 %, by the same method. It decides about
            equivalence.
        p_value: two-sided, for no difference; NaN without a test.
        test: name of the test.
        p_adjusted: the p-value corrected for all tests; None until `corrected` is called.
        effect: size of the effect; NaN if undefined.
        effect_kind: `d_z` (mean difference in standard deviations of the differences) or `odds`
            (items that only the second run gets right per item that only the first gets right).
        wins: items on which the second run is better; None if items have no scores.
        ties: items on which they score the same.
        losses: items on which the second run is worse.
        detectable: the smallest difference that such a comparison detects with 80 % power.
        margin: the user's largest difference between equivalent runs; None without one.
        span: the largest difference that the measure's bounds allow; infinite without bounds.
        guarded: the narrow interval with two more items or clusters, a gain and a loss of the whole range.
            It must be within the margin, too. None for rates, whose intervals have the two already, and for
            quantiles and points of curves, which have no guard.
    """

    measure: str
    direction: Direction
    items: int
    clusters: int | None
    first_value: float
    second_value: float
    difference: float
    standard_error: float
    interval: Interval | None
    narrow: Interval | None
    p_value: float
    test: str | None
    effect: float
    effect_kind: str | None
    wins: int | None
    ties: int | None
    losses: int | None
    detectable: float
    margin: float | None
    span: float
    p_adjusted: float | None = None
    guarded: Interval | None = None

    @property
    def units(self) -> int:
        """Independent units: clusters where there are any, else items."""
        return self.items if self.clusters is None else self.clusters

    @property
    def verdict(self) -> Verdict:
        """Equivalent if the narrow intervals are within the margin, else better or worse by the p-value.

        Equivalence is two one-sided tests (Schuirmann 1987), each at level 1 - `interval.level`. A
        significant difference within the margin counts as equivalent, because the margin says that it does
        not matter. Without a margin no runs are equivalent: a missing difference does not prove equality.
        The guarded interval keeps few items from hiding rare losses (see
        `PairedDifference.with_rare_differences`).
        """
        if self.interval is None or self.narrow is None:
            return Verdict.INCONCLUSIVE
        both = [interval for interval in (self.narrow, self.guarded) if interval is not None]
        if self.margin is not None and all(one.within(-self.margin, self.margin) for one in both):
            return Verdict.EQUIVALENT
        return self.shown

    @property
    def rare(self) -> Interval | None:
        """The guarded interval, if it alone keeps the runs from being equivalent."""
        if self.narrow is None or self.guarded is None or self.margin is None:
            return None
        hidden = self.narrow.within(-self.margin, self.margin)
        return self.guarded if hidden and not self.guarded.within(-self.margin, self.margin) else None

    @property
    def shown(self) -> Verdict:
        """Better or worse by the (corrected) p-value alone, whatever the margin; else inconclusive."""
        p_value = self.tested_p
        level = None if self.interval is None else self.interval.level
        if level is None or math.isnan(p_value) or p_value > 1 - level:
            return Verdict.INCONCLUSIVE
        return Verdict.BETTER if (self.difference > 0) == (self.direction == "higher") else Verdict.WORSE

    @property
    def tested_p(self) -> float:
        """The p-value that decides: the corrected one, if `corrected` was called."""
        return self.p_value if self.p_adjusted is None else self.p_adjusted

    @property
    def stated_difference(self) -> float:
        """The difference that sample sizes are given for.

        The margin; without one 2 % of the measure's range (0.02 for scores from 0 to 1); without bounds 2 %
        of the larger value, rounded to one digit. NaN if both values are 0 or unknown.
        """
        if self.margin is not None:
            return self.margin
        if math.isfinite(self.span):
            return STATED_SHARE * self.span
        share = STATED_SHARE * max(abs(self.first_value), abs(self.second_value))
        return float(f"{share:.0e}") if 0 < share < math.inf else math.nan

    def items_needed(self, difference: float, power: float = POWER) -> int | None:
        """Estimate how many items (or clusters) detect a difference of that size.

        With that many, a true difference of that size is detected with probability `power` at this level, and
        without a difference a loss of that size is ruled out with the same probability. This is for one test
        without correction and for items that vary as much as those compared here. If few items differ, exact
        tests need more: 81 items detect a rate of 0.9 against 0.8 in 63 %, 2,009 detect 0.82 in 79 %.

        Formula: ceil(units * ((z(1 - alpha / 2) + z(power)) * standard error / difference) ** 2), where
            units are the items or clusters of this comparison, so that standard error * sqrt(units) is the
            standard deviation per unit
        Source: Miller (2024), Adding Error Bars to Evals, section 5; the standard formula for paired means.

        Args:
            difference: the size of the difference, in the units of the measure.
            power: the probability of detecting it, above 0 and below 1.

        Returns:
            A number of items or clusters, at least 2; None if the standard error is unknown or 0.

        Raises:
            InputError: if the difference is not a positive number, or the power not a probability.
        """
        if not 0 < difference < math.inf:
            raise InputError(f"difference={difference!r} is not a positive number")
        if not 0 < power < 1:
            raise InputError(f"power={power!r} must lie between 0 and 1; give e.g. 0.8")
        if self.interval is None or not 0 < self.standard_error < math.inf:
            return None
        quantiles = normal_quantile((1 + self.interval.level) / 2) + normal_quantile(power)
        return max(2, math.ceil(self.units * (quantiles * self.standard_error / difference) ** 2))

    @property
    def needed(self) -> int | None:
        """`items_needed` for the stated difference; None if either is unknown."""
        stated = self.stated_difference
        return None if math.isnan(stated) else self.items_needed(stated)

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data; unknown and infinite numbers are None."""
        data: dict[str, Any] = {"verdict": self.verdict.value}
        for name, value in vars(self).items():
            data[name] = finite(value) if isinstance(value, float) else value
        del data["span"]
        for name in ("interval", "narrow", "guarded"):
            limits: Interval | None = getattr(self, name)
            data[name] = None if limits is None else limits.to_dict()
        return {**data, "stated_difference": finite(self.stated_difference), "items_needed": self.needed}


def corrected(comparisons: list[Comparison]) -> list[Comparison]:
    """Correct the p-values of comparisons by Holm.

    Pass all tests of a report, over all measures and all pairs of runs, in one call.
    """
    adjusted = holm([comparison.p_value for comparison in comparisons]).tolist()
    pairs = zip(comparisons, adjusted, strict=True)
    return [replace(comparison, p_adjusted=p_value) for comparison, p_value in pairs]
