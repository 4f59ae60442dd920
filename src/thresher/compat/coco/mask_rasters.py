"""Rasters from what pycocotools takes as a mask, and masks as it returns them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from thresher.errors import InputError
from thresher.kernels.detection.rasterize import combined, ring_raster
from thresher.kernels.detection.rasters import Raster, checked_size
from thresher.kernels.detection.run_length_texts import compressed, decompressed
from thresher.results.ragged import Int64s

_SIDES = 4
_KINDS = "numbers of a polygon or box, lists of them, an array of boxes, or uncompressed run lengths"


def to_rasters(masks: Sequence[Any]) -> list[Raster]:
    """Masks from COCO's dicts; compressed texts are read together.

    Raises:
        InputError: for anything else, and damaged run lengths.
    """
    for mask in masks:
        if not (isinstance(mask, Mapping) and "counts" in mask and "size" in mask):
            raise InputError(f"a mask is a dict of size and counts, not {mask!r}")
    texts = [at for at, mask in enumerate(masks) if isinstance(mask["counts"], str | bytes)]
    runs = dict(zip(texts, decompressed([_ascii(masks[at]["counts"]) for at in texts]), strict=True))
    return [
        _filled(checked_size(mask["size"]), runs[at])
        if at in runs
        else Raster.from_rle(mask["size"], mask["counts"])
        for at, mask in enumerate(masks)
    ]


def _filled(size: tuple[int, int], runs: Int64s) -> Raster:
    """A mask of decompressed run lengths, which are checked as `Raster.from_rle` does, in less time."""
    if int(runs.sum()) != size[0] * size[1] or (len(runs) and int(runs.min()) < 0):
        return Raster.from_rle(size, runs)  # raises
    return Raster(size, runs)


def to_dicts(rasters: Sequence[Raster]) -> list[dict[str, Any]]:
    """Masks as COCO's dicts."""
    texts = compressed([raster.counts for raster in rasters])
    return [{"size": list(raster.size), "counts": text} for raster, text in zip(rasters, texts, strict=True)]


def drawn(entry: Any, height: int, width: int) -> Raster:
    """The mask of one polygon, box, or dict of run lengths.

    Raises:
        InputError: for anything else.
    """
    if isinstance(entry, Mapping):
        return to_rasters([entry])[0]
    try:
        numbers = np.asarray(entry, dtype=np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        raise InputError(f"frPyObjects: give {_KINDS}") from error
    if numbers.ndim != 1 or len(numbers) < _SIDES:
        raise InputError(f"frPyObjects: give {_KINDS}, not {entry!r}")
    if len(numbers) == _SIDES:
        x, y, across, down = numbers.tolist()
        numbers = np.array([x, y, x, y + down, x + across, y + down, x + across, y])
    return ring_raster(numbers[: len(numbers) // 2 * 2], height, width)


def merged(rasters: Sequence[Raster], *, intersect: bool = False) -> Raster:
    """The union or the intersection of masks of one size."""
    if len(rasters) == 1:
        return rasters[0]
    size, least = one_size(rasters), len(rasters) if intersect else 1
    if not rasters:
        return Raster(size, np.zeros(0, np.int64))
    return combined(rasters, lambda inside: inside >= least, [1] * len(rasters))


def one_size(rasters: Sequence[Raster]) -> tuple[int, int]:
    """Height and width of masks of one size; 0 without masks.

    Raises:
        InputError: for masks of different sizes.
    """
    sizes = {raster.size for raster in rasters}
    if len(sizes) > 1:
        raise InputError(f"masks have different sizes: {sorted(sizes)}; give masks of one image")
    return sizes.pop() if sizes else (0, 0)


def _ascii(text: str | bytes) -> bytes:
    return text.encode("ascii", "replace") if isinstance(text, str) else text
