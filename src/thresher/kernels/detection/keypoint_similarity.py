"""Object keypoint similarity (OKS), COCO's overlap of predicted and true keypoints."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.keypoints import Keypoints
from thresher.kernels.detection.overlaps import Pairs, candidates
from thresher.results.ragged import Int64s
from thresher.surface import option

Floats = npt.NDArray[np.float64]
_TENTHS = (0.26, 0.25, 0.25, 0.35, 0.35, 0.79, 0.79, 0.72, 0.72)  # nose, eyes, ears, shoulders, elbows
_FURTHER_TENTHS = (0.62, 0.62, 1.07, 1.07, 0.87, 0.87, 0.89, 0.89)  # wrists, hips, knees, ankles
COCO_SIGMAS: tuple[float, ...] = tuple((np.array(_TENTHS + _FURTHER_TENTHS) / 10).tolist())
"""COCO's standard deviations of the 17 keypoints of a person, to the last bit."""
_BLOCK = 1 << 14
"""Pairs that are compared together, so that their keypoints fit the processor's cache."""


@dataclass(frozen=True, eq=False)
class Skeletons:
    """Predicted and true keypoints, and what scales the distances between them.

    Attributes:
        predicted: keypoints of the predicted objects.
        true: keypoints of the true objects.
        areas: areas of the true objects.
        boxes: corners of the true objects.
        sigmas: standard deviation of each keypoint, relative to the square root of the area.
    """

    predicted: Keypoints
    true: Keypoints
    areas: Floats
    boxes: Floats
    sigmas: Floats

    @classmethod
    def of(
        cls, predictions: DetectionColumns, truths: DetectionColumns, sigmas: Sequence[float] | None
    ) -> Self:
        """The skeletons of two sides; COCO's sigmas by default.

        Raises:
            InputError: for objects without keypoints, and for different numbers of keypoints.
        """
        values = np.array(COCO_SIGMAS if sigmas is None else sigmas)
        mine, theirs = (
            _checked(name, side, len(values), own=sigmas is not None)
            for name, side in (("predictions", predictions), ("ground_truths", truths))
        )
        return cls(mine, theirs, truths.areas, truths.boxes, values)

    def similarities(self, first: Int64s, second: Int64s) -> Floats:
        """The similarity of pairs of a predicted and a true object.

        The mean over the labelled keypoints of exp(-d^2 / (2 area (2 sigma)^2)). True objects without a
        labelled keypoint are compared by the distance of each predicted keypoint to their box, three times
        as wide and high.
        """
        result = np.empty(len(first))
        labelled = self.true.points[..., 2] > 0
        numbers = np.count_nonzero(labelled, axis=1)[second]
        for number in np.unique(numbers).tolist():
            rows = np.flatnonzero(numbers == number)
            for start in range(0, len(rows), _BLOCK):
                block = rows[start : start + _BLOCK]
                mine, theirs = first[block], second[block]
                if number == 0:
                    exponents = self._from_boxes(mine, theirs)
                else:
                    exponents = self.exponents(mine, theirs, _places(labelled[theirs], number))
                # The labelled ones alone, as pycocotools adds them: a similarity may be exactly a threshold.
                result[block] = np.exp(-exponents).sum(axis=1) / exponents.shape[1]
        return result

    def exponents(self, first: Int64s, second: Int64s, joints: Int64s) -> Floats:
        """d^2 / (2 area (2 sigma)^2) of keypoints of pairs of objects (pairs x keypoints).

        Args:
            first: predicted objects.
            second: true objects.
            joints: positions of the keypoints, one row per pair.
        """
        squares = np.zeros(joints.shape)
        for axis in (0, 1):
            mine, theirs = (side.points[..., axis] for side in (self.predicted, self.true))
            squares += np.square(mine[first[:, None], joints] - theirs[second[:, None], joints])
        return self._scaled(squares, second, np.square(self.sigmas * 2)[joints])

    def _scaled(self, squares: Floats, second: Int64s, variances: Floats) -> Floats:
        areas = self.areas[second][:, None] + np.spacing(1)
        return np.asarray(squares / variances / areas / 2)  # in this order, as pycocotools

    def _from_boxes(self, first: Int64s, second: Int64s) -> Floats:
        points, boxes = self.predicted.points[first], self.boxes[second]
        squares = np.zeros(points.shape[:2])
        for axis in (0, 1):
            low, high, place = boxes[:, axis, None], boxes[:, axis + 2, None], points[..., axis]
            side = high - low
            outside = np.maximum(0.0, (low - side) - place) + np.maximum(0.0, place - (low + side * 2))
            squares += np.square(outside)
        return self._scaled(squares, second, np.square(self.sigmas * 2))


def similar(
    skeletons: Skeletons, predictions: DetectionColumns, truths: DetectionColumns, same_label: bool
) -> Pairs:
    """All pairs of one image (and label) with a similarity above 0.

    COCO compares keypoints with crowd regions as with other objects, so no pair has a coverage.

    Args:
        skeletons: their keypoints.
        predictions: predicted objects.
        truths: true objects of the same images, over the same vocabulary.
        same_label: only pairs with the same label.
    """
    first, second = candidates(predictions, truths, same_label)
    similarity = skeletons.similarities(first, second)
    pairs = Pairs(first, second, similarity, None)
    return pairs if (similarity > 0).all() else pairs.where(np.flatnonzero(similarity > 0))


def _places(labelled: npt.NDArray[np.bool_], number: int) -> Int64s:
    """Positions of the labelled keypoints of objects that have the same number of them."""
    return np.nonzero(labelled)[1].reshape(-1, number)


def _checked(name: str, side: DetectionColumns, sigmas: int, *, own: bool) -> Keypoints:
    if side.keypoints is None and side.objects:
        raise InputError(
            f"compare_as='keypoints', but not all {name} have keypoints; give them to each object, or read "
            "files with geometries='keypoints'"
        )
    points = side.keypoints or Keypoints.of([])
    if len(points) and points.size != sigmas:
        known = f"sigmas has {sigmas}" if own else f"COCO's sigmas are for {sigmas}"
        remedy = option("--sigmas 0.05,0.1,...", "sigmas=[...] to the DetectionMatcher")
        raise InputError(
            f"{name} have {points.size} keypoints per object, and {known}; pass {remedy}, one number per "
            "keypoint of the skeleton"
        )
    return points
