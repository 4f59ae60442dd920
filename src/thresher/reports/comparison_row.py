"""One metric of one run against the baseline."""

from dataclasses import dataclass
from typing import Any, Literal

from thresher.kernels.inference import Comparison
from thresher.kernels.inference.interval import finite

Role = Literal["primary", "requested", "secondary"]
"""Primary and requested measures are tested; secondary ones are shown with their interval only."""
FEW = "too few items"
WITHHELD = {
    "other data": "the runs stand on different data",
    "other settings": "its settings differ",
    FEW: "these are too few items",
}


@dataclass(frozen=True)
class Row:
    """A comparison, and between whom.

    Attributes:
        baseline: name of the first run.
        run: name of the run that is compared with it.
        found: the difference and all that is known of it.
        withheld: why there is no verdict; None if there is one.
        part: the slice that it stands on; None for all items.
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
    def gain(self) -> float:
        """The difference, positive where the run is better."""
        return self.found.difference if self.found.direction == "higher" else -self.found.difference

    @property
    def sentence(self) -> str:
        """The outcome in one plain sentence."""
        where = "" if self.part is None else f"{self.part}: "
        if not self.tested:
            return f"{where}{self.metric}: {_shown(self.found)}; secondary, no verdict."
        if self.withheld:
            return f"{where}{self.metric}: no verdict, because {WITHHELD[self.withheld]}."
        return where + self.found.sentence

    def to_dict(self) -> dict[str, Any]:
        """JSON data."""
        told = self.found.to_dict()
        for name in ("measure", "first_value", "second_value", "verdict"):
            told.pop(name)
        head = {"metric": self.metric, "role": self.role, "baseline": self.baseline, "run": self.run}
        values = {"baseline_value": self.found.first_value, "run_value": self.found.second_value}
        outcome = {"verdict": self.verdict, "withheld": self.withheld, "sentence": self.sentence}
        part = {} if self.part is None else {"slice": self.part}
        return {**part, **head, **{name: finite(each) for name, each in values.items()}, **told, **outcome}


def _shown(found: Comparison) -> str:
    """A difference with its interval and number of items."""
    limits = "" if found.interval is None else f" ({found.interval.low:+.3g} to {found.interval.high:+.3g})"
    return f"{found.difference:+.3g}{limits} over {found.items} {'item' if found.items == 1 else 'items'}"
