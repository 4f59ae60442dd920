"""The shapes of COCO's annotations and results: polygons, run lengths, and masks drawn from them."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.datasets._coco_rows import CocoList, check_box
from thresher.errors import InputError
from thresher.kernels.detection.geometries import Geometry
from thresher.kernels.detection.polygons import Polygons
from thresher.kernels.detection.raster_lists import Rasters
from thresher.kernels.detection.rasterize import ring_raster, union
from thresher.kernels.detection.rasters import Raster, raster_boxes
from thresher.kernels.detection.run_length_texts import decompressed

Size = tuple[Any, Any]
LONGEST_SIDE = 2**31 - 1
"""Pixels, so that those of an image can be counted with 64 bits."""


def envelopes(shapes: Sequence[Geometry]) -> npt.NDArray[np.float64]:
    """The smallest box around each shape: x, y, width, height."""
    if isinstance(shapes, Rasters):
        left, top, right, bottom = shapes.boxes.T
        return np.stack([left, top, right - left, bottom - top], axis=1)
    rasters = [at for at, shape in enumerate(shapes) if isinstance(shape, Raster)]
    boxes = np.array([shape.box if isinstance(shape, Polygons) else (0.0,) * 4 for shape in shapes])
    boxes = boxes.reshape(-1, 4)
    boxes[rasters] = raster_boxes([shape for shape in shapes if isinstance(shape, Raster)])
    return np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], axis=1)


def areas(
    rows: CocoList, boxes: npt.NDArray[np.float64], shapes: Sequence[Geometry], *, scored: bool
) -> npt.NDArray[np.float64]:
    """COCO's areas: an annotation's `area`; for a result that of its box, or of its mask without a box."""
    found = boxes[:, 2] * boxes[:, 3]
    for at, shape in enumerate(shapes):
        if isinstance(shape, Raster) and not (scored and rows.rows[at].get("bbox")):
            found[at] = shape.area
        elif rows.rows[at].get("bbox"):
            check_box(rows.where(at), rows.rows[at]["bbox"])
            found[at] = rows.rows[at]["bbox"][2] * rows.rows[at]["bbox"][3]
    if not scored:
        return np.array([rows.area(at, area) for at, area in enumerate(found.tolist())])
    return found


def read_shapes(
    segmentations: Sequence[Any], sizes: Sequence[Size], way: str, where: Callable[[int], str]
) -> list[Geometry]:
    """A geometry per `segmentation`.

    Args:
        segmentations: polygons or run lengths.
        sizes: height and width of the image of each.
        way: `masks` draws polygons as COCO's tools do; `polygons` leaves them as they are.
        where: position -> name of an entry in messages.

    Raises:
        InputError: naming the entry, for a malformed shape or one that does not fit its image.
    """
    texts = {at: shape["counts"] for at, shape in enumerate(segmentations) if _is_compressed(shape)}
    runs = _decompressed(texts, where)
    return [
        _shape(where, at, (runs.get(at), shape, sizes[at]), way) for at, shape in enumerate(segmentations)
    ]


def _is_compressed(segmentation: Any) -> bool:
    return isinstance(segmentation, Mapping) and isinstance(segmentation.get("counts"), str)


def _decompressed(texts: Mapping[int, str], where: Callable[[int], str]) -> dict[int, Any]:
    """Decompress all run lengths at once; one by one only to name a damaged one."""
    try:
        runs = decompressed([text.encode("ascii", "replace") for text in texts.values()])
        return dict(zip(texts, runs, strict=True))
    except InputError:
        for at, text in texts.items():
            try:
                decompressed([text.encode("ascii", "replace")])
            except InputError as error:
                raise InputError(f"{where(at)}: segmentation: {error}") from error
        raise


def _shape(where: Callable[[int], str], at: int, entry: tuple[Any, Any, Size], way: str) -> Geometry:
    runs, shape, size = entry
    try:
        if isinstance(shape, Mapping):
            return _raster(shape.get("size", ()), shape.get("counts", ()) if runs is None else runs, size)
        rings = _rings(shape)
        if way == "polygons":
            return Polygons.of(*([ring] for ring in rings))
        return _drawn(rings, size)
    except (InputError, TypeError) as error:
        raise InputError(f"{where(at)}: segmentation: {error}") from error


def _raster(own: Any, runs: Any, size: Size) -> Raster:
    raster = Raster.from_rle(own, runs)
    if None not in size and raster.size != size:
        raise InputError(f"the mask is {raster.size}, its image {size} (height, width)")
    return raster


def _drawn(rings: list[Any], size: Size) -> Raster:
    if not rings or not all(type(side) is int and 0 <= side <= LONGEST_SIDE for side in size):
        raise InputError("a polygon becomes a mask if it has points and its image height and width")
    return union([ring_raster(ring, *size) for ring in rings])


def _rings(shape: Any) -> list[Any]:
    if not isinstance(shape, list):
        raise InputError(f"{shape!r} is not a shape; give polygons or run lengths")
    return [_ring(flat) for flat in shape]


def _ring(flat: Any) -> Any:
    if not isinstance(flat, list) or len(flat) < 6 or len(flat) % 2:  # noqa: PLR2004 (three points)
        raise InputError("a polygon is a list of x, y, x, y, ... with three points or more")
    if not all(type(number) in (int, float) and isfinite(number) for number in flat):
        raise InputError("a polygon is a list of finite numbers")
    return [flat[at : at + 2] for at in range(0, len(flat), 2)]
