"""Which predicted objects are hits, for metrics that count or average them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.outcomes import assigned
from thresher.kernels.detection.predicted_scores import scores_of
from thresher.metrics.detection import MatchingRule

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MatchedObjects:
    """The objects of all images, matched at one IoU threshold. Arrays of predictions come image after image.

    Attributes:
        images: number of images.
        image: per prediction the position of its image.
        score: per prediction its score.
        hit: per prediction whether it is matched with a true object.
        ignored: per prediction whether it is neither a hit nor an error, e.g. in a crowd region.
        iou: per prediction the IoU with its true object; 0 without one.
        true_image: per true object that must be found the position of its image.
    """

    images: int
    image: npt.NDArray[np.int64]
    score: Floats
    hit: npt.NDArray[np.bool_]
    ignored: npt.NDArray[np.bool_]
    iou: Floats
    true_image: npt.NDArray[np.int64]

    def count(self, predictions: npt.NDArray[np.bool_]) -> Floats:
        """How many of the chosen predictions each image has; `predictions` is a mask over all."""
        return self.total(predictions.astype(np.float64))

    def total(self, values: npt.ArrayLike) -> Floats:
        """The sum per image of one value per prediction."""
        sums = np.bincount(self.image, weights=np.asarray(values, np.float64), minlength=self.images)
        return np.asarray(sums, np.float64)

    def true_objects(self) -> Floats:
        """How many true objects must be found in each image."""
        return np.bincount(self.true_image, minlength=self.images).astype(np.float64)


def match_objects(
    matches: DetectionMatches, matching: MatchingRule = "coco", iou_threshold: float = 0.5
) -> MatchedObjects:
    """Match predicted with true objects at one IoU threshold.

    Args:
        matches: what `read_matches` returns.
        matching: rule of matching, as in the other metrics of detection.
        iou_threshold: IoU from which a prediction can be a hit, above 0 and at most 1.

    Raises:
        InputError: for a threshold out of range.
    """
    rule: Any = assigned(matches, matching, (iou_threshold,))
    return MatchedObjects(
        images=len(matches),
        image=matches.predictions.owners,
        score=scores_of(matches.predictions),
        hit=rule.hits[:, 0] > 0,
        ignored=rule.ignored[:, 0] > 0,
        iou=rule.iou,
        true_image=matches.truths.owners[~rule.truth_ignored[:, 0]],
    )
