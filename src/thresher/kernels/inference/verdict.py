"""The verdict of a comparison of two runs for one measure."""

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from thresher.errors import InputError
from thresher.kernels.inference.corrections import holm
from thresher.kernels.inference.distributions import normal_quantile
from thresher.kernels.inference.interval import Interval, finite
from thresher.kernels.inference.sample_sizes import FEWEST_DIFFERING, POWER, SURE, SampleSize
from thresher.results import Direction

STATED_SHARE = 0.02
"""Without a margin, sample sizes are given for a difference of this share of the measure's range.
It is an example of a small difference; no verdict depends on it."""


class Verdict(StrEnum):
    """The outcomes of a comparison; `equivalent` and `tolerated` need a margin from the user."""

    BETTER = "better"
    """The second run is shown to be better."""
    WORSE = "worse"
    """The second run is shown to be worse."""
    LIKELY_BETTER = "likely better"
    """The visible spread shows it; total failures too rare to occur among these items could undo it."""
    LIKELY_WORSE = "likely worse"
    """The same for a loss."""
    TOLERATED = "tolerated"
    """The second run is shown to be worse, by less than the margin."""
    EQUIVALENT = "equivalent"
    """The difference is within the margin on both sides."""
    UNCHANGED = "unchanged"
    """Both runs gave the same answers, so nothing changed on these items."""
    UNLESS = "unless"
    """The scores show one of the others, unless those that are missing are bad."""
    INCONCLUSIVE = "inconclusive"
    """These items show none of the others."""


@dataclass(frozen=True)
class Missing:
    """What missing scores could make of a comparison.

    Attributes:
        scores: number of items that lack a score in one of the runs.
        verdict: what the others show.
        difference: the difference if the missing scores are as bad as they can be for the run that leads.
    """

    scores: int
    verdict: Verdict
    difference: float

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data."""
        return {"scores": self.scores, "verdict": self.verdict.value, "difference": self.difference}


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
        interval: of the difference; None with fewer than two independent units, and if all items differ by the
            same amount and the measure has no bounds.
        narrow: interval of level 1 - 2 (1 - level), 90 % for 95 %, by the same rule. It decides about
            equivalence.
        p_value: two-sided, for no difference; NaN without a test.
        far_p_value: the same, right also far below 1 - level; a family of tests corrects this one.
        visible_p: the p-value if the items show all spread there is; NaN where `p_value` rests on that, too.
        effect: size of the effect; NaN if undefined.
        effect_kind: `d_z` (mean difference in standard deviations of the differences) or `odds`
            (items that only the second run gets right per item that only the first gets right).
        detectable: the smallest difference that such a comparison detects with 80 % power.
        margin: the user's largest difference between equivalent runs; None without one.
        span: the largest difference that the measure's bounds allow; infinite without bounds.
        wins: items on which the second run is better; None if items have no scores.
        ties: items on which they score the same.
        losses: items on which the second run is worse.
        p_adjusted: the p-value corrected for all tests; None until `corrected` is called.
        visible_adjusted: `visible_p` corrected likewise.
        variances: the smallest and the largest variance of a unit's difference that these units leave open (80 %);
            None if unknown.
        unchanged: whether both runs gave the same answers to all items.
        missing: what missing scores could make of the verdict; None where they change nothing.
        lost: number of items that lack a score in one of the runs.
        if_lost_are: the difference if their scores are bad, and if they are good, for the second run; None if unknown.
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
    far_p_value: float
    visible_p: float
    effect: float
    effect_kind: str | None
    detectable: float
    margin: float | None
    span: float
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    p_adjusted: float | None = None
    visible_adjusted: float | None = None
    variances: tuple[float, float] | None = None
    unchanged: bool = False
    missing: Missing | None = None
    lost: int = 0
    if_lost_are: tuple[float, float] | None = None

    @property
    def units(self) -> int:
        """Independent units: clusters where there are any, else items."""
        return self.items if self.clusters is None else self.clusters

    @property
    def verdict(self) -> Verdict:
        """What these items show.

        Equivalence is two one-sided tests (Schuirmann 1987), each at level 1 - `interval.level`. A shown gain
        within the margin counts as equivalent, because the margin says that it does not matter; a shown loss is
        tolerated. Without a margin no runs are equivalent: a missing difference does not prove equality.
        """
        if self.unchanged:
            return Verdict.UNCHANGED
        if self.missing is not None:
            return Verdict.UNLESS
        if self.interval is None or self.narrow is None:
            return Verdict.INCONCLUSIVE
        shown = self.shown
        if self.margin is not None and self.narrow.within(-self.margin, self.margin) and not self.undecided:
            return Verdict.TOLERATED if shown == Verdict.WORSE else Verdict.EQUIVALENT
        return shown if shown != Verdict.INCONCLUSIVE else self.likely

    @property
    def undecided(self) -> bool:
        """Whether there are too few items for any verdict."""
        return math.isnan(self.p_value)

    @property
    def shown(self) -> Verdict:
        """Better or worse by the (corrected) p-value alone, whatever the margin; else inconclusive."""
        return self._by(self.tested_p, Verdict.BETTER, Verdict.WORSE)

    @property
    def likely(self) -> Verdict:
        """Likely better or worse by the (corrected) p-value of the visible spread; else inconclusive."""
        p_value = self.visible_p if self.visible_adjusted is None else self.visible_adjusted
        return self._by(p_value, Verdict.LIKELY_BETTER, Verdict.LIKELY_WORSE)

    def _by(self, p_value: float, better: Verdict, worse: Verdict) -> Verdict:
        level = None if self.interval is None else self.interval.level
        if level is None or math.isnan(p_value) or p_value > 1 - level:
            return Verdict.INCONCLUSIVE
        return better if (self.difference > 0) == (self.direction == "higher") else worse

    @property
    def tested_p(self) -> float:
        """The p-value that decides: the corrected one, if `corrected` was called."""
        return self.p_value if self.p_adjusted is None else self.p_adjusted

    @property
    def undoing_share(self) -> float:
        """Share of items whose total failure would undo the difference; NaN without bounds.

        Formula: g / (g + r) for the gain g and the range r: each such item turns its gain into a loss of the range
        """
        size = abs(self.difference)
        return size / (size + self.span) if math.isfinite(self.span) and size else math.nan

    @property
    def excluding_units(self) -> tuple[int, int] | None:
        """Items (or clusters) that would show such failures, if there are any, in all but 5 % of samples.

        A range, for the gains that these items leave open (80 %); None if fewer than 10 differ.

        Formula: ln(1 / (1 - level)) * r / g, 3 r / g for 95 %: the least number from which a gain g of all items
            is shown (the rule of three)
        """
        if self.interval is None or math.isnan(self.undoing_share) or self._few_differ:
            return None
        size, error = abs(self.difference), normal_quantile((1 + SURE) / 2) * self.standard_error
        if not error < size:
            return None
        most = -math.log(1 - self.interval.level) * self.span
        return math.ceil(most / (size + error)), math.ceil(most / (size - error))

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

    def items_needed(self, difference: float, power: float = POWER) -> SampleSize | None:
        """Estimate how many items (or clusters) show a difference of that size; see `SampleSize.of`.

        This is for one test without correction and for items that vary as much as those compared here. If few
        items differ, exact tests need more: 81 items detect a rate of 0.9 against 0.8 in 63 %, 2,009 detect
        0.82 in 79 %.

        Args:
            difference: the size of the difference, in the units of the measure.
            power: the probability of detecting it, above 0 and below 1.

        Returns:
            A range of numbers of items or clusters; None if their spread is unknown or 0.

        Raises:
            InputError: if the difference is not a positive number, or the power not a probability.
        """
        if not 0 < difference < math.inf:
            raise InputError(f"difference={difference!r} is not a positive number")
        if not 0 < power < 1:
            raise InputError(f"power={power!r} must lie between 0 and 1; give e.g. 0.8")
        if self.interval is None or self.variances is None:
            return None
        options = {"level": self.interval.level, "power": power}
        return SampleSize.of(difference, self.variances, self.span, **options, few=self._few_differ)

    @property
    def _few_differ(self) -> bool:
        """Whether so few items differ that they say nothing about how many would be needed."""
        return (
            self.wins is not None and self.losses is not None and self.wins + self.losses < FEWEST_DIFFERING
        )

    @property
    def unchanged_share(self) -> float:
        """The largest share of other items whose answers may change although none of these did.

        Formula: 1 - 0.05^(1/n) of n units: the upper limit of a rate of 0 of n at 95 %, with mid-p
        Source: Lancaster (1961), Significance Tests in Discrete Distributions, for mid-p.
        """
        return float(1 - 0.05 ** (1 / self.units))

    @property
    def needed(self) -> tuple[int, int] | None:
        """`items_needed` for the stated difference; None if either is unknown, or fewer than 10 items differ."""
        stated = self.stated_difference
        size = None if math.isnan(stated) else self.items_needed(stated)
        return None if size is None or size.low is None else (size.low, size.high)

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data; unknown and infinite numbers are None."""
        data: dict[str, Any] = {"verdict": self.verdict.value}
        for name, value in vars(self).items():
            data[name] = finite(value) if isinstance(value, float) else value
        for name in ("span", "far_p_value", "visible_p", "variances"):
            del data[name]
        data["missing"] = None if self.missing is None else self.missing.to_dict()
        for name in ("interval", "narrow"):
            limits: Interval | None = getattr(self, name)
            data[name] = None if limits is None else limits.to_dict()
        return {**data, "stated_difference": finite(self.stated_difference), "items_needed": self.needed}


def corrected(comparisons: list[Comparison]) -> list[Comparison]:
    """Correct the p-values of comparisons by Holm.

    Pass all tests of a report, over all measures and all pairs of runs, in one call.
    """
    several = sum(not math.isnan(comparison.p_value) for comparison in comparisons) > 1
    tested = holm([one.far_p_value if several else one.p_value for one in comparisons]).tolist()
    visible = holm([one.visible_p for one in comparisons]).tolist()
    return [
        replace(one, p_adjusted=p_value, visible_adjusted=likely)
        for one, p_value, likely in zip(comparisons, tested, visible, strict=True)
    ]
