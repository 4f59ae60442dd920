"""Object keypoint similarity (OKS), COCO's overlap of predicted and true keypoints."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.keypoint_sigmas import Sigmas, checked_keypoints, same_skeleton, sigma_table
from thresher.kernels.detection.keypoints import Keypoints
from thresher.kernels.detection.object_values import UNKNOWN_AREA
from thresher.kernels.detection.overlaps import Pairs, candidates
from thresher.results.labels import Codes
from thresher.results.ragged import Int64s

Floats = npt.NDArray[np.float64]
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
        sigmas: standard deviation of each keypoint, relative to the square root of the area, for each label
            (labels x keypoints); one row if all labels have the same.
        row: row of each true object in `sigmas`.
    """

    predicted: Keypoints
    true: Keypoints
    areas: Floats
    boxes: Floats
    sigmas: Floats
    row: Codes

    @classmethod
    def of(cls, predictions: DetectionColumns, truths: DetectionColumns, sigmas: Sigmas) -> Self:
        """The skeletons of two sides; COCO's sigmas by default.

        Raises:
            InputError: for objects without keypoints or areas, and for other numbers of keypoints than of
                sigmas.
        """
        mine, theirs = (
            checked_keypoints(name, side, sigmas)
            for name, side in (("predictions", predictions), ("ground_truths", truths))
        )
        if truths.objects and truths.areas.min() == UNKNOWN_AREA:
            raise InputError(
                "ground_truths have no areas, by which distances of keypoints are scaled; give them"
            )
        table = sigma_table(sigmas, truths.labels)
        row = truths.label if len(table) > 1 else np.zeros_like(truths.label)
        return cls(mine, theirs, truths.areas, truths.boxes, table, row)

    def similarities(self, first: Int64s, second: Int64s) -> Floats:
        """The similarity of pairs of a predicted and a true object with equally many keypoints.

        The mean over the labelled keypoints of exp(-d^2 / (2 area (2 sigma)^2)). True objects without a
        labelled keypoint are compared by the distance of each predicted keypoint to their box, three times
        as wide and high.
        """
        result = np.empty(len(first))
        counted = self.true.points[..., 2] > 0
        unlabelled = ~counted.any(axis=1)
        counted[unlabelled] = self.true.present[unlabelled]
        numbers = np.count_nonzero(counted, axis=1)
        kinds = np.where(unlabelled, -numbers, numbers)[second]
        for kind in np.unique(kinds).tolist():
            rows = np.flatnonzero(kinds == kind)
            for start in range(0, len(rows), _BLOCK):
                block = rows[start : start + _BLOCK]
                mine, theirs = first[block], second[block]
                distances = self.exponents if kind > 0 else self._from_boxes
                exponents = distances(mine, theirs, _places(counted[theirs], abs(kind)))
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
        return self._scaled(squares, second, joints)

    def _scaled(self, squares: Floats, second: Int64s, joints: Int64s) -> Floats:
        table = np.square(self.sigmas * 2)
        variances = table[0][joints] if len(table) == 1 else table[self.row[second][:, None], joints]
        areas = self.areas[second][:, None] + np.spacing(1)
        return np.asarray(squares / variances / areas / 2)  # in this order, as pycocotools

    def _from_boxes(self, first: Int64s, second: Int64s, joints: Int64s) -> Floats:
        boxes = self.boxes[second]
        squares = np.zeros(joints.shape)
        for axis in (0, 1):
            low, high = boxes[:, axis, None], boxes[:, axis + 2, None]
            place = self.predicted.points[..., axis][first[:, None], joints]
            side = high - low
            outside = np.maximum(0.0, (low - side) - place) + np.maximum(0.0, place - (low + side * 2))
            squares += np.square(outside)
        return self._scaled(squares, second, joints)


def similar(
    skeletons: Skeletons, predictions: DetectionColumns, truths: DetectionColumns, same_label: bool
) -> Pairs:
    """All pairs of one image (and label) with a similarity above 0.

    COCO compares keypoints with crowd regions as with other objects, so no pair has a coverage. Objects of
    different labels may have different skeletons: those with other numbers of keypoints do not overlap, and
    the sigmas are those of the true object.

    Args:
        skeletons: their keypoints.
        predictions: predicted objects.
        truths: true objects of the same images, over the same vocabulary.
        same_label: only pairs with the same label.
    """
    first, second = candidates(predictions, truths, same_label)
    same = same_skeleton(skeletons.predicted, skeletons.true, first, second)
    if same is not None:
        first, second = first[same], second[same]
    similarity = skeletons.similarities(first, second)
    pairs = Pairs(first, second, similarity, None)
    return pairs if (similarity > 0).all() else pairs.where(np.flatnonzero(similarity > 0))


def _places(counted: npt.NDArray[np.bool_], number: int) -> Int64s:
    """Positions of the keypoints that count, of objects that have the same number of them."""
    return np.nonzero(counted)[1].reshape(-1, number)
