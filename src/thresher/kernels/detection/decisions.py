"""Decisions of a detector: the predictions that count, with their scores and whether they are hits."""

import numpy as np

from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.outcomes import assigned, known_labels
from thresher.kernels.detection.predicted_scores import scores_of
from thresher.results import Ragged, Statistics

CODED = ("decisions.label", "truths.label")


def decision_statistics(matches: DetectionMatches, rule: str, iou_threshold: float) -> Statistics:
    """Statistics for the kernels of thresholds; ignored predictions and objects are left out.

    The rule `valor` leaves out predictions with a label that no true object of the image has.
    """
    assignment = assigned(matches, rule, (iou_threshold,))
    every, truths = matches.predictions, matches.truths
    counted = assignment.ignored[:, 0] == 0
    if rule == "valor":
        counted &= known_labels(matches)
    rows = np.flatnonzero(counted)
    true_rows = np.flatnonzero(~assignment.truth_ignored[:, 0])
    decisions = {
        "label": every.label[rows],
        "score": scores_of(every)[rows],
        "hit": (assignment.hits[rows, 0] > 0).astype(np.uint8),
    }
    ragged = {
        "decisions": Ragged(np.bincount(every.owners[rows], minlength=len(matches)), decisions),
        "truths": Ragged(
            np.bincount(truths.owners[true_rows], minlength=len(matches)), {"label": truths.label[true_rows]}
        ),
    }
    return Statistics({}, ragged, every.labels, CODED)
