"""The value at the best threshold: of all labels pooled, of their mean, and with a threshold for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import BestF
from thresher.kernels.inference.objectives import Objective
from thresher.kernels.thresholds.choice import (
    OBJECTIVES,
    Floor,
    Goal,
    best_of_labels,
    best_pooled,
    macro_values,
    strictest,
)
from thresher.kernels.thresholds.decisions import RankedDecisions, ranked_decisions
from thresher.results import Label, Reduction, Statistics

Floats = npt.NDArray[np.float64]
Average = Literal["micro", "macro", "per_label"]
_FLOORED = {"recall_at_precision": "precision", "precision_at_recall": "recall"}


@dataclass(frozen=True)
class BestThreshold(Reduction):
    """The highest F-beta, or the best precision or recall at a floor of the other, over all thresholds.

    Attributes:
        goal: what is highest.
        number: beta of F, or the floor.
        average: `micro` pools the counts of all labels; `macro` is the mean F over labels at one threshold;
            `per_label` the mean of the labels' values, each at a threshold of its own.
    """

    kind: ClassVar[str] = "best_threshold"
    goal: Goal = "f"
    number: float = 1.0
    average: Average = "micro"

    @property
    def objective(self) -> BestF | Floor:
        """What the threshold is chosen for."""
        return OBJECTIVES[self.goal](self.number)

    @property
    def lacks(self) -> str:
        """A threshold that keeps the floor, or anything true."""
        if self.goal == "f":
            return "no true label or object"
        return f"no threshold keeps {_FLOORED[self.goal]} at {self.number:g} or above"

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The value at the best threshold; NaN without a true label, or if no threshold keeps the floor."""
        return best_value(ranked_decisions(statistics), self.objective, self.average, weights)

    def label_names(self, statistics: Statistics) -> Sequence[Label] | None:
        """All labels, if each has a threshold of its own."""
        return statistics.labels if self.average == "per_label" else None

    def by_label(self, statistics: Statistics, weights: Floats) -> tuple[Floats, Floats] | None:
        """Each label's best value and its number of true labels or objects; None for pooled counts."""
        if self.average != "per_label":
            return None
        ranked, objective = ranked_decisions(statistics), self.objective
        choices = [best_of_labels(ranked, objective, row) for row in weights]
        return np.array([choice.values for choice in choices]), np.array([row.truths for row in choices])


def best_value(ranked: RankedDecisions, objective: Objective, average: Average, weights: Floats) -> float:
    """The value of an objective at its best threshold; NaN without a true label, or if there is none."""
    if not ranked.truths(weights).any():
        return float("nan")
    if average == "per_label":
        return _mean(best_of_labels(ranked, objective, weights).values)
    if average == "macro":
        return float(macro_values(ranked, _f(objective), weights).max(initial=0.0))
    return best_pooled(ranked, objective, weights)[1]


def chosen_threshold(
    ranked: RankedDecisions, objective: Objective, average: Average, weights: Floats
) -> float:
    """The one threshold for all labels at which a `micro` or `macro` value is reached; NaN for none."""
    if average == "macro":
        at = strictest(macro_values(ranked, _f(objective), weights))
        return float("nan") if at < 0 else float(ranked.together.scores[ranked.together.every_cut.ends[at]])
    return best_pooled(ranked, objective, weights)[0]


def _f(objective: Objective) -> BestF:
    if not isinstance(objective, BestF):
        raise TypeError("a macro value needs F as objective")
    return objective


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
