"""The masks of many objects as columns of run lengths, without a Python object for each."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, overload

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.rasters import Raster, RasterColumn, raster_boxes
from thresher.native.kernel import Array, Kernel
from thresher.native.library import library
from thresher.native.threads import threads_for
from thresher.results.ragged import Int64s, ranges

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int32]
_MOST_PIXELS = 2**31 - 1
"""Of an image whose run lengths are a column."""
_PAIRS_PER_THREAD = 1 << 12
_RUNS_PER_THREAD = 1 << 16
"""What makes another thread worth its start."""
_JSON_OF_MASK = len('{"counts": [], "size": [, ]}, ') + 2 * len(str(_MOST_PIXELS)) + 8
_RUNS = (Array("int32"), Array("int64"), Array("int64"))
_SIZES, _WRITTEN, _FLOATS = Array("int64"), Array("int64", written=True), Array("float64", written=True)
_mask_boxes = Kernel("mask_boxes", *_RUNS, _SIZES, int, _FLOATS, _WRITTEN)
_mask_json = Kernel("mask_json", *_RUNS, _SIZES, Array("uint8", written=True), _WRITTEN)
_mask_overlaps = Kernel("mask_overlaps", *_RUNS, *_RUNS, Array("int64"), Array("int64"), int, _FLOATS)


@dataclass(frozen=True, eq=False)
class Rasters(Sequence[Raster]):
    """Masks one after the other; reads as a list of `Raster`, each built on access.

    Attributes:
        sizes: height and width of each mask's image in pixels (masks x 2).
        starts: where each mask's run lengths begin in `counts`.
        lengths: how many run lengths each mask has.
        counts: run lengths as in `Raster`; those of some masks may be shared with other lists.
        boxes: the smallest box around each mask, as in `Raster.box` (masks x 4).
        areas: number of pixels of each mask.
    """

    sizes: Int64s
    starts: Int64s
    lengths: Int64s
    counts: Counts
    boxes: Floats
    areas: Int64s

    @classmethod
    def of_runs(cls, sizes: Int64s, lengths: Int64s, counts: npt.NDArray[Any]) -> Self:
        """Build a list from the run lengths of all masks, one after the other."""
        starts, runs = np.cumsum(lengths) - lengths, np.ascontiguousarray(counts, dtype=np.int32)
        sizes, lengths = (np.ascontiguousarray(column, dtype=np.int64) for column in (sizes, lengths))
        boxes, areas = np.zeros((len(sizes), 4)), np.zeros(len(sizes), np.int64)
        masks = cls(sizes, starts, lengths, runs, boxes, areas)
        if library() is None:
            column = RasterColumn.of(masks)
            return cls(sizes, starts, lengths, runs, raster_boxes(masks), column.areas)
        _mask_boxes(*masks._columns, sizes, threads_for(len(runs), _RUNS_PER_THREAD), boxes, areas)
        return masks

    @classmethod
    def of(cls, shapes: Sequence[Any]) -> Self | None:
        """The same masks as a list; None if some are not masks, or are of images of 2**31 pixels or more.

        >>> masks = Rasters.of([Raster.of([[0, 1], [0, 1]]), Raster.of([[1, 1]])])
        >>> masks.counts.tolist(), masks.areas.tolist(), masks[1].counts.tolist()
        ([2, 2, 0, 2], [2, 2], [0, 2])
        """
        if isinstance(shapes, cls):
            return shapes
        if {*map(type, shapes)} - {Raster} or any(
            height * width > _MOST_PIXELS for height, width in {shape.size for shape in shapes}
        ):
            return None
        sizes = np.array([shape.size for shape in shapes], np.int64).reshape(-1, 2)
        lengths = np.array([len(shape.counts) for shape in shapes], np.int64)
        return cls.of_runs(
            sizes, lengths, np.concatenate([np.zeros(0, np.int64), *(s.counts for s in shapes)])
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Join several lists."""
        whole = [part.compact() for part in parts]
        lengths = np.concatenate([part.lengths for part in whole])
        return cls(
            np.concatenate([part.sizes for part in whole]),
            np.cumsum(lengths) - lengths,
            lengths,
            np.concatenate([part.counts for part in whole]),
            np.concatenate([part.boxes for part in whole]),
            np.concatenate([part.areas for part in whole]),
        )

    @overload
    def __getitem__(self, index: int) -> Raster: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Raster | Self:
        if isinstance(index, slice):
            return self.take(index)
        at = range(len(self))[index]
        (height, width), start = self.sizes[at].tolist(), self.starts[at]
        return Raster((height, width), self.counts[start : start + self.lengths[at]].astype(np.int64))

    def __len__(self) -> int:
        return len(self.sizes)

    def __reduce__(self) -> tuple[Any, ...]:
        whole = self.compact()
        columns = (whole.sizes, whole.starts, whole.lengths, whole.counts, whole.boxes, whole.areas)
        return type(self), columns

    def take(self, entries: Int64s | slice) -> Self:
        """Some masks, in the order of `entries`; they share the run lengths."""
        starts, lengths, areas = (column[entries] for column in (self.starts, self.lengths, self.areas))
        return type(self)(self.sizes[entries], starts, lengths, self.counts, self.boxes[entries], areas)

    def compact(self) -> Self:
        """The same masks without the run lengths of others, one after the other."""
        ends = np.cumsum(self.lengths)
        starts = ends - self.lengths
        first = int(self.starts[0]) if len(self) else 0
        if (self.starts == starts + first).all():
            counts = self.counts[first : first + int(self.lengths.sum())]
        else:
            counts = self.counts[ranges(self.starts, self.lengths)]
        return type(self)(self.sizes, starts, self.lengths, counts, self.boxes, self.areas)

    def intersections(self, other: "Rasters", mine: Int64s, theirs: Int64s) -> Floats:
        """Pixels that the masks of each pair share.

        Args:
            other: the masks of the other side, in images of the same sizes.
            mine: position here of each pair's first mask; pairs of one mask should follow each other.
            theirs: position there of each pair's second mask.
        """
        if library() is None:
            return RasterColumn.of(self).intersections(RasterColumn.of(other), mine, theirs)
        shared = np.zeros(len(mine))
        pairs = (np.ascontiguousarray(side, dtype=np.int64) for side in (mine, theirs))
        threads = threads_for(len(mine), _PAIRS_PER_THREAD)
        _mask_overlaps(*self._columns, *other._columns, *pairs, threads, shared)  # noqa: SLF001
        return shared

    def json(self) -> bytes | memoryview:
        """The JSON of the members of a list of `Raster.to_dict`, with sorted keys.

        >>> bytes(Rasters.of([Raster.of([[0, 1], [0, 1]])]).json())
        b'{"counts": [2, 2], "size": [2, 2]}'
        """
        if library() is None:
            return json.dumps([mask.to_dict() for mask in self], sort_keys=True)[1:-1].encode()
        digits = len(str(int(self.sizes.prod(axis=1).max(initial=0))))
        room = (digits + len(", ")) * int(self.lengths.sum()) + _JSON_OF_MASK * len(self)
        content, size = np.empty(room, np.uint8), np.zeros(1, np.int64)
        _mask_json(*self._columns, np.ascontiguousarray(self.sizes), content, size)
        return content[: size[0]].data

    @property
    def _columns(self) -> tuple[Counts, Int64s, Int64s]:
        """Arguments of the kernels."""
        starts, lengths = (np.ascontiguousarray(column) for column in (self.starts, self.lengths))
        return np.ascontiguousarray(self.counts), starts, lengths
