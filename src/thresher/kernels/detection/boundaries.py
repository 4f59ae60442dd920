"""Overlap of the boundaries of masks.

Source: Cheng et al. 2021, "Boundary IoU: Improving Object-Centric Image Segmentation Evaluation".
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.geometries import Geometry
from thresher.kernels.detection.overlaps import Pairs
from thresher.kernels.detection.rasters import Raster, RasterColumn

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def with_boundaries(
    pairs: Pairs, predictions: DetectionColumns, truths: DetectionColumns, ratio: float
) -> Pairs:
    """The pairs of masks with the smaller one of two overlaps: of the masks, and of their boundaries.

    The shares of predictions in crowd regions stay those of the masks, as in the tools of the paper.

    Args:
        pairs: overlapping masks, with the overlaps of their pixels.
        predictions: predicted objects.
        truths: true objects of the same images.
        ratio: width of a boundary as a share of the image's diagonal.
    """
    one, mine = _boundaries(predictions.geometries, pairs.prediction, ratio)
    two, theirs = _boundaries(truths.geometries, pairs.truth, ratio)
    shared = one.intersections(two, mine, theirs)
    union = one.areas[mine] + two.areas[theirs] - shared
    iou = np.minimum(pairs.iou, shared / np.maximum(union, 1))
    # A pair without a common boundary still counts where a crowd region covers the prediction.
    return replace(pairs, iou=iou).where(np.flatnonzero((iou > 0) | truths.crowd[pairs.truth]))


def boundary_width(size: tuple[int, int], ratio: float) -> int:
    """Width in pixels of the boundary in an image of this height and width, at least 1.

    >>> boundary_width((480, 640), 0.02), boundary_width((10, 10), 0.02)
    (16, 1)
    """
    return max(1, round(ratio * math.hypot(*size)))


def boundary(mask: npt.ArrayLike, width: int) -> Flags:
    """Pixels of a mask with a pixel outside it at most `width` rows and columns away.

    What is beyond the image is outside, so an object that the image cuts has a boundary there.

    >>> int(boundary(np.ones((5, 5)), 2).sum())
    24
    """
    inside = np.asarray(mask, dtype=bool)
    edge = inside.copy()
    side = 2 * width + 1
    if min(inside.shape) >= side:
        sums = np.pad(np.cumsum(np.cumsum(inside, axis=0, dtype=np.int64), axis=1), ((1, 0), (1, 0)))
        around = sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side] + sums[:-side, :-side]
        edge[width:-width, width:-width] &= around < side * side
    return edge


def _boundaries(
    shapes: Sequence[Geometry], positions: npt.NDArray[np.int64], ratio: float
) -> tuple[RasterColumn, npt.NDArray[np.int64]]:
    """The boundaries of the masks at positions, each computed once, and the row of each position."""
    unique, rows = np.unique(positions, return_inverse=True)
    masks = (shapes[at] for at in unique)
    return RasterColumn.of([_boundary_of(mask, ratio) for mask in masks if isinstance(mask, Raster)]), rows


def _boundary_of(raster: Raster, ratio: float) -> Raster:
    width = boundary_width(raster.size, ratio)
    left, top, right, bottom = map(int, raster.box)
    if min(right - left, bottom - top) <= 2 * width:  # every pixel is near the outside
        return raster
    columns = _columns(raster, left, right)
    edge = np.zeros_like(columns)
    edge[:, top:bottom] = boundary(columns[:, top:bottom], width)
    flat = np.concatenate([[False], edge.ravel(), [False]])
    changes = np.flatnonzero(flat[1:] != flat[:-1]) + left * raster.size[0]
    return Raster(raster.size, np.diff(changes, prepend=0, append=raster.size[0] * raster.size[1]))


def _columns(raster: Raster, left: int, right: int) -> Flags:
    """Some columns of a mask (columns x rows), without those beside them: most masks are small."""
    height, (starts, stops) = raster.size[0], raster.intervals
    steps = np.zeros((right - left) * height + 1, np.int8)
    steps[starts - left * height] += 1
    steps[stops - left * height] -= 1
    return np.cumsum(steps[:-1], dtype=np.int8).astype(bool).reshape(-1, height)
