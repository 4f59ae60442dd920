"""Polygons with holes, one or several per object; areas and intersections by shapely."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError, MissingDependencyError
from thresher.kernels.detection.rasters import Raster

Floats = npt.NDArray[np.float64]
Objects = npt.NDArray[Any]
_FEWEST = 3
_ROTATED = 5
"""Numbers of a rotated box: centre, width, height, angle."""


@dataclass(frozen=True)
class Polygons:
    """One object's outline.

    Attributes:
        parts: polygons, each a tuple of rings: the outer one, then its holes. A ring is an array of points
            (x, y) in pixels, not closed.
    """

    parts: tuple[tuple[Floats, ...], ...]

    @classmethod
    def of(cls, *polygons: Sequence[npt.ArrayLike]) -> Self:
        """Build an outline from polygons, which are lists of rings.

        Raises:
            InputError: for an object without a ring, a ring of fewer than three points, and coordinates
                that are not finite numbers.

        >>> Polygons.of([[[0, 0], [4, 0], [4, 3]]]).box
        (0.0, 0.0, 4.0, 3.0)
        """
        if not polygons or not all(polygons):
            raise InputError("a polygon needs an outer ring; give [[x, y], ...] with three points or more")
        return cls(tuple(tuple(_ring(ring) for ring in rings) for rings in polygons))

    @classmethod
    def rotated_box(cls, center: Sequence[float], size: Sequence[float], degrees: float) -> Self:
        """A box rotated around its centre, by an angle from the x axis towards the y axis.

        >>> Polygons.rotated_box((2, 2), (2, 2), 0).box
        (1.0, 1.0, 3.0, 3.0)
        """
        (x, y), (width, height) = center, size
        if not width >= 0 or not height >= 0:
            raise InputError(f"a rotated box has width and height of at least 0, not {width} and {height}")
        cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        corners = [(-width / 2, -height / 2), (width / 2, -height / 2), (width / 2, height / 2)]
        corners.append((-width / 2, height / 2))
        return cls.of([[(x + cos * dx - sin * dy, y + sin * dx + cos * dy) for dx, dy in corners]])

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The smallest upright box around all parts: xmin, ymin, xmax, ymax."""
        points = np.concatenate([rings[0] for rings in self.parts])
        (left, top), (right, bottom) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
        return left, top, right, bottom

    def to_dict(self) -> dict[str, Any]:
        """The GeoJSON object, its rings closed."""
        parts = [[[*ring.tolist(), ring[0].tolist()] for ring in rings] for rings in self.parts]
        if len(parts) == 1:
            return {"type": "Polygon", "coordinates": parts[0]}
        return {"type": "MultiPolygon", "coordinates": parts}


def rotated_boxes(rows: npt.ArrayLike) -> list[Polygons]:
    """Boxes of centre, width, height and angle in radians (n x 5) as polygons.

    Raises:
        InputError: for rows of other lengths, and for an angle beyond a full turn, which is probably one in
            degrees.

    >>> [box.box for box in rotated_boxes([[5, 5, 4, 2, 0]])]
    [(3.0, 4.0, 7.0, 6.0)]
    """
    try:
        values = np.asarray(rows, dtype=np.float64).reshape(-1, _ROTATED)
    except (TypeError, ValueError) as error:
        raise InputError("give five numbers per rotated box: centre x, y, width, height, radians") from error
    boxes = []
    for at, (x, y, width, height, angle) in enumerate(values.tolist()):
        if abs(angle) > 2 * math.pi:
            raise InputError(
                f"box {at} is turned by {angle:g}, more than a full turn in radians; convert degrees with "
                "math.radians"
            )
        try:
            boxes.append(Polygons.rotated_box((x, y), (width, height), math.degrees(angle)))
        except (InputError, ValueError) as error:
            raise InputError(f"box {at}: {error}") from error
    return boxes


def shapes(outlines: Sequence[Polygons | None]) -> Objects:
    """The outlines as shapely geometries; self-crossing outlines are repaired by the even-odd rule."""
    shapely = _shapely()
    geometries = [_geometry(shapely, outline) for outline in outlines]
    objects = np.array([*geometries, None], dtype=object)[:-1]  # None keeps numpy from unpacking them
    broken = np.flatnonzero(~shapely.is_valid(objects) & ~shapely.is_missing(objects))
    for at in broken.tolist():
        objects[at] = _areas_only(shapely, shapely.make_valid(objects[at]))
    return objects


def areas(geometries: Objects) -> Floats:
    """Areas of shapely geometries; 0 for None."""
    return np.asarray(np.nan_to_num(_shapely().area(geometries)), dtype=np.float64)


def intersections(first: Objects, second: Objects) -> Floats:
    """Area that the geometries of each pair share."""
    shapely = _shapely()
    shared = shapely.area(shapely.intersection(first, second))
    return np.asarray(np.nan_to_num(shared), dtype=np.float64)


def outline(raster: Raster) -> Polygons | None:
    """The exact outline of a mask's pixels, each a square of side 1; None for an empty mask."""
    shapely = _shapely()
    starts, stops = raster.intervals
    height = raster.size[0]
    if not len(starts):
        return None
    columns, first, last = _pieces(starts, stops, height)
    return _outline_of(shapely.union_all(shapely.box(columns, first, columns + 1, last)))


def hull(raster: Raster) -> Polygons | None:
    """The convex hull of the upper left corners of a mask's pixels, as in Valor's service.

    It is a pixel narrower and lower than the mask and fills its gaps; None if it has no area.
    """
    shapely = _shapely()
    rows, columns = np.nonzero(raster.to_array())
    if len(rows) < _FEWEST:
        return None
    geometry = shapely.convex_hull(shapely.multipoints(np.stack([columns, rows], axis=1)))
    return _outline_of(geometry) if geometry.area else None


def simplified(outline: Polygons, tolerance: float) -> Polygons | None:
    """The outline with fewer points, each at most `tolerance` pixels off; None if nothing is left of it."""
    shapely = _shapely()
    geometry = shapely.simplify(_geometry(shapely, outline), tolerance, preserve_topology=False)
    return None if geometry.is_empty else _outline_of(geometry)


def _ring(points: npt.ArrayLike) -> Floats:
    try:
        ring = np.array(points, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("a ring is a list of points [x, y]") from error
    if ring.ndim != 2 or ring.shape[1] != 2 or not np.isfinite(ring).all():  # noqa: PLR2004 (points)
        raise InputError("a ring is a list of points [x, y] of finite numbers")
    if len(ring) > 1 and (ring[0] == ring[-1]).all():
        ring = ring[:-1]
    if len(ring) < _FEWEST:
        raise InputError(f"a ring has {counted(len(ring), 'distinct point')}; give three or more")
    ring.flags.writeable = False
    return ring


def _pieces(starts: Any, stops: Any, height: int) -> tuple[Any, Any, Any]:
    """The runs, split at the ends of columns: column, first row, last row + 1."""
    columns, first, last = [], [], []
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        for column in range(start // height, (stop - 1) // height + 1):
            columns.append(column)
            first.append(max(start - column * height, 0))
            last.append(min(stop - column * height, height))
    return np.array(columns), np.array(first), np.array(last)


def _geometry(shapely: Any, outline: Polygons | None) -> Any:
    if outline is None:
        return None
    polygons = [shapely.Polygon(rings[0], rings[1:]) for rings in outline.parts]
    return polygons[0] if len(polygons) == 1 else shapely.MultiPolygon(polygons)


def _areas_only(shapely: Any, geometry: Any) -> Any:
    """The parts with an area; a repair may also yield lines and points."""
    parts = shapely.get_parts(shapely.get_parts(geometry))
    return shapely.MultiPolygon([part for part in parts if part.geom_type == "Polygon"])


def _outline_of(geometry: Any) -> Polygons:
    parts = getattr(geometry, "geoms", [geometry])
    rings = [[part.exterior.coords, *(hole.coords for hole in part.interiors)] for part in parts]
    return Polygons.of(*[[np.array(ring)[:-1] for ring in polygon] for polygon in rings])


def _shapely() -> Any:
    try:
        return import_module("shapely")
    except ImportError as error:
        raise MissingDependencyError("shapely", "vision") from error
