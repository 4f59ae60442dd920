"""Similarity of rotated boxes as normal distributions, which Ultralytics uses in place of IoU.

Source: Murrugarra-Llerena et al. 2021, "Gaussian Bounding Boxes and Probabilistic Intersection-over-Union for
Object Detection".
"""

from dataclasses import replace
from importlib import import_module

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.geometries import Geometry
from thresher.kernels.detection.overlaps import Pairs
from thresher.kernels.detection.polygons import Polygons

Floats = npt.NDArray[np.float64]
_CORNERS = 4
_SMALL = 1e-7
"""Ultralytics adds it to each denominator, logarithm and root, so that equal boxes have 0.99955."""
_RIGHT_ANGLE = 1e-6
"""Largest cosine of a corner that counts as a right angle: corners in files have few digits."""


def with_probiou(pairs: Pairs, predictions: DetectionColumns, truths: DetectionColumns) -> Pairs:
    """The pairs with ProbIoU in place of IoU.

    Boxes that do not overlap are no pairs; their ProbIoU is below 0.125.
    """
    one, mine = _distributions(predictions, pairs.prediction)
    two, theirs = _distributions(truths, pairs.truth)
    return replace(pairs, iou=probiou(one[mine], two[theirs]))


def probiou(first: Floats, second: Floats) -> Floats:
    """1 - Hellinger distance of normal distributions with the moments of the boxes.

    Args:
        first: rows of centre (x, y) and covariance (xx, yy, xy).
        second: the same.

    >>> square = np.array([[0.0, 0.0, 75.0, 75.0, 0.0]])
    >>> probiou(square, square).round(5).tolist()
    [0.99955]
    """
    (x1, y1, a1, b1, c1), (x2, y2, a2, b2, c2) = first.T, second.T
    a, b, c = a1 + a2, b1 + b2, c1 + c2
    determinant = a * b - c**2
    distance = (a * (y1 - y2) ** 2 + b * (x1 - x2) ** 2) / (determinant + _SMALL) / 4
    distance += c * (x2 - x1) * (y1 - y2) / (determinant + _SMALL) / 2
    own = np.maximum(a1 * b1 - c1**2, 0) * np.maximum(a2 * b2 - c2**2, 0)
    distance += np.log(determinant / (4 * np.sqrt(own) + _SMALL) + _SMALL) / 2
    similarity = np.exp(-np.clip(distance, _SMALL, 100))
    return np.asarray(1 - np.sqrt(1 - similarity + _SMALL), dtype=np.float64)


def _distributions(
    columns: DetectionColumns, positions: npt.NDArray[np.int64]
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Centre and covariance of the boxes at positions, and the row of each position."""
    unique, rows = np.unique(positions, return_inverse=True)
    shapes = columns.geometries or (None,) * columns.objects
    corners = [_rectangle(shapes[at], columns.boxes[at]) for at in unique]
    points = np.array(corners, dtype=np.float64).reshape(-1, _CORNERS, 2)
    across, down = points[:, 1] - points[:, 0], points[:, 2] - points[:, 1]
    spread = (across[:, :, None] * across[:, None, :] + down[:, :, None] * down[:, None, :]) / 12
    moments = [spread[:, 0, 0], spread[:, 1, 1], spread[:, 0, 1]]
    return np.column_stack([points.mean(axis=1), *moments]), rows


def _rectangle(shape: Geometry, box: Floats) -> Floats:
    """The corners of a rotated box, of the smallest one around another shape, or of an upright box."""
    if not isinstance(shape, Polygons):
        left, top, right, bottom = box
        return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    ring = shape.parts[0][0]
    if len(shape.parts) == 1 and len(ring) == _CORNERS and _is_rectangle(ring):
        return ring
    shapely = import_module("shapely")
    around = shapely.minimum_rotated_rectangle(
        shapely.MultiPoint(np.concatenate([p[0] for p in shape.parts]))
    )
    corners = np.array(getattr(around, "exterior", around).coords)
    return corners[:_CORNERS] if len(corners) > _CORNERS else _rectangle(None, np.array(shape.box))


def _is_rectangle(ring: Floats) -> bool:
    sides = np.roll(ring, -1, axis=0) - ring
    lengths = np.hypot(*sides.T)
    cosines = (sides * np.roll(sides, -1, axis=0)).sum(axis=1)
    return bool((np.abs(cosines) <= _RIGHT_ANGLE * lengths * np.roll(lengths, -1)).all())
