"""What a comparison of two runs says about one measure."""

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from thresher.kernels.inference.corrections import holm
from thresher.kernels.inference.interval import Interval, finite
from thresher.results import Direction

POWER = 0.8
FEWEST_EQUIVALENT = 10
"""With fewer independent items nothing is equivalent without a margin: they could detect too little."""


class Verdict(StrEnum):
    """Four things that a comparison can say; none of them is silence about the sample's size."""

    BETTER = "better"
    """The second run is better, and chance is no good explanation."""
    WORSE = "worse"
    """The second run is worse, and chance is no good explanation."""
    EQUIVALENT = "equivalent"
    """Whatever the difference is, it lies within the margin."""
    INCONCLUSIVE = "inconclusive"
    """Neither can be said on these items."""


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
        standard_error: of the difference; NaN where it is unknown.
        interval: of the difference; None with fewer than two independent units.
        narrow: interval of level 1 - 2 (1 - level), 90 % for 95 %, which decides about equivalence.
        p_value: two-sided, of there being no difference; NaN where there is no test.
        test: the name of the test.
        p_adjusted: the p-value corrected for all tests made; None until `corrected` has been called.
        effect: size of the effect; NaN where there is none to tell.
        effect_kind: `d_z` (mean difference in standard deviations of the differences) or `odds`
            (items that only the second run gets right per item that only the first gets right).
        wins: items on which the second run is better; None where items have no scores.
        ties: items on which they score the same.
        losses: items on which the second run is worse.
        detectable: the smallest difference that such a comparison finds with 80 % power.
        margin: differences within it do not matter: the given one, else the detectable one.
        margin_given: whether the margin was given.
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
    margin: float
    margin_given: bool
    p_adjusted: float | None = None

    @property
    def verdict(self) -> Verdict:
        """Equivalent if the narrow interval lies within the margin, else better or worse by the p-value.

        The first is the two one-sided tests procedure (Schuirmann 1987). A difference that is there for
        certain but lies within a margin that was given is equivalent: the margin says it does not matter.
        Fewer than ten items (or clusters) are equivalent only within a margin that was given.
        """
        if self.interval is None or self.narrow is None:
            return Verdict.INCONCLUSIVE
        enough = self.margin_given or (self.clusters or self.items) >= FEWEST_EQUIVALENT
        if enough and self.narrow.within(-self.margin, self.margin):
            return Verdict.EQUIVALENT
        p_value = self.p_value if self.p_adjusted is None else self.p_adjusted
        if math.isnan(p_value) or p_value > 1 - self.interval.level or self.difference == 0:
            return Verdict.INCONCLUSIVE
        return Verdict.BETTER if (self.difference > 0) == (self.direction == "higher") else Verdict.WORSE

    @property
    def sentence(self) -> str:
        """The verdict in one plain sentence."""
        verdict = self.verdict
        items = "1 item" if self.items == 1 else f"{self.items} items"
        if verdict is Verdict.EQUIVALENT:
            if self.wins == self.losses == 0 and self.difference == 0:
                return f"{self.measure}: equivalent, no item differs, over {items}."
            told = "" if self.margin_given else " (the smallest detectable difference; no margin was given)"
            return f"{self.measure}: equivalent within {self.margin:.3g}{told} over {items}."
        if verdict is Verdict.INCONCLUSIVE:
            needed = f"; a difference below {self.detectable:.3g} would mostly go unseen here"
            told = "" if math.isnan(self.detectable) else needed
            return f"{self.measure}: inconclusive over {items}{told}."
        limits = "" if self.interval is None else f" ({self.interval.low:+.3g} to {self.interval.high:+.3g})"
        return f"{self.measure}: {verdict} by {abs(self.difference):.3g}{limits} over {items}."

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data; what is unknown or infinite is None."""
        told: dict[str, Any] = {"verdict": self.verdict.value}
        for name, value in vars(self).items():
            told[name] = finite(value) if isinstance(value, float) else value
        for name in ("interval", "narrow"):
            found: Interval | None = getattr(self, name)
            told[name] = None if found is None else found.to_dict()
        return told


def corrected(comparisons: list[Comparison]) -> list[Comparison]:
    """The same comparisons with p-values corrected by Holm for all of them.

    Give all tests that a report makes, over all measures and all pairs of runs, at once.
    """
    adjusted = holm([comparison.p_value for comparison in comparisons]).tolist()
    return [replace(each, p_adjusted=p_value) for each, p_value in zip(comparisons, adjusted, strict=True)]
