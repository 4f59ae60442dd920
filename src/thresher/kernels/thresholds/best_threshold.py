"""The value at the best threshold: of all labels pooled, of their mean, and with a threshold for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import BestF
from thresher.kernels.thresholds.choice import (
    OBJECTIVES,
    Goal,
    Objective,
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
    def objective(self) -> Objective:
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
        ranked, objective = ranked_decisions(statistics), self.objective
        truths = ranked.truths(weights)
        if not truths.any():
            return float("nan")
        if self.average == "per_label":
            return _mean(best_of_labels(ranked, objective, weights).values)
        if self.average == "macro":
            values = macro_values(ranked, _f(objective), weights)
            return float(values.max(initial=0.0))
        at, points = best_pooled(ranked, objective, weights)
        if at < 0:
            return 0.0 if self.goal == "f" else float("nan")
        return float(objective.merits(points)[at])

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


def chosen_threshold(ranked: RankedDecisions, reduction: BestThreshold, weights: Floats) -> float:
    """The one threshold for all labels at which a `micro` or `macro` value is reached; NaN for none."""
    if reduction.average == "macro":
        values = macro_values(ranked, _f(reduction.objective), weights)
        at = strictest(values)
        return float("nan") if at < 0 else float(ranked.together.scores[ranked.together.every_cut.ends[at]])
    at, points = best_pooled(ranked, reduction.objective, weights)
    return float("nan") if at < 0 else float(points.thresholds[at])


def _f(objective: Objective) -> BestF:
    if not isinstance(objective, BestF):
        raise TypeError("a macro value needs F as objective")
    return objective


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
