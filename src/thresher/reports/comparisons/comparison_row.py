"""One metric of one run against the baseline."""

import math
from dataclasses import dataclass
from typing import Any, Literal

from thresher.counted import counted
from thresher.kernels.inference import Comparison, Interval
from thresher.kernels.inference.digits import Digits
from thresher.kernels.inference.interval import finite
from thresher.kernels.inference.spread import FEWEST_FOR_VERDICTS
from thresher.kernels.inference.verdict_sentence import (
    about,
    digits_of,
    level_name,
    short_sample_size,
    unless,
    verdict_sentence,
)
from thresher.reports.rendering.numbers import significant
from thresher.reports.runs.looks import NO_LOOK, UNFINISHED

Role = Literal["primary", "requested", "secondary"]
"""Primary and requested measures are tested; secondary ones are shown with their interval only."""
FEW = "too few items"
WITHHELD = {
    "other data": "the runs were evaluated on different data",
    "other settings": "its settings differ",
    UNFINISHED: NO_LOOK,
    FEW: "these are too few items",
}


@dataclass(frozen=True)
class ComparisonRow:
    """A comparison, and between whom.

    Attributes:
        baseline: name of the first run.
        run: name of the run that is compared with it.
        comparison: the difference with its interval and tests.
        withheld: why there is no verdict; None if there is one.
        part: the slice, label or keypoint that it covers; None for all items.
        role: whether the measure is tested; a secondary one has no verdict.
        rule: the published rule that the measure follows; may be empty.
        part_kind: what `part` is.
    """

    baseline: str
    run: str
    comparison: Comparison
    withheld: str | None = None
    part: str | None = None
    role: Role = "primary"
    rule: str = ""
    part_kind: Literal["slice", "label", "keypoint"] = "slice"

    @property
    def metric(self) -> str:
        """Name of the metric."""
        return self.comparison.measure

    @property
    def verdict(self) -> str | None:
        """A `Verdict`; None where it is withheld or not tested."""
        return None if self.withheld or not self.tested else self.comparison.verdict.value

    @property
    def tested(self) -> bool:
        """Whether the measure belongs to the family of tests; a secondary one does not."""
        return self.role != "secondary"

    @property
    def compared(self) -> bool:
        """Whether there is a difference at all; without one `withheld` says why not."""
        return not math.isnan(self.comparison.difference)

    @property
    def gain(self) -> float:
        """The difference, positive where the run is better."""
        return (
            self.comparison.difference
            if self.comparison.direction == "higher"
            else -self.comparison.difference
        )

    @property
    def sentence(self) -> str:
        """The outcome in one plain sentence."""
        where = "" if self.part is None else f"{self.part}: "
        if self.withheld and self.withheld not in WITHHELD:
            return f"{where}{self.metric}: not compared: {self.withheld}."
        if not self.tested:
            return f"{where}{self.metric}: {_shown(self.comparison)}; secondary, no verdict."
        if self.withheld:
            return f"{where}{self.metric}: no verdict, because {WITHHELD[self.withheld]}."
        return where + verdict_sentence(self.comparison)

    @property
    def why(self) -> str:  # noqa: PLR0911  (one return a verdict)
        """What the verdict is based on, in a few words."""
        verdict, change = self.verdict, self.comparison
        if verdict is None:
            return self.withheld or ""
        if change.interval is None:
            return "too few items" if change.units < 2 else "no interval"  # noqa: PLR2004
        if verdict == "unchanged":
            return "identical answers"
        if change.missing is not None:
            return unless(change.missing)
        if verdict in ("equivalent", "tolerated") and change.narrow is not None and change.margin is not None:
            limits = _limits(change.narrow, change.margin)
            also = "" if change.shown == "inconclusive" else f"; {change.shown}"
            return f"{level_name(change.narrow)} {limits} within {significant(change.margin)}{also}"
        if verdict.startswith("likely"):
            units = change.excluding_units
            return "" if units is None else f"{about(units)} items in all would show it"
        if verdict != "inconclusive":
            return ""
        if change.undecided:
            return f"fewer than {FEWEST_FOR_VERDICTS} items, no bounds"
        same = change.wins == 0 == change.losses and change.difference == 0
        margin = "" if change.margin is None else f"margin {significant(change.margin)}"
        needs = short_sample_size(change)
        corrected = change.p_adjusted is not None and not change.interval.low <= 0 <= change.interval.high
        reasons = (
            "no item differs" if same else "corrected for all tests" if corrected else "",
            margin,
            needs,
        )
        return "; ".join(filter(None, reasons))

    @property
    def brief(self) -> str:
        """`why` for a narrow table: the margin, or nothing."""
        if self.comparison.margin is not None and self.verdict in ("equivalent", "tolerated", "inconclusive"):
            word = "margin" if self.verdict == "inconclusive" else "within"
            return f"{word} {significant(self.comparison.margin)}"
        return self.why.split(";")[0].removeprefix("no item differs")

    def to_dict(self) -> dict[str, Any]:
        """Return JSON data."""
        facts = self.comparison.to_dict()
        for name in ("measure", "first_value", "second_value", "verdict"):
            facts.pop(name)
        head = {"metric": self.metric, "role": self.role, "baseline": self.baseline, "run": self.run}
        head |= {"rule": self.rule} if self.rule else {}
        outcome = {"verdict": self.verdict, "withheld": self.withheld}
        outcome |= {"why": self.why, "sentence": self.sentence}
        part: dict[str, Any] = {} if self.part is None else {self.part_kind: self.part}
        values = {"baseline_value": self.comparison.first_value, "run_value": self.comparison.second_value}
        return {**part, **head, **{name: finite(value) for name, value in values.items()}, **facts, **outcome}


def _limits(interval: Interval, margin: float) -> str:
    """An interval in brackets, with the decimals that show on which side of the margin its ends are."""
    digits = Digits.of(intervals=[interval], bars=[-margin, margin])
    return f"[{digits.limits(interval, signed=True).replace(' to ', ', ')}]"


def _shown(change: Comparison) -> str:
    """A difference with its interval and number of items."""
    digits = digits_of(change)
    limits = "" if change.interval is None else f" ({digits.limits(change.interval, signed=True)})"
    difference = digits.value(change.difference, signed=True)
    return f"{difference}{limits} over {counted(change.items, 'item')}"
