"""Counting the pixels of one image by true and predicted label."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.detection.rasterize import union
from thresher.kernels.detection.rasters import Raster, RasterColumn
from thresher.native.kernel import Array, Kernel
from thresher.native.library import library
from thresher.native.threads import threads_for

Ints = npt.NDArray[Any]
_AXES = 2
_WIDEST = 2048
"""Maps with higher values are renumbered before pairs are counted: a table of 2048 x 2048 counts takes 32 MB.
Renumbering sorts the pixels: a map of 512 x 512 with 150 labels then takes 28 ms instead of 1.5 ms."""

_PIXELS_PER_THREAD = 1 << 22
"""Pixels that make another thread worth its start: smaller images are divided among threads themselves."""
_BYTE_CELLS = 257 * 257
_native_pair_counts = Kernel(
    "pair_counts",
    *(Array("uint8"), Array("uint8"), int, int, int, int, int),
    Array("int64", written=True),
)
_native_byte_pair_counts = Kernel(
    "byte_pair_counts",
    *(Array("uint8"), Array("uint8"), int, int),
    *(Array("int64", written=True), Array("int64", written=True)),
)


@dataclass(frozen=True, eq=False)
class PixelCounts:
    """The pixels of one image.

    Attributes:
        values: the labels that occur.
        pairs: true label x predicted label -> pixels, by position in `values`; the last means "no label".
        truth: pixels of each true label.
        predicted: pixels of each predicted label.
        unlabelled: pixels without a true label.
    """

    values: tuple[Any, ...]
    pairs: Ints
    truth: Ints
    predicted: Ints
    unlabelled: int

    @property
    def overlap(self) -> Ints:
        """Correctly predicted pixels of each label."""
        return np.diagonal(self.pairs)[:-1]

    @property
    def agreed(self) -> int:
        """Pixels whose true and predicted label are the same or both missing."""
        return int(np.trace(self.pairs))

    @property
    def pixels(self) -> int:
        """All counted pixels; a pixel with several true labels counts several times."""
        return int(self.truth.sum()) + self.unlabelled


NOTHING = PixelCounts((), np.zeros((1, 1), np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64), 0)
"""An image without pixels."""


def compare_maps(
    truth: npt.ArrayLike,
    predicted: npt.ArrayLike,
    *,
    ignore: int | None = None,
    background: int | None = None,
) -> PixelCounts:
    """Count the pixels of two label maps.

    Args:
        truth: height x width integers, the values of labels; booleans count as 1 and 0.
        predicted: the same for the prediction.
        ignore: pixels with this true value do not count; as a prediction it means "no label".
        background: the value of pixels without a label; None if every value is a label.

    Raises:
        InputError: if a map is not height x width integers of at least 0, or sizes differ.

    >>> counts = compare_maps([[1, 1, 3]], [[1, 3, 3]])
    >>> counts.values, counts.overlap.tolist(), counts.truth.tolist(), counts.predicted.tolist()
    ((1, 3), [1, 1], [2, 1], [1, 2])
    """
    true_map, predicted_map = _checked(truth, ignore), _checked(predicted, ignore)
    if true_map.shape != predicted_map.shape:
        sizes = f"the true map is {true_map.shape}, the predicted one {predicted_map.shape}"
        raise InputError(f"{sizes}; sizes must agree")
    values, table = _table(true_map, predicted_map)
    if ignore is not None:
        table[:-1][values == ignore] = 0
    unlabelled = [value for value in (ignore, background) if value is not None]
    if unlabelled:
        _move_to_last(table, np.isin(values, unlabelled))
    true, predicted_sums = table.sum(axis=1), table.sum(axis=0)
    labels = np.flatnonzero((true[:-1] > 0) | (predicted_sums[:-1] > 0))
    if len(labels) < len(values):
        kept = np.append(labels, len(values))
        table, true, predicted_sums = table[np.ix_(kept, kept)], true[kept], predicted_sums[kept]
    return PixelCounts(tuple(values[labels].tolist()), table, true[:-1], predicted_sums[:-1], int(true[-1]))


def _move_to_last(table: Ints, none: npt.NDArray[np.bool_]) -> None:
    """Move the pairs of values that mean "no label" to the last row and column."""
    places = np.flatnonzero(none)
    table[-1] += table[places].sum(axis=0)
    table[places] = 0
    table[:, -1] += table[:, places].sum(axis=1)
    table[:, places] = 0


def compare_masks(truth: Mapping[Any, Raster], predicted: Mapping[Any, Raster], pixels: int) -> PixelCounts:
    """Count the pixels of masks, one per label; masks of different labels may overlap.

    Args:
        truth: label -> mask.
        predicted: label -> mask, of the same size.
        pixels: number of pixels of the image.
    """
    values = tuple(sorted({*truth, *predicted}))
    sides = [[side.get(value) for value in values] for side in (truth, predicted)]
    for side in sides:
        masks = [raster for raster in side if raster is not None]
        side.append(union(masks) if masks else None)
    true, guessed = (RasterColumn.of(side) for side in sides)
    size = len(values) + 1
    rows, columns = (indices.ravel() for indices in np.indices((size, size)))
    pairs = true.intersections(guessed, rows, columns).astype(np.int64).reshape(size, size)
    covered = int(true.areas[-1] + guessed.areas[-1] - pairs[-1, -1])
    pairs[:-1, -1] = true.areas[:-1] - pairs[:-1, -1]
    pairs[-1, :-1] = guessed.areas[:-1] - pairs[-1, :-1]
    pairs[-1, -1] = pixels - covered
    return PixelCounts(values, pairs, true.areas[:-1], guessed.areas[:-1], pixels - int(true.areas[-1]))


def _checked(values: npt.ArrayLike, ignore: int | None) -> Ints:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InputError("a label map has rows of different lengths; give height x width integers") from error
    if array.dtype.kind == "b":
        array = array.astype(np.uint8)
    if array.ndim != _AXES or array.dtype.kind not in "iu":
        remedy = "; take the argmax over the labels" if array.ndim == _AXES + 1 else ""
        raise InputError(f"a label map is height x width integers, not {array.dtype} {array.shape}{remedy}")
    lowest = int(array.min(initial=0)) if array.dtype.kind == "i" else 0
    if lowest < 0 and (ignore is None or ignore >= 0 or (array[array != ignore] < 0).any()):
        raise InputError(
            "a label map holds a negative number; give numbers of at least 0, or pass it as ignore"
        )
    return array


def _table(truth: Ints, predicted: Ints) -> tuple[Ints, Ints]:
    """The values from the lowest to the highest (or those that occur), and how often each pair occurs.

    The table has another row and column, which are empty.
    """
    if truth.dtype == predicted.dtype and truth.itemsize == 1 and library() is not None:
        return _byte_table(truth, predicted)
    low = min(int(truth.min(initial=0)), int(predicted.min(initial=0)))
    width = max(int(truth.max(initial=0)), int(predicted.max(initial=0))) - low + 1
    if width > _WIDEST:
        values, codes = np.unique(np.stack([truth, predicted]).ravel(), return_inverse=True)
        first, second = codes.reshape(2, -1)
        return values, _pair_counts(first, second, len(values) + 1)
    values = np.arange(low, low + width)
    if library() is not None:
        return values, _pair_counts_by_library(truth, predicted, low, width + 1)
    if low:
        truth, predicted = (np.subtract(side, low, dtype=np.int64) for side in (truth, predicted))
    return values, _pair_counts(truth.ravel(), predicted.ravel(), width + 1)


def _pair_counts_by_library(truth: Ints, predicted: Ints, low: int, width: int) -> Ints:
    if truth.dtype != predicted.dtype or not truth.dtype.isnative:
        common = np.result_type(truth.dtype, predicted.dtype)
        common = np.dtype(np.int64) if common.kind == "f" else common.newbyteorder("=")
        truth, predicted = truth.astype(common), predicted.astype(common)
    kind, counts = truth.dtype, np.zeros((width, width), np.int64)
    threads = threads_for(truth.size, _PIXELS_PER_THREAD)
    sides = _bytes_of(truth), _bytes_of(predicted)
    _native_pair_counts(*sides, kind.itemsize, kind.kind == "i", low, width, threads, counts)
    return counts


def _byte_table(truth: Ints, predicted: Ints) -> tuple[Ints, Ints]:
    """As `_table` for maps of single bytes: counting finds the lowest and the highest value too."""
    counts, found = np.empty(_BYTE_CELLS, np.int64), np.empty(2, np.int64)
    threads = threads_for(truth.size, _PIXELS_PER_THREAD)
    signed = truth.dtype.kind == "i"
    _native_byte_pair_counts(_bytes_of(truth), _bytes_of(predicted), signed, threads, counts, found)
    low, width = found.tolist()
    size = width + 1
    return np.arange(low, low + width), counts[: size * size].reshape(size, size)


def _bytes_of(values: Ints) -> npt.NDArray[np.uint8]:
    return np.ascontiguousarray(values).view(np.uint8).ravel()


def _pair_counts(first: Ints, second: Ints, width: int) -> Ints:
    kind: Any = np.uint16 if width * width <= 1 << 16 else np.uint64
    keys = first.astype(kind)
    keys *= kind(width)
    keys += second.astype(kind, copy=False)
    return np.bincount(keys, minlength=width * width).reshape(width, width)
