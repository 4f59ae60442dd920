"""Kinds of errors of predictions, and their cost in average precision (after TIDE)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.assignment import Assignment
from thresher.kernels.detection.average_precision import MeanAveragePrecision
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.ordered_predictions import score_order
from thresher.kernels.detection.outcomes import assigned
from thresher.kernels.detection.overlaps import Pairs
from thresher.kernels.detection.predicted_scores import scores_of
from thresher.results import Breakdown, Detail, Ragged, Reduction, Statistics

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[Any]
ERRORS = ("classification", "localization", "both", "duplicate", "background", "missed")
MISSED = len(ERRORS)
CODED = ("predictions.label", "predictions.fixed", "truths.label")


def error_statistics(
    matches: DetectionMatches, rule: str, iou_threshold: float, background_threshold: float
) -> Statistics:
    """Statistics for average precision at one threshold, with the error of each prediction and true object.

    `error` is 0 or the position of the error's name in `ERRORS`, from 1. `fixed` is the label that a
    prediction with a wrong label or place would have if corrected; -1 if it would be a duplicate then.
    """
    every, truths = matches.predictions, matches.truths
    assignment = assigned(matches, rule, (iou_threshold,))
    near = matches.pairs(same_label=False)
    near = near.where(~assignment.truth_ignored[near.truth, 0])  # crowds are not targets
    error = _errors(matches, assignment, near, (iou_threshold, background_threshold))
    target = error_targets(matches, near, error)
    taken = np.zeros(truths.objects + 1, bool)
    taken[assignment.partner[assignment.hits[:, 0] > 0]] = True
    fixed = _fixed(matches, error, target, taken)
    covered = np.zeros(truths.objects + 1, bool)
    covered[target] = True
    missed = ~(taken | covered)[:-1] & ~assignment.truth_ignored[:, 0]
    columns = {
        "label": every.label,
        "score": scores_of(every),
        "hits": assignment.hits.astype(np.uint16),
        "ignored": assignment.ignored.astype(np.uint16),
        "rank": matches.label_order.ranks,
        "error": error,
        "fixed": fixed,
    }
    true_columns = {
        "label": truths.label,
        "ignored": assignment.truth_ignored,
        "error": missed * np.uint8(MISSED),
    }
    ragged = {
        "predictions": Ragged(every.lengths, columns),
        "truths": Ragged(truths.lengths, true_columns),
    }
    return Statistics({}, ragged, every.labels, CODED)


@dataclass(frozen=True)
class ErrorCost(Reduction):
    """Gain of mean average precision if one kind of error were corrected.

    A rare kind depends on a few images, so the cost jumps if one of them is left out.

    Attributes:
        error: position of the error's name in `ERRORS`, from 1.
        exact: as for `MeanAveragePrecision`.
    """

    kind: ClassVar[str] = "detection_error_cost"
    smooth: ClassVar[bool] = False
    error: int
    exact: bool = False

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The difference of two mean average precisions."""
        return float(self.many(statistics, weights[None])[0])

    def many(self, statistics: Statistics, weights: Floats) -> Floats:
        """The difference for each row of weights."""
        precision = MeanAveragePrecision((1, 0, 1, 0, None), self.exact)
        better = statistics.memo(("corrected", self.error), lambda: _corrected(statistics, self.error))
        # Correcting an error lowers no precision; values below 0 are rounding errors.
        return np.maximum(precision.many(better, weights) - precision.many(statistics, weights), 0.0)


@dataclass(frozen=True)
class ErrorTable(Breakdown):
    """Count and cost of each kind of error."""

    kind: ClassVar[str] = "detection_error_table"
    name: str = "by_error"
    exact: bool = False

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per kind of error; `missed` counts true objects, the others predictions."""
        costs = [ErrorCost(code, self.exact) for code in range(1, len(ERRORS) + 1)]
        return error_detail(self.name, costs, statistics, weights)


def error_detail(name: str, costs: Sequence[Reduction], statistics: Statistics, weights: Floats) -> Detail:
    """One row per kind of error with its count and cost; predictions and true objects have an `error`."""
    sides = statistics.ragged["predictions"], statistics.ragged["truths"]
    counts = [np.bincount(side["error"], side.per_entry(weights), len(ERRORS) + 1) for side in sides]
    columns: dict[str, list[Any]] = {
        "error": list(ERRORS),
        "count": (counts[0] + counts[1])[1:].tolist(),
        "cost": [cost(statistics, weights) for cost in costs],
    }
    return Detail(name, "table", ("error",), columns)


def _errors(
    matches: DetectionMatches, assignment: Assignment, near: Pairs, limits: tuple[float, float]
) -> npt.NDArray[np.uint8]:
    enough, background = limits
    label = matches.predictions.label
    same = label[near.prediction] == matches.truths.label[near.truth]
    mine, theirs = (_highest(near, rows, len(label)) for rows in (same, ~same))
    names = {name: code for code, name in enumerate(ERRORS, start=1)}
    error = np.full(len(label), names["both"], np.uint8)
    error[np.maximum(mine, theirs) < background] = names["background"]
    error[(mine >= background) & (mine < enough)] = names["localization"]
    error[theirs >= enough] = names["classification"]
    error[mine >= enough] = names["duplicate"]
    error[(assignment.hits[:, 0] > 0) | (assignment.ignored[:, 0] > 0)] = 0
    return error


def _highest(near: Pairs, rows: npt.NDArray[np.bool_], predictions: int) -> Floats:
    """Highest overlap of each prediction among some of the pairs; 0 without one."""
    highest = np.zeros(predictions)
    order = np.flatnonzero(rows)
    order = order[np.argsort(near.iou[order], kind="stable")]
    highest[near.prediction[order]] = near.iou[order]
    return highest


def error_targets(matches: DetectionMatches, near: Pairs, error: npt.NDArray[np.uint8]) -> Ints:
    """The likely true object of predictions with a wrong label or place; the number of objects for none.

    Args:
        matches: the objects.
        near: all overlapping pairs, whatever their labels, without crowd regions.
        error: per prediction the position of its error in `ERRORS`, from 1.
    """
    same = matches.predictions.label[near.prediction] == matches.truths.label[near.truth]
    order = np.flatnonzero(np.where(same, 2, 1) == error[near.prediction])
    order = order[np.argsort(near.iou[order], kind="stable")]
    target = np.full(matches.predictions.objects, matches.truths.objects, np.int64)
    target[near.prediction[order]] = near.truth[order]
    return target


def _fixed(matches: DetectionMatches, error: Ints, target: Ints, taken: npt.NDArray[np.bool_]) -> Ints:
    """The label of an undetected target, for the first prediction with that target; -1 for others."""
    fixed = np.full(len(error), -1, matches.truths.label.dtype)
    order = matches.score_order
    for kind in (1, 2):
        rows = order[(error[order] == kind) & ~taken[target[order]]]
        _, first = np.unique(target[rows], return_index=True)
        fixed[rows[first]] = matches.truths.label[target[rows[first]]]
    return fixed


def _corrected(statistics: Statistics, error: int) -> Statistics:
    """The statistics with one kind of error corrected."""
    predictions, truths = statistics.ragged["predictions"], statistics.ragged["truths"]
    if error == MISSED:
        ignored = truths["ignored"] | (truths["error"] == MISSED)[:, None]
        ragged = {"predictions": predictions, "truths": truths.with_columns({"ignored": ignored})}
        corrected = Statistics({}, ragged, statistics.labels, statistics.coded)
        corrected.memo("score order", lambda: score_order(statistics))
        return corrected
    wrong, fixed = predictions["error"] == error, predictions["fixed"]
    rows = np.flatnonzero(~wrong | (fixed >= 0))
    columns = {name: array[rows] for name, array in predictions.items()}
    columns["label"] = np.where(wrong, fixed, predictions["label"])[rows]
    columns["hits"] = np.where(wrong[:, None], np.uint16(1), predictions["hits"])[rows]
    lengths = np.bincount(predictions.owners[rows], minlength=predictions.size)
    ragged = {"predictions": Ragged(lengths, columns), "truths": truths}
    corrected = Statistics({}, ragged, statistics.labels, statistics.coded)
    # The scores are the same, so they need not be sorted again.
    place = np.full(len(wrong), -1, np.int64)
    place[rows] = np.arange(len(rows))
    order = place[score_order(statistics)]
    corrected.memo("score order", lambda: order[order >= 0])
    return corrected
