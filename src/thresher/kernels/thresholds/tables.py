"""Tables and curves of the best thresholds."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import BestF, OperatingPoints
from thresher.kernels.thresholds.best_threshold import (
    Average,
    BestThreshold,
    best_value,
    chosen_threshold,
)
from thresher.kernels.thresholds.choice import Goal, best_of_labels
from thresher.kernels.thresholds.decisions import RankedDecisions, ranked_decisions
from thresher.kernels.thresholds.missed_floors import nearest_of_labels, nearest_pooled
from thresher.kernels.thresholds.ranges import label_ranges, pooled_range
from thresher.results import Breakdown, Detail, Statistics
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]
_POINTS = 200
"""Points of a curve: more than a figure shows would only make files larger."""
NO_TRUTH = "no true one"
NO_SCORES = "no prediction"
NONE_RIGHT = "no threshold helps: no prediction is right"
NO_NEGATIVES = "no item without it"
NOTHING_KEPT = "nothing should be called positive"
FLOOR_MISSED = "no threshold reaches the floor"
ALL_LABELS, MEAN_OF_LABELS = "all labels", "mean of labels"


@dataclass(frozen=True)
class LabelThresholdTable(Breakdown):
    """The best threshold of each label, with the range that resampled items would choose.

    Attributes:
        name: name of the table.
        goal: what the threshold is chosen for.
        number: beta of F, or the floor.
        beta: beta of the F that is shown.
    """

    kind: ClassVar[str] = "label_threshold_table"
    name: str = "by_label"
    goal: Goal = "f"
    number: float = 1.0
    beta: float = 1.0

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label; `note` says why there is no threshold."""
        ranked = ranked_decisions(statistics)
        objective = BestThreshold(self.goal, self.number).objective
        choices = best_of_labels(ranked, objective, weights)
        low, high = (
            np.where(np.isnan(choices.thresholds), math.nan, ends)
            for ends in label_ranges(ranked, objective, weights)
        )
        predicted = ranked.decided(weights) > 0
        nearest = nearest_of_labels(ranked, objective, weights)
        fn = choices.truths - choices.tp
        columns: dict[str, list[Any]] = {
            "key": [label.key for label in statistics.labels],
            "label": [label.value for label in statistics.labels],
            "threshold": choices.thresholds.tolist(),
            "threshold_low": low.tolist(),
            "threshold_high": high.tolist(),
            **rates(choices.tp, choices.fp, fn, self.beta),
            "truths": choices.truths.tolist(),
            "note": [
                note(*facts) for facts in zip(choices.truths, predicted, choices.tp, nearest, strict=True)
            ],
        }
        return Detail(self.name, "table", ("key", "label"), columns)


@dataclass(frozen=True)
class ThresholdTable(Breakdown):
    """The best threshold for all labels together: of their pooled counts, and of the mean of their F.

    Attributes:
        name: name of the table.
        goal: what the threshold is chosen for; the mean over labels is shown for F only.
        number: beta of F, or the floor.
        beta: beta of the F that is shown.
    """

    kind: ClassVar[str] = "threshold_table"
    name: str = "overall"
    goal: Goal = "f"
    number: float = 1.0
    beta: float = 1.0

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per average; precision, recall and counts are pooled."""
        ranked = ranked_decisions(statistics)
        columns: dict[str, list[Any]] = {}
        for row in self._rows(ranked, weights):
            for name, value in row.items():
                columns.setdefault(name, []).append(value)
        return Detail(self.name, "table", ("average",), columns)

    def _rows(self, ranked: RankedDecisions, weights: Floats) -> Iterator[dict[str, Any]]:
        points, truths = ranked.pooled(weights), float(ranked.truths(weights).sum())
        averages: dict[Average, str] = {"micro": ALL_LABELS}
        objective = BestThreshold(self.goal, self.number).objective
        if self.goal == "f":
            averages["macro"] = MEAN_OF_LABELS
        for average, name in averages.items():
            threshold = chosen_threshold(ranked, objective, average, weights)
            low, high = pooled_range(ranked, objective, average, weights)
            tp, fp = counts_at(points, threshold)
            if np.isnan(threshold):
                low = high = math.nan
                tp, fp = (tp, fp) if self.goal == "f" else (math.nan, math.nan)
            shown = rates(np.array([tp]), np.array([fp]), np.array([truths - tp]), self.beta)
            row = {column: values[0] for column, values in shown.items()}
            if average == "macro":
                row["f"] = best_value(ranked, objective, average, weights)
            ends = {"threshold": threshold, "threshold_low": low, "threshold_high": high}
            nearest = nearest_pooled(ranked, objective, weights)
            why = note(truths, len(points.tp) > 0, tp, nearest)
            yield {"average": name, **ends, **row, "truths": truths, "note": why}


@dataclass(frozen=True)
class ThresholdCurve(Breakdown):
    """F, precision and recall at the thresholds of each label.

    Attributes:
        name: name of the curve.
        beta: beta of F.
    """

    kind: ClassVar[str] = "threshold_curve"
    name: str = "curve"
    beta: float = 1.0

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label and threshold, the best among them; labels without true ones are left out."""
        ranked = ranked_decisions(statistics)
        best = best_of_labels(ranked, BestF(self.beta), weights).thresholds
        separate = ranked.separate(weights, ranked.by_label.some_cuts(_POINTS, best))
        points, places = separate.points, np.flatnonzero(separate.truths[separate.cuts.groups])
        values = {"f": points.f_beta(self.beta), "precision": points.precision, "recall": points.recall}
        labels = [statistics.labels[code] for code in separate.cuts.groups[places].tolist()]
        columns: dict[str, list[Any]] = {
            "key": [label.key for label in labels],
            "label": [label.value for label in labels],
            "threshold": points.thresholds[places].tolist(),
            **{name: column[places].tolist() for name, column in values.items()},
        }
        return Detail(self.name, "curve", ("key", "label", "threshold"), columns)


def rates(tp: Floats, fp: Floats, fn: Floats, beta: float) -> dict[str, list[float]]:
    """F, precision, recall and the counts, as columns."""
    square = beta**2
    return {
        "f": divide((1 + square) * tp, (1 + square) * tp + square * fn + fp).tolist(),
        "precision": divide(tp, tp + fp).tolist(),
        "recall": divide(tp, tp + fn).tolist(),
        "tp": tp.tolist(),
        "fp": fp.tolist(),
        "fn": fn.tolist(),
    }


def counts_at(points: OperatingPoints, threshold: float) -> tuple[float, float]:
    """Weight of the right and the wrong decisions at a threshold; nothing is kept if it is NaN."""
    kept = int(np.count_nonzero(points.thresholds >= threshold))
    return (float(points.tp[kept - 1]), float(points.fp[kept - 1])) if kept else (0.0, 0.0)


def note(truths: float, predicted: bool, hits: float, nearest: str = "") -> str | None:
    """Why there is no threshold, or none that helps; None where one was chosen.

    Args:
        truths: true labels or objects.
        predicted: whether there is a prediction.
        hits: right decisions that are kept; NaN if no threshold reaches the floor.
        nearest: what the threshold nearest to the floor gives.
    """
    if not truths:
        return NO_TRUTH
    if not predicted:
        return NO_SCORES
    if np.isnan(hits):
        return f"{FLOOR_MISSED}: {nearest}" if nearest else FLOOR_MISSED
    return None if hits else NONE_RIGHT
