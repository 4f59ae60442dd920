"""Errors of detections and their costs as the program tidecv 1.0.1 of TIDE's authors computes them."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.errors import ERRORS, MISSED, error_detail
from thresher.kernels.detection.greedy import Targets, Turns, match_greedily
from thresher.kernels.detection.label_quantities import label_precisions
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.ordering import ranks, stable_order
from thresher.kernels.detection.overlaps import Pairs
from thresher.kernels.detection.predicted_scores import scores_of
from thresher.kernels.detection.ranked import View, ranked, sums_between
from thresher.results import Breakdown, Detail, Ragged, Reduction, Statistics
from thresher.results.ragged import Int64s

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.uint8]
CLASSIFICATION, LOCALIZATION, BOTH, DUPLICATE, BACKGROUND = range(1, MISSED)
FALSE_POSITIVE, FALSE_NEGATIVE = MISSED + 1, MISSED + 2
COSTS = (*ERRORS, "false_positive", "false_negative")
"""Kinds of errors, and all errors of predictions and of true objects."""
CODED = ("predictions.label", "predictions.fixed", "truths.label")
_VIEW = View(1, 0, 1)


def tide_statistics(
    matches: DetectionMatches, iou_threshold: float, background_threshold: float, most: int | None
) -> Statistics:
    """Hits and errors of each prediction and true object.

    `error` is 0 or the position of the error's name in `ERRORS`, from 1. `fixed` is the label of a prediction
    whose label or place was corrected; -1 if another one was corrected to the same true object.

    Args:
        matches: the objects.
        iou_threshold: lowest overlap of a hit.
        background_threshold: lowest overlap with an object of an error that is not background.
        most: number of predictions of an image that count, those with the highest scores; None for all.
    """
    every, truths = matches.predictions, matches.truths
    rows = _retained(matches, most)
    shared = truths.crowd | truths.difficult
    near = matches.pairs(same_label=False)
    near = near.where(rows[near.prediction])
    regions, near = near.where(shared[near.truth]), near.where(~shared[near.truth])
    same = every.label[near.prediction] == truths.label[near.truth]
    turns, targets = Turns(lambda: matches.score_order), Targets.shared_only(np.zeros(truths.objects, bool))
    matched = match_greedily(
        *(every, truths, near.where(same), np.array([iou_threshold]), targets), turns=turns, first=True
    )
    hits = matched.hits[:, 0] > 0
    ignored = ~hits & _within_regions(matches, regions, iou_threshold)
    used = np.zeros(truths.objects + 1, bool)
    used[matched.partner[hits]] = True
    error, target = _errors(matches, near, same, (iou_threshold, background_threshold))
    error[hits], target[hits] = 0, truths.objects
    fixed, usable = _fixed(matches, error, target, used, rows)
    columns = {
        "label": every.label,
        "score": scores_of(every),
        "hits": hits.astype(np.uint16),
        "ignored": ignored.astype(np.uint16),
        "error": error,
        "fixed": fixed,
    }
    columns = {name: column[rows] for name, column in columns.items()}
    missed = ~(used | usable)[:-1] & ~shared
    true_columns = {
        "label": truths.label,
        "ignored": shared,
        "used": used[:-1],
        "error": missed * np.uint8(MISSED),
    }
    ragged = {
        "predictions": Ragged(np.bincount(every.owners[rows], minlength=len(matches)), columns),
        "truths": Ragged(truths.lengths, true_columns),
    }
    return Statistics({}, ragged, every.labels, CODED)


@dataclass(frozen=True)
class TideCost(Reduction):
    """Gain of mean average precision if errors were corrected.

    The mean includes labels that are predicted and have no true object, with 0.

    Attributes:
        cost: position of the name in `COSTS`, from 1.
    """

    kind: ClassVar[str] = "tide_cost"
    smooth: ClassVar[bool] = False
    cost: int

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The difference of two mean average precisions."""
        return float(self.many(statistics, weights[None])[0])

    def many(self, statistics: Statistics, weights: Floats) -> Floats:
        """The difference for each row of weights; those of single kinds of errors are at least 0."""
        gain = mean_precision(_variant(statistics, self.cost), weights) - mean_precision(
            _variant(statistics, 0), weights
        )
        return gain if self.cost > MISSED else np.maximum(gain, 0.0)


@dataclass(frozen=True)
class TideTable(Breakdown):
    """Number and cost of each kind of error."""

    kind: ClassVar[str] = "tide_table"
    name: str = "by_error"

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per kind; `missed` counts true objects, the others predictions."""
        costs = [TideCost(cost) for cost in range(1, len(ERRORS) + 1)]
        return error_detail(self.name, costs, statistics, weights)


def mean_precision(statistics: Statistics, weights: Floats) -> Floats:
    """Mean average precision over labels with a true object or a prediction, for each row of weights."""
    values = label_precisions(statistics, weights, _VIEW, exact=False)[:, 0]
    images, edges = statistics.memo("images of labels", lambda: _images_of_labels(statistics))
    predicted = sums_between(weights[:, images], edges) > 0
    values = np.where(np.isnan(values) & predicted, 0.0, values)
    known = ~np.isnan(values)
    labels = known.sum(axis=1)
    return np.where(labels, np.where(known, values, 0.0).sum(axis=1) / np.maximum(labels, 1), np.nan)


def _images_of_labels(statistics: Statistics) -> tuple[Int64s, Int64s]:
    """The images with predictions of each label, label after label, and where each label starts."""
    order = ranked(statistics, _VIEW)
    label = np.repeat(np.arange(len(order.starts) - 1), np.diff(order.starts))
    cells = np.unique(label * statistics.size + order.images)
    label, images = np.divmod(cells, max(statistics.size, 1))
    return images, np.searchsorted(label, np.arange(len(order.starts)))


def _retained(matches: DetectionMatches, most: int | None) -> npt.NDArray[np.bool_]:
    """The predictions with the highest scores of each image."""
    every = matches.predictions
    if most is None:
        return np.ones(every.objects, bool)
    order = stable_order(every.owners, matches.score_order)
    retained = np.zeros(every.objects, bool)
    retained[order] = ranks(every.owners[order]) < most
    return retained


def _within_regions(matches: DetectionMatches, regions: Pairs, threshold: float) -> npt.NDArray[np.bool_]:
    """Whether a prediction overlaps an ignored object of its label by more than the threshold."""
    truths = matches.truths
    overlap = regions.iou
    if regions.coverage is not None:
        overlap = np.where(truths.crowd[regions.truth], regions.coverage, overlap)
    same = matches.predictions.label[regions.prediction] == truths.label[regions.truth]
    inside = np.zeros(matches.predictions.objects, bool)
    inside[regions.prediction[same & (overlap > threshold)]] = True
    return inside


def _errors(
    matches: DetectionMatches, near: Pairs, same: npt.NDArray[np.bool_], limits: tuple[float, float]
) -> tuple[Codes, Int64s]:
    """The kind of error of each prediction that is not a hit, and the true object that it refers to."""
    enough, background = limits
    (own, mine), (other, theirs) = (_best(matches, near.where(rows)) for rows in (same, ~same))
    error = np.full(matches.predictions.objects, BOTH, np.uint8)
    error[np.maximum(own, other) <= background] = BACKGROUND
    error[own > enough] = DUPLICATE
    error[other >= enough] = CLASSIFICATION
    error[(own >= background) & (own <= enough)] = LOCALIZATION
    target = np.full(len(error), matches.truths.objects, np.int64)
    for kind, objects in ((CLASSIFICATION, theirs), (LOCALIZATION, mine)):
        target[error == kind] = objects[error == kind]
    return error, target


def _best(matches: DetectionMatches, near: Pairs) -> tuple[Floats, Int64s]:
    """Highest overlap of each prediction, and the first true object that has it."""
    highest = np.zeros(matches.predictions.objects)
    objects = np.full(len(highest), matches.truths.objects, np.int64)
    order = np.argsort(near.iou[::-1], kind="stable")  # the first of equal overlaps is written last
    highest[near.prediction[::-1][order]] = near.iou[::-1][order]
    objects[near.prediction[::-1][order]] = near.truth[::-1][order]
    return highest, objects


def _fixed(
    matches: DetectionMatches,
    error: Codes,
    target: Int64s,
    used: npt.NDArray[np.bool_],
    rows: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Per prediction the label after correction, and per true object whether a prediction refers to it.

    Of the wrong labels and places that refer to a free true object, the first by score is corrected.
    """
    fixed = np.full(len(error), -1, matches.truths.label.dtype)
    usable = np.zeros(matches.truths.objects + 1, bool)
    order = matches.score_order
    order = order[rows[order] & (target[order] < matches.truths.objects)]
    order = order[~used[target[order]]]
    _, first = np.unique(target[order], return_index=True)
    fixed[order[first]] = matches.truths.label[target[order[first]]]
    usable[target[order]] = True
    return fixed, usable


def _variant(statistics: Statistics, cost: int) -> Statistics:
    """The statistics with some errors corrected; 0 for none."""
    built: Statistics = statistics.memo(("variant", cost), lambda: _corrected(statistics, cost))
    return built


def _corrected(statistics: Statistics, cost: int) -> Statistics:
    predictions, truths = statistics.ragged["predictions"], statistics.ragged["truths"]
    hits, fixed = predictions["hits"] > 0, predictions["fixed"]
    wrong = (predictions["error"] == cost) & (0 < cost < MISSED)
    rows = np.flatnonzero(np.where(wrong, fixed >= 0, predictions["ignored"] == 0))
    right = (hits | wrong)[rows]
    score = right.astype(np.float64) if cost == FALSE_POSITIVE else predictions["score"][rows]
    columns = {
        "label": np.where(wrong, fixed, predictions["label"])[rows],
        "score": score,
        "hits": right[:, None].astype(np.uint16),
        "ignored": np.zeros((len(rows), 1), np.uint16),
        "rank": np.zeros(len(rows), np.int64),
    }
    optional = {MISSED: truths["error"] == MISSED, FALSE_NEGATIVE: ~truths["used"]}.get(cost, False)
    true_columns = {"label": truths["label"], "ignored": (truths["ignored"] | optional)[:, None]}
    lengths = np.bincount(predictions.owners[rows], minlength=predictions.size)
    ragged = {"predictions": Ragged(lengths, columns), "truths": Ragged(truths.lengths, true_columns)}
    corrected = Statistics({}, ragged, statistics.labels, ("predictions.label", "truths.label"))
    # tidecv lists the errors before the hits when it corrects some, and so ranks them first where scores tie.
    ties = hits[rows] if cost else np.zeros(len(rows), bool)
    corrected.memo("score order", lambda: np.lexsort((ties, -score)))
    return corrected
