"""What became of each predicted and each true object, for drawings of images."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.errors import ERRORS, error_statistics, error_targets
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.outcomes import assigned
from thresher.kernels.detection.overlaps import Pairs
from thresher.kernels.detection.predicted_scores import scores_of

Floats = npt.NDArray[np.float64]
OUTCOMES = ("right", *ERRORS[:-1], "ignored")
"""Outcomes of a predicted object."""
RIGHT, IGNORED = 0, len(OUTCOMES) - 1


@dataclass(frozen=True, eq=False)
class ObjectOutcomes:
    """The outcomes of all objects.

    A prediction is assigned in order of falling score, so its outcome does not depend on predictions with
    lower scores: without those below a threshold all outcomes stay as they are, and a true object is found if
    `hit_score` reaches the threshold.

    Attributes:
        outcome: per prediction a position in `OUTCOMES`.
        iou: per prediction the highest overlap with a true object that is not ignored, whatever its label;
            the overlap with its object if it is a hit.
        ignored: which true objects may be missed.
        hit_score: per true object the score of its hit; NaN without one.
        covered_score: per true object the highest score of a prediction with a wrong label or place that
            refers to it; NaN without one.
    """

    outcome: npt.NDArray[np.uint8]
    iou: Floats
    ignored: npt.NDArray[np.bool_]
    hit_score: Floats
    covered_score: Floats

    def errors_at(self, matches: DetectionMatches, threshold: float) -> npt.NDArray[np.int64]:
        """Count the errors of each image, if predictions with lower scores than `threshold` were left out.

        Args:
            matches: the objects.
            threshold: lowest score that counts.

        Returns:
            images x `ERRORS`.
        """
        predictions, truths = matches.predictions, matches.truths
        counts = np.zeros((len(matches), len(ERRORS)), np.int64)
        wrong = (scores_of(predictions) >= threshold) & (self.outcome > RIGHT) & (self.outcome < IGNORED)
        np.add.at(counts, (predictions.owners[wrong], self.outcome[wrong] - 1), 1)
        missed = ~((self.hit_score >= threshold) | self.ignored)
        counts[:, -1] = np.bincount(truths.owners[missed], minlength=len(matches))
        return counts


def object_outcomes(
    matches: DetectionMatches, rule: str, iou_threshold: float, background_threshold: float
) -> ObjectOutcomes:
    """Return what became of each object; the arguments are those of `error_statistics`."""
    statistics = error_statistics(matches, rule, iou_threshold, background_threshold)
    assignment = assigned(matches, rule, (iou_threshold,))
    error = np.asarray(statistics.ragged["predictions"]["error"], np.uint8)
    ignored = assignment.truth_ignored[:, 0]
    near = matches.pairs(same_label=False)
    near = near.where(~ignored[near.truth])
    outcome = error.copy()
    outcome[assignment.ignored[:, 0] > 0] = IGNORED
    hits = np.flatnonzero(assignment.hits[:, 0] > 0)
    iou = _highest(near, len(error))
    iou[hits] = assignment.iou[hits]
    scores, size = scores_of(matches.predictions), matches.truths.objects
    hit_score = _highest_score(assignment.partner[hits], scores[hits], size)
    covered_score = _highest_score(error_targets(matches, near, error), scores, size)
    return ObjectOutcomes(outcome, iou, ignored, hit_score, covered_score)


def _highest(near: Pairs, predictions: int) -> Floats:
    highest = np.zeros(predictions)
    np.maximum.at(highest, near.prediction, near.iou)
    return highest


def _highest_score(truth: npt.NDArray[Any], scores: Floats, size: int) -> Floats:
    """The highest score per true object; positions from `size` on are dropped."""
    highest = np.full(size + 1, -np.inf)
    np.maximum.at(highest, np.minimum(truth, size), scores)
    return np.where(np.isfinite(highest[:-1]), highest[:-1], np.nan)
