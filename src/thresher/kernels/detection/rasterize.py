"""Polygons drawn as masks, pixel by pixel as COCO's tools draw them.

The outline is traced on a grid five times as fine as the pixels. Where it crosses the middle of a pixel
column, the position at which the inside begins or ends is recorded. A pixel is inside if an odd number of
recorded positions precede it in its column (even-odd rule within one ring).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.detection.rasters import Raster
from thresher.results.ragged import ranges

Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_FINE = 5  # COCO's tools trace at five times the resolution; another one gives other masks
_FARTHEST = 1_000_000  # pixels; tracing takes memory in proportion to the outline


def ring_raster(ring: npt.ArrayLike, height: int, width: int) -> Raster:
    """The mask of one closed ring of points (x, y).

    Raises:
        InputError: for points more than a million pixels away, which would exhaust memory.

    >>> ring_raster([[1, 0], [3, 0], [3, 2], [1, 2]], height=2, width=4).to_array().astype(int).tolist()
    [[0, 1, 1, 0], [0, 1, 1, 0]]
    """
    points = np.asarray(ring, dtype=np.float64).reshape(-1, 2)
    if not (np.abs(points) <= _FARTHEST).all():
        raise InputError(f"a polygon is more than {_FARTHEST:,} pixels away from the image's corner")
    columns, rows = _outline((_FINE * points + 0.5).astype(np.int64))
    return Raster((height, width), _runs(_crossings(columns, rows, height, width), height * width))


def polygon_raster(rings: Sequence[npt.ArrayLike], height: int, width: int) -> Raster:
    """The mask of a polygon: its outer ring without its holes."""
    mask = ring_raster(rings[0], height, width)
    for hole in rings[1:]:
        mask = combined([mask, ring_raster(hole, height, width)], lambda inside: inside == 1, (1, 2))
    return mask


def union(rasters: Sequence[Raster]) -> Raster:
    """The union of several masks of one size."""
    if len(rasters) == 1:
        return rasters[0]
    return combined(rasters, lambda inside: inside > 0, [1] * len(rasters))


def combined(rasters: Sequence[Raster], rule: Any, amounts: Sequence[int]) -> Raster:
    """The mask of the pixels where `rule` holds for the sum of the amounts of the masks that contain them."""
    places, changes = [], []
    for raster, amount in zip(rasters, amounts, strict=True):
        starts, stops = raster.intervals
        places += [starts, stops]
        changes += [np.full(len(starts), amount), np.full(len(stops), -amount)]
    height, width = rasters[0].size
    where, inverse = np.unique(np.concatenate(places), return_inverse=True)
    inside = rule(np.cumsum(np.bincount(inverse, np.concatenate(changes), len(where))))
    turned = np.flatnonzero(np.diff(inside.astype(np.int8), prepend=0))
    return Raster((height, width), _runs(where[turned], height * width))


def _outline(points: Int64s) -> tuple[Int64s, Int64s]:
    """The fine pixels of the outline; edges are walked along their longer side."""
    after = np.roll(points, -1, axis=0)
    (x0, y0), (x1, y1) = points.T, after.T
    across, down = np.abs(x1 - x0), np.abs(y1 - y0)
    flat = across >= down
    turned = np.where(flat, x0 > x1, y0 > y1)
    steps = np.maximum(across, down)
    edge = np.repeat(np.arange(len(points)), steps + 1)
    step = ranges(np.zeros(len(points), np.int64), steps + 1)
    along = np.where(turned[edge], steps[edge] - step, step)
    sx, sy = np.where(turned, x1, x0), np.where(turned, y1, y0)
    rise = np.where(flat, np.where(turned, y0 - y1, y1 - y0), np.where(turned, x0 - x1, x1 - x0))
    slope = rise / np.maximum(steps, 1)
    moved = (np.where(flat, sy, sx)[edge] + slope[edge] * along + 0.5).astype(np.int64)
    straight = np.where(flat, sx, sy)[edge] + along
    level = flat[edge]
    return np.where(level, straight, moved), np.where(level, moved, straight)


def _crossings(columns: Int64s, rows: Int64s, height: int, width: int) -> Int64s:
    """Positions, column by column, from which the inside begins or ends."""
    turn = np.flatnonzero(columns[1:] != columns[:-1]) + 1
    here, before = columns[turn], columns[turn - 1]
    x = (np.where(here < before, here, here - 1) + 0.5) / _FINE - 0.5
    y = (np.minimum(rows[turn], rows[turn - 1]) + 0.5) / _FINE - 0.5
    inside = (np.floor(x) == x) & (x >= 0) & (x <= width - 1)
    return np.asarray(x[inside] * height + np.ceil(np.clip(y[inside], 0, height)), dtype=np.int64)


def _runs(turns: Int64s, pixels: int) -> Int64s:
    """Run lengths between changes of inside and outside; two changes at one place cancel."""
    places, amounts = np.unique(turns, return_counts=True)
    changes = places[(amounts % 2 == 1) & (places < pixels)]
    return np.diff(np.concatenate([[0], changes, [pixels]])).astype(np.int64)
