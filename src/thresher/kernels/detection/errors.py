"""Why predictions are wrong, and what each kind of error costs in average precision (after TIDE)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.assignment import Assignment, score_ranks, scores_of
from thresher.kernels.detection.average_precision import MeanAveragePrecision
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.ordering import by_score
from thresher.kernels.detection.outcomes import assigned
from thresher.kernels.detection.overlaps import Pairs
from thresher.results import Breakdown, Detail, Ragged, Reduction, Statistics

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[Any]
ERRORS = ("classification", "localization", "both", "duplicate", "background", "missed")
MISSED = len(ERRORS)
CODED = ("predictions.label", "predictions.fixed", "truths.label")


def error_statistics(
    matches: DetectionMatches, rule: str, iou_threshold: float, background_threshold: float
) -> Statistics:
    """Statistics for average precision at one threshold, with each prediction's and true object's error.

    `error` is 0 or the place of the error's name in `ERRORS`, from 1; `fixed` is the label that a prediction
    of a wrong label or place would have if it were right, -1 if it were superfluous then.
    """
    every, truths = matches.predictions, matches.truths
    found = assigned(matches, rule, (iou_threshold,))
    near = matches.pairs(same_label=False)
    near = near.where(~found.truth_ignored[near.truth, 0])  # nobody is meant to find a crowd
    error = _errors(matches, found, near, (iou_threshold, background_threshold))
    target = _targets(matches, near, error)
    taken = np.zeros(truths.objects + 1, bool)
    taken[found.partner[found.hits[:, 0] > 0]] = True
    fixed = _fixed(matches, error, target, taken)
    covered = np.zeros(truths.objects + 1, bool)
    covered[target] = True
    missed = ~(taken | covered)[:-1] & ~found.truth_ignored[:, 0]
    columns = {
        "label": every.label,
        "score": scores_of(every),
        "hits": found.hits.astype(np.uint16),
        "ignored": found.ignored.astype(np.uint16),
        "rank": score_ranks(every).astype(np.int32),
        "error": error,
        "fixed": fixed,
    }
    known = {"label": truths.label, "ignored": found.truth_ignored, "error": missed * np.uint8(MISSED)}
    ragged = {
        "predictions": Ragged(every.lengths, columns),
        "truths": Ragged(truths.lengths, known),
    }
    return Statistics({}, ragged, every.labels, CODED)


@dataclass(frozen=True)
class ErrorCost(Reduction):
    """How much mean average precision would rise if one kind of error were put right.

    A rare kind rests on a few images, so the cost jumps where one of them is left out.

    Attributes:
        error: place of the error's name in `ERRORS`, from 1.
        exact: as of `MeanAveragePrecision`.
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
        better = statistics.memo(("without", self.error), lambda: _without(statistics, self.error))
        # Putting an error right lowers no precision; what is below 0 is rounding.
        return np.maximum(precision.many(better, weights) - precision.many(statistics, weights), 0.0)


@dataclass(frozen=True)
class ErrorTable(Breakdown):
    """How often each kind of error occurs, and what it costs."""

    kind: ClassVar[str] = "detection_error_table"
    name: str = "by_error"
    exact: bool = False

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per kind of error; `missed` counts true objects, the others predictions."""
        predictions, truths = statistics.ragged["predictions"], statistics.ragged["truths"]
        size = len(ERRORS) + 1
        counts = np.bincount(predictions["error"], predictions.per_entry(weights), size)
        counts = counts + np.bincount(truths["error"], truths.per_entry(weights), size)
        costs = [ErrorCost(code, self.exact)(statistics, weights) for code in range(1, size)]
        columns = {"error": list(ERRORS), "count": counts[1:].tolist(), "cost": costs}
        return Detail(self.name, "table", ("error",), columns)


def _errors(
    matches: DetectionMatches, found: Assignment, near: Pairs, limits: tuple[float, float]
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
    error[(found.hits[:, 0] > 0) | (found.ignored[:, 0] > 0)] = 0
    return error


def _highest(near: Pairs, rows: npt.NDArray[np.bool_], predictions: int) -> Floats:
    found = np.zeros(predictions)
    order = np.flatnonzero(rows)
    order = order[np.argsort(near.iou[order], kind="stable")]
    found[near.prediction[order]] = near.iou[order]
    return found


def _targets(matches: DetectionMatches, near: Pairs, error: npt.NDArray[np.uint8]) -> Ints:
    """The true object that a prediction of a wrong label or place was meant for; the last place for none."""
    same = matches.predictions.label[near.prediction] == matches.truths.label[near.truth]
    wanted = np.where(same, 2, 1) == error[near.prediction]
    order = np.flatnonzero(wanted)
    order = order[np.argsort(near.iou[order], kind="stable")]
    target = np.full(matches.predictions.objects, matches.truths.objects, np.int64)
    target[near.prediction[order]] = near.truth[order]
    return target


def _fixed(matches: DetectionMatches, error: Ints, target: Ints, taken: npt.NDArray[np.bool_]) -> Ints:
    """Per prediction the label of a true object that nobody found, for the first prediction meant for it."""
    fixed = np.full(len(error), -1, matches.truths.label.dtype)
    order = by_score(scores_of(matches.predictions))
    for kind in (1, 2):
        rows = order[(error[order] == kind) & ~taken[target[order]]]
        _, first = np.unique(target[rows], return_index=True)
        fixed[rows[first]] = matches.truths.label[target[rows[first]]]
    return fixed


def _without(statistics: Statistics, error: int) -> Statistics:
    """The statistics as they would be without one kind of error."""
    predictions, truths = statistics.ragged["predictions"], statistics.ragged["truths"]
    if error == MISSED:
        ignored = truths["ignored"] | (truths["error"] == MISSED)[:, None]
        ragged = {"predictions": predictions, "truths": truths.with_columns({"ignored": ignored})}
        return Statistics({}, ragged, statistics.labels, statistics.coded)
    wrong, fixed = predictions["error"] == error, predictions["fixed"]
    kept = np.flatnonzero(~wrong | (fixed >= 0))
    columns = {name: array[kept] for name, array in predictions.items()}
    columns["label"] = np.where(wrong, fixed, predictions["label"])[kept]
    columns["hits"] = np.where(wrong[:, None], np.uint16(1), predictions["hits"])[kept]
    lengths = np.bincount(predictions.owners[kept], minlength=predictions.size)
    ragged = {"predictions": Ragged(lengths, columns), "truths": truths}
    return Statistics({}, ragged, statistics.labels, statistics.coded)
