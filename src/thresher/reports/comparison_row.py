"""One metric of one run against the baseline."""

from dataclasses import dataclass
from typing import Any

from thresher.kernels.inference import Comparison
from thresher.kernels.inference.interval import finite

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
    """

    baseline: str
    run: str
    found: Comparison
    withheld: str | None = None
    part: str | None = None

    @property
    def metric(self) -> str:
        """Name of the metric."""
        return self.found.measure

    @property
    def verdict(self) -> str | None:
        """`better`, `worse`, `equivalent` or `inconclusive`; None where it is withheld."""
        return None if self.withheld else self.found.verdict.value

    @property
    def gain(self) -> float:
        """The difference, positive where the run is better."""
        return self.found.difference if self.found.direction == "higher" else -self.found.difference

    @property
    def sentence(self) -> str:
        """The outcome in one plain sentence."""
        where = "" if self.part is None else f"{self.part}: "
        if self.withheld:
            return f"{where}{self.metric}: no verdict, because {WITHHELD[self.withheld]}."
        return where + self.found.sentence

    def to_dict(self) -> dict[str, Any]:
        """JSON data."""
        told = self.found.to_dict()
        for name in ("measure", "first_value", "second_value", "verdict"):
            told.pop(name)
        head = {"metric": self.metric, "baseline": self.baseline, "run": self.run}
        values = {"baseline_value": self.found.first_value, "run_value": self.found.second_value}
        outcome = {"verdict": self.verdict, "withheld": self.withheld, "sentence": self.sentence}
        part = {} if self.part is None else {"slice": self.part}
        return {**part, **head, **{name: finite(each) for name, each in values.items()}, **told, **outcome}
