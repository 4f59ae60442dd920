"""Confusion matrix of detections: confused labels, false detections and missed objects."""

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.curves import other_label_pairs
from thresher.kernels.detection.greedy import Targets, Turns, match_greedily
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.outcomes import assigned
from thresher.kernels.detection.predicted_scores import scores_of
from thresher.results import Ragged, Statistics

CODED = ("decisions.truth", "decisions.predicted")


def confusion_statistics(
    matches: DetectionMatches, rule: str, iou_threshold: float, score_threshold: float
) -> Statistics:
    """Ragged `decisions` with `truth` (-1: no true object) and `predicted` (-1: no prediction).

    Hits of the rule come first, so that the diagonal counts what precision and recall count. Remaining
    predictions are paired by falling score with the true object of another label that they overlap most, if
    the overlap reaches the threshold.
    """
    every, truths = matches.predictions, matches.truths
    assignment = assigned(matches, rule, (iou_threshold,))
    counted = (scores_of(every) >= score_threshold) & ~(assignment.ignored[:, 0] > 0)
    hits = counted & (assignment.hits[:, 0] > 0)
    taken = np.zeros(truths.objects, bool)
    taken[assignment.partner[hits]] = True
    confused = _confused_with(matches, iou_threshold, counted & ~hits, taken)
    partner = np.where(hits, assignment.partner, confused)
    rows = np.flatnonzero(counted)
    taken[partner[rows][partner[rows] >= 0]] = True
    missed = np.flatnonzero(~taken & ~assignment.truth_ignored[:, 0])
    truth = np.append(truths.label, np.int8(-1))[partner[rows]]
    owners = np.concatenate([every.owners[rows], truths.owners[missed]])
    order = np.argsort(owners, kind="stable")
    columns = {
        "truth": np.concatenate([truth, truths.label[missed]])[order],
        "predicted": np.concatenate([every.label[rows], np.full(len(missed), -1, every.label.dtype)])[order],
    }
    lengths = np.bincount(owners, minlength=len(matches))
    return Statistics({}, {"decisions": Ragged(lengths, columns)}, every.labels, CODED)


def _confused_with(
    matches: DetectionMatches,
    iou_threshold: float,
    open_predictions: npt.NDArray[np.bool_],
    taken: npt.NDArray[np.bool_],
) -> npt.NDArray[np.int64]:
    """For each open prediction a true object of another label; -1 for none."""
    pairs = other_label_pairs(matches, iou_threshold)
    pairs = pairs.where(np.flatnonzero(open_predictions[pairs.prediction] & ~taken[pairs.truth]))
    targets = Targets.shared_only(np.zeros(matches.truths.objects, bool))
    turns = Turns(lambda: matches.score_order)
    sides = matches.predictions, matches.truths
    return match_greedily(*sides, pairs, np.zeros(1), targets, turns=turns).partner
