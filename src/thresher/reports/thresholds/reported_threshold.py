"""One threshold that was found, and what it does, in a sentence."""

import math
from dataclasses import dataclass

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
class FoundThreshold:
    """A threshold and what it was chosen from.

    Attributes:
        name: of the scores.
        chosen: the threshold and its quality on both parts.
        entries: labelled entries that it was chosen on.
        others: labelled entries that it is told on.
        objective: what it was chosen for.
    """

    name: str
    chosen: ChosenThreshold
    entries: int
    others: int
    objective: Objective

    @property
    def told(self) -> Quality:
        """The quality to believe: on the items that it was not chosen on, as far as there are any."""
        return self.chosen.reported or self.chosen.chosen

    @property
    def cost(self) -> float | None:
        """What the threshold costs per entry, where costs were given."""
        if not isinstance(self.objective, LeastCost):
            return None
        told = self.told
        return self.objective.per_item(told.tp, told.fp, told.fn, told.tn)

    @property
    def sentence(self) -> str:
        """What is called positive, how good that is, and whether a floor that was asked for is kept."""
        if not math.isfinite(self.chosen.threshold):
            return f"{self.name}: nothing should be called positive."
        sign = ">=" if self.chosen.direction == "higher" else "<="
        values, beta = self.told.values, self.told.beta
        named = {"precision": values["precision"], "recall": values["recall"], f"F{beta:g}": values["f"]}
        rates = [f"{name} {significant(value, missing=_UNKNOWN)}" for name, value in named.items()]
        if self.cost is not None:
            rates.append(f"cost {significant(self.cost)} per entry")
        entries = self.others if self.chosen.reported else self.entries
        told = f"{', '.join(rates)} on {entries} labelled entries"
        return (
            f"{self.name} {sign} {significant(self.chosen.threshold, 4)} is positive: {told}.{self._floor()}"
        )

    def _floor(self) -> str:
        """Where a floor was kept to choose, whether it is kept on the other items, too."""
        if isinstance(self.objective, PrecisionAtRecall):
            name, floor = "recall", self.objective.recall
        elif isinstance(self.objective, RecallAtPrecision):
            name, floor = "precision", self.objective.precision
        else:
            return ""
        value, limits = self.told.values[name], self.told.intervals[name]
        if self.chosen.reported is None or limits is None:
            return ""
        if value < floor:
            return f" There, {name} misses the floor of {floor:g} that it kept where it was chosen."
        if limits.low < floor:
            return f" The interval of {name} reaches below the floor of {floor:g}."
        return ""
