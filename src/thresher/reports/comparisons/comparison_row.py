"""One metric of one run against the baseline."""

import math
from dataclasses import dataclass
from typing import Any, Literal

from thresher.kernels.inference import Comparison
from thresher.kernels.inference.digits import Digits
from thresher.kernels.inference.interval import finite
from thresher.kernels.inference.verdict_sentence import (
    digits_of,
    level_name,
    short_sample_size,
    verdict_sentence,
)
from thresher.reports.rendering.numbers import p_text, significant

Role = Literal["primary", "requested", "secondary"]
"""Primary and requested measures are tested; secondary ones are shown with their interval only."""
FEW = "too few items"
WITHHELD = {
    "other data": "the runs stand on different data",
    "other settings": "its settings differ",
    FEW: "these are too few items",
}


@dataclass(frozen=True)
class ComparisonRow:
    """A comparison, and between whom.

    Attributes:
        baseline: name of the first run.
        run: name of the run that is compared with it.
        found: the comparison's result.
        withheld: why there is no verdict; None if there is one.
        part: the slice that it covers; None for all items.
        role: whether the measure is tested; a secondary one has no verdict.
    """

    baseline: str
    run: str
    found: Comparison
    withheld: str | None = None
    part: str | None = None
    role: Role = "primary"

    @property
    def metric(self) -> str:
        """Name of the metric."""
        return self.found.measure

    @property
    def verdict(self) -> str | None:
        """`better`, `worse`, `equivalent` or `inconclusive`; None where it is withheld or not tested."""
        return None if self.withheld or not self.tested else self.found.verdict.value

    @property
    def tested(self) -> bool:
        """Whether the measure belongs to the family of tests; a secondary one does not."""
        return self.role != "secondary"

    @property
    def compared(self) -> bool:
        """Whether there is a difference at all; without one `withheld` says why not."""
        return not math.isnan(self.found.difference)

    @property
    def gain(self) -> float:
        """The difference, positive where the run is better."""
        return self.found.difference if self.found.direction == "higher" else -self.found.difference

    @property
    def sentence(self) -> str:
        """The outcome in one plain sentence."""
        where = "" if self.part is None else f"{self.part}: "
        if self.withheld and self.withheld not in WITHHELD:
            return f"{where}{self.metric}: not compared: {self.withheld}."
        if not self.tested:
            return f"{where}{self.metric}: {_shown(self.found)}; secondary, no verdict."
        if self.withheld:
            return f"{where}{self.metric}: no verdict, because {WITHHELD[self.withheld]}."
        return where + verdict_sentence(self.found)

    @property
    def why(self) -> str:
        """What the verdict is based on, in a few words."""
        verdict, found = self.verdict, self.found
        if verdict is None:
            return self.withheld or ""
        if found.interval is None:
            return "too few items" if found.units < 2 else "no interval"  # noqa: PLR2004
        if verdict == "equivalent" and found.narrow is not None and found.margin is not None:
            digits = Digits.of(intervals=[found.narrow], bars=[-found.margin, found.margin])
            limits = f"[{digits.limits(found.narrow, signed=True).replace(' to ', ', ')}]"
            also = "" if found.shown == "inconclusive" else f"; {found.shown}, {p_text(found.tested_p)}"
            return f"{level_name(found.narrow)} {limits} within {significant(found.margin)}{also}"
        if verdict != "inconclusive":
            return p_text(found.tested_p)
        same = found.wins == 0 == found.losses and found.difference == 0
        margin = "" if found.margin is None else f"margin {significant(found.margin)}"
        reasons = ("no item differs" if same else p_text(found.tested_p), margin, short_sample_size(found))
        return "; ".join(filter(None, reasons))

    @property
    def brief(self) -> str:
        """`why` for a narrow table: the p-value, the margin, or nothing."""
        if self.found.margin is not None and self.verdict in ("equivalent", "inconclusive"):
            word = "within" if self.verdict == "equivalent" else "margin"
            return f"{word} {significant(self.found.margin)}"
        return self.why.split(";")[0].removeprefix("no item differs")

    def to_dict(self) -> dict[str, Any]:
        """JSON data."""
        told = self.found.to_dict()
        for name in ("measure", "first_value", "second_value", "verdict"):
            told.pop(name)
        head = {"metric": self.metric, "role": self.role, "baseline": self.baseline, "run": self.run}
        values = {"baseline_value": self.found.first_value, "run_value": self.found.second_value}
        outcome = {"verdict": self.verdict, "withheld": self.withheld}
        outcome |= {"why": self.why, "sentence": self.sentence}
        part = {} if self.part is None else {"slice": self.part}
        return {**part, **head, **{name: finite(each) for name, each in values.items()}, **told, **outcome}


def _shown(found: Comparison) -> str:
    """A difference with its interval and number of items."""
    digits = digits_of(found)
    limits = "" if found.interval is None else f" ({digits.limits(found.interval, signed=True)})"
    change = digits.value(found.difference, signed=True)
    return f"{change}{limits} over {found.items} {'item' if found.items == 1 else 'items'}"
