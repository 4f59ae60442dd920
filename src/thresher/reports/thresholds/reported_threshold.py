"""One threshold and what it does, in a sentence."""

import math
from dataclasses import dataclass

from thresher.counted import counted
from thresher.kernels.inference import (
    ChosenThreshold,
    LeastCost,
    PrecisionAtRecall,
    Quality,
    RecallAtPrecision,
)
from thresher.kernels.inference.objectives import Objective
from thresher.reports.rendering.numbers import significant

_UNKNOWN = "unknown (0/0)"


@dataclass(frozen=True)
class ReportedThreshold:
    """A threshold and what it was chosen from.

    Attributes:
        name: of the scores.
        chosen: the threshold and its quality on both parts.
        entries: labelled entries that it was chosen on.
        others: labelled entries that it is reported on.
        objective: what it was chosen for.
    """

    name: str
    chosen: ChosenThreshold
    entries: int
    others: int
    objective: Objective

    @property
    def quality(self) -> Quality:
        """The quality to believe: on the items that it was not chosen on, if there are any."""
        return self.chosen.reported or self.chosen.chosen

    @property
    def cost(self) -> float | None:
        """The cost of the threshold per entry; None where no costs were given."""
        if not isinstance(self.objective, LeastCost):
            return None
        quality = self.quality
        return self.objective.per_item(quality.tp, quality.fp, quality.fn, quality.tn)

    @property
    def sentence(self) -> str:
        """What is called positive, how good that is, and whether a requested floor is met."""
        if not math.isfinite(self.chosen.threshold):
            return f"{self.name}: nothing should be called positive."
        sign = ">=" if self.chosen.direction == "higher" else "<="
        values, beta = self.quality.values, self.quality.beta
        named = {"precision": values["precision"], "recall": values["recall"], f"F{beta:g}": values["f"]}
        rates = [f"{name} {significant(value, missing=_UNKNOWN)}" for name, value in named.items()]
        if self.cost is not None:
            rates.append(f"cost {significant(self.cost)} per entry")
        entries = self.others if self.chosen.reported else self.entries
        cut = f"{self.name} {sign} {significant(self.chosen.threshold, 4)} is positive"
        return (
            f"{cut}: {', '.join(rates)} on "
            f"{counted(entries, 'labelled entry', 'labelled entries')}.{self._floor()}"
        )

    def _floor(self) -> str:
        """Whether a floor that the threshold was chosen for is also met on the other items."""
        if isinstance(self.objective, PrecisionAtRecall):
            name, floor = "recall", self.objective.recall
        elif isinstance(self.objective, RecallAtPrecision):
            name, floor = "precision", self.objective.precision
        else:
            return ""
        value, limits = self.quality.values[name], self.quality.intervals[name]
        if self.chosen.reported is None or limits is None:
            return ""
        if value < floor:
            return (
                f" There, {name} misses the floor of {floor:g} that it meets where the threshold was chosen."
            )
        if limits.low < floor:
            return f" The interval of {name} reaches below the floor of {floor:g}."
        return ""
