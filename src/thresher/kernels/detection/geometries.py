"""The shapes of objects: polygons, rasters and boxes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.detection.boxes import corners
from thresher.kernels.detection.polygons import Polygons
from thresher.kernels.detection.raster_lists import Rasters
from thresher.kernels.detection.rasters import Raster

Floats = npt.NDArray[np.float64]
Geometry = Polygons | Raster | None
"""The shape of an object; None for a box."""


def read_geometry(value: Any) -> Any:
    """Read a geometry from plain data: GeoJSON, run lengths, or a box of four numbers.

    Raises:
        InputError: for anything else.
    """
    if not isinstance(value, Mapping):
        return value
    if "counts" in value:
        return Raster.from_rle(value.get("size", ()), value["counts"])
    kind, coordinates = value.get("type"), value.get("coordinates")
    if kind == "Polygon" and isinstance(coordinates, Sequence):
        return Polygons.of(coordinates)
    if kind == "MultiPolygon" and isinstance(coordinates, Sequence):
        return Polygons.of(*coordinates)
    raise InputError(f"a geometry is GeoJSON, run lengths or a box, not a dict of {', '.join(sorted(value))}")


def outlines(
    boxes: npt.ArrayLike | None, geometries: Sequence[Any] | None, box_format: str
) -> tuple[Floats, Floats, tuple[Geometry, ...]]:
    """Boxes around all objects, their areas, and each object's shape; no shapes if all are boxes."""
    if geometries is None:
        return *corners(np.zeros((0, 4)) if boxes is None else boxes, box_format), ()
    shapes = tuple(shape if isinstance(shape, Polygons | Raster) else None for shape in geometries)
    rows = [box if shape is None else shape.box for box, shape in zip(geometries, shapes, strict=True)]
    return *_envelopes(rows, shapes, box_format), shapes


def _envelopes(rows: list[Any], shapes: Sequence[Geometry], box_format: str) -> tuple[Floats, Floats]:
    boxes, areas = np.zeros((len(rows), 4)), np.zeros(len(rows))
    for at, (row, shape) in enumerate(zip(rows, shapes, strict=True)):
        box, area = corners([row], "xyxy" if shape is not None else box_format, f"geometry {at}, box")
        boxes[at], areas[at] = box[0], area[0]
    return boxes, areas


def are_rasters(shapes: Sequence[Geometry]) -> npt.NDArray[np.bool_]:
    """Which shapes are masks."""
    if isinstance(shapes, Rasters):
        return np.ones(len(shapes), bool)
    return np.fromiter((isinstance(shape, Raster) for shape in shapes), bool, len(shapes))


def raster_sizes(shapes: Sequence[Geometry]) -> npt.NDArray[np.int64]:
    """Height and width of the image of each mask among the shapes (masks x 2)."""
    if isinstance(shapes, Rasters):
        return shapes.sizes
    sizes = [shape.size for shape in shapes if isinstance(shape, Raster)]
    return np.array(sizes, np.int64).reshape(-1, 2)


def areas_of(box_areas: Floats, shapes: Sequence[Geometry]) -> Floats:
    """Area of each geometry; polygons by the shoelace formula, minus their holes."""
    if isinstance(shapes, Rasters):
        return shapes.areas.astype(np.float64)
    areas = box_areas.copy()
    for at, shape in enumerate(shapes):
        if isinstance(shape, Raster):
            areas[at] = shape.area
        elif shape is not None:
            rings = [[_shoelace(ring) for ring in part] for part in shape.parts]
            areas[at] = sum(first - sum(holes) for first, *holes in rings)
    return areas


def _shoelace(ring: Floats) -> float:
    x, y = (ring - ring[0]).T
    return abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2
