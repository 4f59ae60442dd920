"""Keypoints of objects."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.tensors import as_array
from thresher.results.ragged import Int64s

Floats = npt.NDArray[np.float64]
COCO_NAMES = (
    "nose",
    *(
        f"{side}_{part}"
        for part in ("eye", "ear", "shoulder", "elbow", "wrist", "hip", "knee", "ankle")
        for side in ("left", "right")
    ),
)
"""COCO's names of the keypoints of a person."""
_AXES = 3
_FORM = "give objects x keypoints x (x, y, visibility)"


@dataclass(frozen=True, eq=False)
class Keypoints:
    """The keypoints of objects with the same skeleton.

    Attributes:
        points: objects x keypoints x 3: x and y in pixels, and the visibility: 0 for a keypoint that is not
            labelled. That of predicted objects is not used.
        counts: number of labelled keypoints per object. COCO ignores true objects with 0.
    """

    points: Floats
    counts: Int64s

    @classmethod
    def of(cls, points: Any, num_keypoints: npt.ArrayLike | None = None) -> Self:
        """Check the keypoints of some objects.

        Args:
            points: objects x keypoints x 3 (x, y, visibility: 0 for one that is not labelled) or 2 (x, y).
            num_keypoints: COCO's `num_keypoints` per object; default: the keypoints with a visibility
                above 0.

        Raises:
            InputError: for another shape, and for values that are not finite numbers.

        >>> Keypoints.of([[[10, 20, 2], [0, 0, 0]]]).counts.tolist()
        [1]
        """
        values = _numbers(points)
        if values.size == 0:
            return cls(np.zeros((len(values), 0, _AXES)), np.zeros(len(values), np.int64))
        if values.ndim != _AXES or values.shape[2] not in (2, _AXES):
            raise InputError(f"keypoints have the shape {values.shape}; {_FORM}")
        if values.shape[2] == 2:  # noqa: PLR2004 (x and y)
            values = np.concatenate([values, np.full((*values.shape[:2], 1), 2.0)], axis=2)
        wrong = np.argwhere(~np.isfinite(values))
        if len(wrong):
            at, joint, _ = wrong[0].tolist()
            raise InputError(f"object {at}, keypoint {joint} is {values[at, joint].tolist()}; give numbers")
        labelled = np.count_nonzero(values[..., 2] > 0, axis=1)
        return cls(values, labelled if num_keypoints is None else _counts(num_keypoints, len(values)))

    @property
    def size(self) -> int:
        """Keypoints per object."""
        return int(self.points.shape[1])

    def __len__(self) -> int:
        return len(self.points)

    def take(self, objects: Any) -> Self:
        """The keypoints of objects at a slice or positions."""
        counts = self.counts[objects]
        return type(self)(self.points[objects], counts) if len(counts) else type(self).of([])

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Join the keypoints of several parts; those without objects may have another skeleton.

        Raises:
            InputError: for objects with different numbers of keypoints.
        """
        filled = [part for part in parts if len(part)]
        sizes = sorted({part.size for part in filled})
        if len(sizes) > 1:
            raise InputError(
                f"objects have {sizes[0]} and {sizes[1]} keypoints; objects that are compared have one "
                "skeleton: evaluate categories with different ones separately"
            )
        points = [part.points for part in filled] or [np.zeros((0, 0, _AXES))]
        return cls(
            np.concatenate(points), np.concatenate([np.zeros(0, np.int64), *(part.counts for part in filled)])
        )

    def extents(self) -> Floats:
        """The smallest box (xmin, ymin, xmax, ymax) around all keypoints of each object."""
        if not self.size:
            return np.zeros((len(self), 4))
        places = self.points[..., :2]
        return np.concatenate([places.min(axis=1), places.max(axis=1)], axis=1) + 0.0  # which has no sign

    def boxes(self) -> Floats:
        """The same boxes as x, y, width, height."""
        boxes = self.extents()
        boxes[:, 2:] -= boxes[:, :2]
        return boxes

    def plain(self) -> dict[str, Any]:
        """The arguments of `of` as plain data."""
        labelled = np.count_nonzero(self.points[..., 2] > 0, axis=1)
        counts = {} if np.array_equal(labelled, self.counts) else {"num_keypoints": self.counts.tolist()}
        return {"keypoints": self.points.tolist(), **counts}


def joined_keypoints(parts: Sequence[tuple[int, Keypoints | None]]) -> Keypoints | None:
    """The keypoints of several parts; None unless all objects have keypoints.

    Args:
        parts: number of objects and keypoints of each.

    Raises:
        InputError: if objects have different numbers of keypoints.
    """
    if any(size and points is None for size, points in parts):
        return None  # an output of one tool among others; matching by keypoints refuses it
    known = [points for _, points in parts if points is not None]
    return Keypoints.concatenate(known) if known else None


def _numbers(points: Any) -> Floats:
    try:
        return np.asarray(as_array(points, "keypoints"), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"keypoints: {error}; {_FORM}") from error


def _counts(counts: npt.ArrayLike, objects: int) -> Int64s:
    values = np.asarray(counts)
    valid = values.dtype.kind in "iu" and values.shape == (objects,) and (values >= 0).all()
    if not valid:
        raise InputError(f"num_keypoints is {counts!r:.80}; give a whole number of at least 0 per object")
    return values.astype(np.int64)
