"""Masks as run lengths: counts of pixels column by column, starting with pixels outside (COCO's RLE)."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.files.images import check_pixels
from thresher.kernels.detection.run_length_texts import decompressed
from thresher.native.kernel import Array, Kernel
from thresher.native.library import library
from thresher.native.threads import threads_for
from thresher.results.ragged import ranges

Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_WHITE = 255
_AXES = 2
_PAIRS_PER_THREAD = 1 << 12
"""Pairs of masks that make another thread worth its start."""
_COLUMNS = (Array("int64"),) * 3
_shared_pixels = Kernel(
    "shared_pixels", *_COLUMNS, *_COLUMNS, Array("int64"), Array("int64"), int, Array("float64", written=True)
)


@dataclass(frozen=True)
class Raster:
    """One mask.

    Attributes:
        size: height and width of the image in pixels.
        counts: run lengths down the columns, the first of pixels outside the mask; they add up to the image.
    """

    size: tuple[int, int]
    counts: Int64s

    @classmethod
    def of(cls, mask: npt.ArrayLike, threshold: float | None = None) -> Self:
        """Build a mask from an array of height x width; nonzero pixels, which are all alike, are inside.

        Args:
            mask: booleans or numbers.
            threshold: required for a soft mask (probabilities, as from torchvision's models): pixels of at
                least this value are inside, usually 0.5.

        Raises:
            InputError: for another shape or type, and for a soft mask without a threshold, grey
                levels and numbers of objects.

        >>> Raster.of([[0, 1], [0, 1]]).counts.tolist()
        [2, 2]
        >>> Raster.of([[0.02, 0.9], [0.02, 0.5]], threshold=0.5).area
        2
        """
        array = np.asarray(mask)
        if array.ndim != _AXES:
            raise InputError(f"a mask has height and width, not the shape {array.shape}")
        flat = np.concatenate([[False], _inside(array, threshold).ravel(order="F")])
        changes = np.flatnonzero(flat[1:] != flat[:-1])
        counts = np.diff(np.concatenate([[0], changes, [array.size]]))
        return cls((array.shape[0], array.shape[1]), counts.astype(np.int64))

    @classmethod
    def from_rle(cls, size: Sequence[int], counts: Any) -> Self:
        """Build a mask from COCO's run lengths: a list, or a compressed string.

        Raises:
            InputError: if the runs do not fill the image, or the string is damaged.
        """
        height, width = checked_size(size)
        if isinstance(counts, str | bytes):
            runs = decompressed([counts.encode("ascii", "replace") if isinstance(counts, str) else counts])[0]
            if (runs < 0).any():
                raise InputError("compressed run lengths are damaged: a run is negative; write them again")
        else:
            runs = _counted(counts)
        if runs.sum() != height * width:
            raise InputError(
                f"run lengths add up to {int(runs.sum())}, but a mask of {height} x {width} has "
                f"{counted(height * width, 'pixel')}"
            )
        return cls((height, width), runs)

    def to_array(self) -> npt.NDArray[np.bool_]:
        """The mask as an array of height x width."""
        check_pixels("a mask", self.size[1], self.size[0])
        inside = np.arange(len(self.counts)) % 2 == 1
        return np.asarray(np.repeat(inside, self.counts).reshape(self.size, order="F"), dtype=np.bool_)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: COCO's run lengths."""
        return {"size": list(self.size), "counts": self.counts.tolist()}

    @property
    def area(self) -> int:
        """Number of pixels inside."""
        return int(self.counts[1::2].sum())

    @property
    def intervals(self) -> tuple[Int64s, Int64s]:
        """Start and end of the nonempty runs inside the mask, as positions down the columns."""
        ends = np.cumsum(self.counts)
        starts, stops = (ends - self.counts)[1::2], ends[1::2]
        filled = starts < stops
        return starts[filled], stops[filled]

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The smallest box around the pixels: xmin, ymin, xmax, ymax; all 0 for an empty mask."""
        left, top, right, bottom = raster_boxes([self])[0].tolist()
        return left, top, right, bottom


def _inside(array: npt.NDArray[Any], threshold: float | None) -> npt.NDArray[np.bool_]:
    """Which pixels belong to a mask. All pixels of a soft mask may be above 0, so it needs a threshold."""
    if array.dtype.kind not in "biuf":
        raise InputError(f"a mask holds booleans or numbers, not {array.dtype}")
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise InputError("a mask holds NaN; give numbers")
    if array.dtype.kind in "iu":
        _refuse_several_values(array)
    if threshold is not None:
        if isinstance(threshold, bool) or not isinstance(threshold, Real) or not 0 < threshold <= 1:
            raise InputError(f"threshold={threshold!r} must be a number above 0, at most 1")
        return np.asarray(array >= threshold)
    if array.dtype.kind == "f" and (array != np.floor(array)).any():
        value = float(array[array != np.floor(array)][0])
        raise InputError(
            f"the mask is soft (it holds {value:g}), and every value above 0 would be inside: give "
            "mask > 0.5, or Detections.of(output, threshold=0.5) or Raster.of(mask, threshold=0.5)"
        )
    if array.dtype.kind == "f":
        _refuse_several_values(array)
    return array.astype(bool)


def _refuse_several_values(array: npt.NDArray[Any]) -> None:
    """Raise for grey levels and numbers of objects, which would all become one mask.

    Masks of 0 and 255 that a tool has drawn on may hold 1 as well.
    """
    if not array.size:
        return
    highest = array.max()
    least = array.min(initial=highest, where=array != 0)
    if least != highest and ((array != 0) & (array != 1) & (array != _WHITE)).any():
        raise InputError(
            f"the mask holds {least:g} and {highest:g}, and both would be inside: give mask > 127 if they "
            "are grey levels, mask == NUMBER if they number objects"
        )


def checked_size(size: Any) -> tuple[int, int]:
    """Return height and width.

    Raises:
        InputError: for anything but a pair of integers of at least 0.
    """
    sides = list(size) if isinstance(size, Sequence | np.ndarray) and not isinstance(size, str) else size
    wrong = not isinstance(sides, list) or len(sides) != _AXES
    if wrong or any(
        isinstance(side, bool) or not isinstance(side, Real) or side != side // 1 or side < 0
        for side in sides
    ):
        raise InputError(f"the size of a mask is [height, width], not {sides!r}")
    return int(sides[0]), int(sides[1])


def _counted(counts: Any) -> Int64s:
    """Run lengths from a list of them."""
    try:
        runs = np.asarray(counts)
    except ValueError:
        runs = np.zeros((0, 0))
    if runs.ndim != 1 or runs.dtype.kind not in "iuf" or (runs != runs // 1).any() or (runs < 0).any():
        raise InputError("run lengths are integers of at least 0, or COCO's compressed string")
    return runs.astype(np.int64)


def raster_boxes(rasters: Sequence[Raster]) -> Floats:
    """The smallest box around the pixels of each mask (masks x 4); all 0 for an empty one."""
    column = RasterColumn.of(rasters)
    boxes = np.zeros((len(rasters), 4))
    filled = np.flatnonzero(np.diff(column.offsets))
    if not len(filled):
        return boxes
    at = column.offsets[filled]
    heights = np.array([raster.size[0] for raster in rasters], dtype=np.int64)[filled]
    height = np.repeat(heights, np.diff(np.append(at, len(column.starts))))
    first, last = column.starts // height, (column.stops - 1) // height
    through = first < last
    top = np.where(through, 0, column.starts % height)
    bottom = np.where(through, height, (column.stops - 1) % height + 1)
    boxes[filled, 0] = np.minimum.reduceat(first, at)
    boxes[filled, 1] = np.minimum.reduceat(top, at)
    boxes[filled, 2] = np.maximum.reduceat(last, at) + 1
    boxes[filled, 3] = np.maximum.reduceat(bottom, at)
    return boxes


@dataclass(frozen=True)
class RasterColumn:
    """The intervals of many masks, concatenated.

    Attributes:
        offsets: where each mask's intervals start; one more than there are masks.
        starts: first position of each interval.
        stops: the position after each interval.
        areas: pixels of each mask.
    """

    offsets: Int64s
    starts: Int64s
    stops: Int64s
    areas: Int64s

    @classmethod
    def of(cls, rasters: Sequence[Raster | None]) -> Self:
        """Build a column from masks; None has no pixels."""
        runs = [np.zeros(0, np.int64) if raster is None else raster.counts for raster in rasters]
        lengths = np.fromiter(map(len, runs), np.int64, len(runs))
        counts = np.concatenate([np.zeros(0, np.int64), *runs])
        first = np.cumsum(lengths) - lengths
        owners = np.repeat(np.arange(len(runs)), lengths)
        ends = np.cumsum(counts)
        ends -= np.repeat((ends - counts)[first[lengths > 0]], lengths[lengths > 0])
        inside = np.flatnonzero(((np.arange(len(counts)) - first[owners]) % 2 == 1) & (counts > 0))
        sizes = np.bincount(owners[inside], counts[inside], len(runs)).astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(np.bincount(owners[inside], minlength=len(runs)))])
        return cls(offsets.astype(np.int64), (ends - counts)[inside], ends[inside], sizes)

    def intersections(self, other: "RasterColumn", mine: Int64s, theirs: Int64s) -> Floats:
        """Pixels that the masks of each pair share.

        Args:
            other: the masks of the other side, in images of the same sizes.
            mine: position here of each pair's first mask.
            theirs: position there of each pair's second mask.

        With numpy, the pixels of the second mask before both ends of each interval of the first mask are
        looked up; the difference is the overlap.
        """
        if library() is not None:
            return self._intersections_by_library(other, mine, theirs)
        span = int(max(self.stops.max(initial=0), other.stops.max(initial=0))) + 1
        counts = np.diff(self.offsets)[mine]
        entries = ranges(self.offsets[mine], counts)
        masks = np.repeat(theirs, counts)
        owners = np.repeat(np.arange(len(other.areas)), np.diff(other.offsets))
        keys = owners * span + other.starts
        shared = other._before(keys, masks, masks * span, self.stops[entries])  # noqa: SLF001
        shared -= other._before(keys, masks, masks * span, self.starts[entries])  # noqa: SLF001
        pairs = np.repeat(np.arange(len(mine)), counts)
        return np.asarray(np.bincount(pairs, shared, len(mine)), dtype=np.float64)

    def _intersections_by_library(self, other: "RasterColumn", mine: Int64s, theirs: Int64s) -> Floats:
        shared = np.zeros(len(mine))
        _shared_pixels(
            *(self.offsets, self.starts, self.stops),
            *(other.offsets, other.starts, other.stops),
            *(np.ascontiguousarray(side, dtype=np.int64) for side in (mine, theirs)),
            *(threads_for(len(mine), _PAIRS_PER_THREAD), shared),
        )
        return shared

    def _before(self, keys: Int64s, masks: Int64s, base: Int64s, positions: Int64s) -> Int64s:
        """Pixels of all masks, in their order, up to a position in one of them."""
        sums = np.concatenate([[0], np.cumsum(self.stops - self.starts)])
        if not len(keys):
            return np.zeros(len(masks), np.int64)
        at = np.searchsorted(keys, base + positions, "right")
        last = np.maximum(at - 1, 0)
        partly = sums[last] + np.minimum(positions, self.stops[last]) - self.starts[last]
        return np.where(at > self.offsets[masks], partly, sums[self.offsets[masks]])
