"""Keypoints of objects."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
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
_MOST_PADDING = 64
"""Cells per keypoint up to which objects with fewer keypoints are padded, so that one object of very many
cannot fill the memory."""


@dataclass(frozen=True, eq=False)
class Keypoints:
    """The keypoints of objects, which may have different skeletons.

    Attributes:
        points: objects x keypoints x 3: x and y in pixels, and the visibility: 0 for a keypoint that is not
            labelled. That of predicted objects is not used. Objects with fewer keypoints than others are
            padded with zeros.
        counts: number of labelled keypoints per object. COCO ignores true objects with 0.
        sizes: number of keypoints per object; None if all have the same number.
    """

    points: Floats
    counts: Int64s
    sizes: Int64s | None = None

    @classmethod
    def of(cls, points: Any, num_keypoints: npt.ArrayLike | None = None) -> Self:
        """Check the keypoints of some objects.

        Args:
            points: objects x keypoints x 3 (x, y, visibility: 0 for one that is not labelled) or 2 (x, y), as
                an array, or as lists of different lengths.
            num_keypoints: COCO's `num_keypoints` per object; default: the keypoints with a visibility
                above 0.

        Raises:
            InputError: for another shape, and for values that are not finite numbers.

        >>> Keypoints.of([[[10, 20, 2], [0, 0, 0]]]).counts.tolist()
        [1]
        """
        values, sizes = _padded(points) if _differ(points) else (_numbers(points), None)
        if values.size == 0:
            return cls(np.zeros((len(values), 0, _AXES)), np.zeros(len(values), np.int64))
        if values.ndim != _AXES or values.shape[2] not in (2, _AXES):
            raise InputError(f"keypoints have the shape {values.shape}; {_FORM}")
        values = _with_visibility(values)
        wrong = np.argwhere(~np.isfinite(values))
        if len(wrong):
            at, joint, _ = wrong[0].tolist()
            raise InputError(f"object {at}, keypoint {joint} is {values[at, joint].tolist()}; give numbers")
        labelled = np.count_nonzero(values[..., 2] > 0, axis=1)
        counts = labelled if num_keypoints is None else _counts(num_keypoints, len(values))
        return cls(values, counts, sizes)

    @classmethod
    def of_rows(cls, rows: Floats, sizes: Int64s, counts: Int64s) -> Self:
        """The keypoints of objects from those of all objects, one after the other.

        Args:
            rows: keypoints x 3.
            sizes: number of keypoints per object.
            counts: number of labelled keypoints per object.

        Raises:
            InputError: if objects have so different numbers of keypoints that padding takes too much memory.
        """
        most = int(sizes.max(initial=0))
        if len(rows) == most * len(sizes):
            return cls(rows.reshape(len(sizes), most, _AXES), counts)
        if most * len(sizes) > _MOST_PADDING * len(rows):
            raise InputError(
                f"objects have from {sizes.min()} to {counted(most, 'keypoint')}; evaluate those with "
                "so many separately"
            )
        points = np.zeros((len(sizes), most, _AXES))
        points[np.arange(most) < sizes[:, None]] = rows
        return cls(points, counts, sizes)

    @property
    def size(self) -> int:
        """Keypoints per object, the largest number of them if it differs."""
        return int(self.points.shape[1])

    @property
    def per_object(self) -> Int64s:
        """Number of keypoints of each object."""
        return np.full(len(self), self.size) if self.sizes is None else self.sizes

    def of_objects(self, objects: Int64s) -> list[Floats]:
        """The keypoints of some objects, without padding."""
        pairs = zip(self.points[objects], self.per_object[objects].tolist(), strict=True)
        return [points[:size] for points, size in pairs]

    def rows(self) -> Floats:
        """The keypoints of all objects, one after the other (keypoints x 3)."""
        points = self.points if self.sizes is None else self.points[self.present]
        return points.reshape(-1, _AXES)

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """Which of the points are keypoints of their object, and no padding (objects x keypoints)."""
        return np.asarray(np.arange(self.size) < self.per_object[:, None])

    def __len__(self) -> int:
        return len(self.points)

    def take(self, objects: Any) -> Self:
        """The keypoints of objects at a slice or positions."""
        counts = self.counts[objects]
        if not len(counts):
            return type(self).of([])
        if self.sizes is None:
            return type(self)(self.points[objects], counts)
        whole = type(self)(self.points[objects], counts, self.sizes[objects])
        return type(self).of_rows(whole.rows(), self.sizes[objects], counts)  # padded as these alone need it

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Join the keypoints of several parts.

        Raises:
            InputError: as for `of_rows`.
        """
        filled = [part for part in parts if len(part)]
        if len(filled) < 2:  # noqa: PLR2004 (nothing to join)
            return filled[0] if filled else cls.of([])
        counts = np.concatenate([part.counts for part in filled])
        if len({part.size for part in filled}) == 1 and all(part.sizes is None for part in filled):
            return cls(np.concatenate([part.points for part in filled]), counts)
        rows, sizes = (
            np.concatenate([read(part) for part in filled])
            for read in (cls.rows, lambda part: part.per_object)
        )
        return cls.of_rows(rows, sizes, counts)

    def extents(self) -> Floats:
        """The smallest box (xmin, ymin, xmax, ymax) around all keypoints of each object."""
        if not self.size:
            return np.zeros((len(self), 4))
        low = high = places = self.points[..., :2]
        if self.sizes is not None:
            low, high = (np.where(self.present[..., None], places, end) for end in (np.inf, -np.inf))
        return np.concatenate([low.min(axis=1), high.max(axis=1)], axis=1) + 0.0  # which has no sign

    def boxes(self) -> Floats:
        """The same boxes as x, y, width, height."""
        boxes = self.extents()
        boxes[:, 2:] -= boxes[:, :2]
        return boxes

    def plain(self) -> dict[str, Any]:
        """The arguments of `of` as plain data."""
        labelled = np.count_nonzero(self.points[..., 2] > 0, axis=1)
        counts = {} if np.array_equal(labelled, self.counts) else {"num_keypoints": self.counts.tolist()}
        points = self.points.tolist()
        if self.sizes is not None:
            points = [entry[:size] for entry, size in zip(points, self.sizes.tolist(), strict=True)]
        return {"keypoints": points, **counts}


def joined_keypoints(parts: Sequence[tuple[int, Keypoints | None]]) -> Keypoints | None:
    """The keypoints of several parts; None unless all objects have keypoints.

    Args:
        parts: number of objects and keypoints of each.
    """
    if any(size and points is None for size, points in parts):
        return None  # an output of one tool among others; matching by keypoints refuses it
    known = [points for _, points in parts if points is not None]
    return Keypoints.concatenate(known) if known else None


def _differ(points: Any) -> bool:
    """Whether points are lists or arrays of objects with different numbers of keypoints."""
    if not isinstance(points, list | tuple):
        return False
    lengths = {len(entry) if isinstance(entry, list | tuple | np.ndarray) else -1 for entry in points}
    return len(lengths) > 1 and min(lengths) > 0


def _padded(points: Sequence[Any]) -> tuple[Floats, Int64s | None]:
    """Points of objects with different numbers of keypoints, padded, and those numbers."""
    entries = list(map(_numbers, points))
    for at, entry in enumerate(entries):
        if entry.ndim != 2 or entry.shape[1] not in (2, _AXES):  # noqa: PLR2004 (keypoints x axes)
            raise InputError(f"keypoints of object {at} have the shape {entry.shape}; {_FORM}")
    sizes = np.array(list(map(len, entries)), np.int64)
    whole = Keypoints.of_rows(
        np.concatenate(list(map(_with_visibility, entries))), sizes, np.zeros_like(sizes)
    )
    return whole.points, whole.sizes


def _with_visibility(points: Floats) -> Floats:
    """x, y and visibility of points; 2 for those without one."""
    if points.shape[-1] == _AXES:
        return points
    return np.concatenate([points, np.full((*points.shape[:-1], 1), 2.0)], axis=-1)


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
