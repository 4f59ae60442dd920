"""Intersection over union of predicted and true objects of the same image."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection import polygons
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.geometries import Geometry
from thresher.kernels.detection.polygons import Polygons
from thresher.kernels.detection.raster_lists import Rasters
from thresher.kernels.detection.rasters import Raster, RasterColumn
from thresher.native.kernel import Array, Kernel
from thresher.native.library import library
from thresher.results.ragged import Int64s, ranges

Floats = npt.NDArray[np.float64]
BOX, POLYGON, RASTER = 0, 1, 2
KINDS = {"box": BOX, "polygon": POLYGON, "raster": RASTER, "boundary": RASTER, "probiou": POLYGON}
OUTLINES = {"outline": polygons.outline, "hull": polygons.hull}
_TABLE_CELLS = 20_000_000  # 160 MB of counts; 36,000 true objects x 80 labels, as in COCO, are 3 million

_BOXES = Array("int64"), Array("int32"), Array("float64")
_ROWS, _SHARES = Array("int64", written=True), Array("float64", written=True)
_shared_boxes = Kernel("box_overlaps", *_BOXES, *_BOXES, int, _ROWS, _ROWS, _SHARES, _ROWS)
_shares = Kernel(
    "box_shares", *(Array("int64"), Array("int64"), Array("float64"), Array("float64")), *(_SHARES, _SHARES)
)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Predicted and true objects of one image that overlap, in the order of the predicted ones.

    Attributes:
        prediction: position of the predicted object.
        truth: position of the true object; rises within one prediction.
        iou: intersection over union, above 0.
        coverage: intersection over the area of the prediction (COCO's overlap with a crowd region); None
            without crowd regions.
    """

    prediction: Int64s
    truth: Int64s
    iou: Floats
    coverage: Floats | None

    def where(self, rows: npt.NDArray[Any]) -> "Pairs":
        """The pairs at a mask or positions."""
        coverage = None if self.coverage is None else self.coverage[rows]
        return Pairs(self.prediction[rows], self.truth[rows], self.iou[rows], coverage)


def overlapping(
    predictions: DetectionColumns,
    truths: DetectionColumns,
    *,
    same_label: bool = True,
    lowest_kind: int = RASTER,
    raster_to_polygon: str = "outline",
) -> Pairs:
    """All pairs of one image whose intersection has an area.

    Geometries of different kinds are compared as the simpler kind: a raster with a polygon by its outline,
    either with a box by its envelope.

    Args:
        predictions: predicted objects.
        truths: true objects of the same images, over the same vocabulary.
        same_label: only pairs with the same label.
        lowest_kind: the richest kind of geometry to compare: `BOX`, `POLYGON` or `RASTER`.
        raster_to_polygon: `outline` follows the pixels; `hull` is Valor's convex hull of their corners.
    """
    find = _overlapping_boxes if library() is None else _overlapping_boxes_by_library
    prediction, truth, shared = find(predictions, truths, same_label)
    if not (library() is None or predictions.geometries or truths.geometries) and (shared > 0).all():
        iou, covered = shared, np.empty(len(shared) if truths.crowd.any() else 0)
        sizes = (np.ascontiguousarray(side.box_areas, np.float64) for side in (predictions, truths))
        _shares(prediction, truth, *sizes, iou, covered)
        return Pairs(prediction, truth, iou, covered if truths.crowd.any() else None)
    mine = predictions.box_areas[prediction]
    theirs = truths.box_areas[truth]
    if predictions.geometries or truths.geometries:
        first, second = (_kinds(side, lowest_kind) for side in (predictions, truths))
        kind = np.minimum(first[prediction], second[truth])
        for richer, overlaps_of in ((RASTER, _raster_overlaps), (POLYGON, _polygon_overlaps)):
            rows = np.flatnonzero(kind == richer)
            if len(rows):
                areas = overlaps_of(predictions, truths, prediction[rows], truth[rows], raster_to_polygon)
                shared[rows], mine[rows], theirs[rows] = areas
    positive = np.flatnonzero(shared > 0)
    if len(positive) < len(shared):
        prediction, truth, shared = prediction[positive], truth[positive], shared[positive]
        mine, theirs = mine[positive], theirs[positive]
    coverage = shared / mine if truths.crowd.any() else None
    return Pairs(prediction, truth, shared / (mine + theirs - shared), coverage)


def _overlapping_boxes(
    predictions: DetectionColumns, truths: DetectionColumns, same_label: bool
) -> tuple[Int64s, Int64s, Floats]:
    """The pairs of one image (and label) whose boxes share an area, and that area."""
    pairs = candidates(predictions, truths, same_label)
    return _box_overlaps(predictions.boxes, truths.boxes, *pairs)


def _overlapping_boxes_by_library(
    predictions: DetectionColumns, truths: DetectionColumns, same_label: bool
) -> tuple[Int64s, Int64s, Floats]:
    sides = [
        (
            side.offsets,
            np.ascontiguousarray(side.label, dtype=np.int32),
            np.ascontiguousarray(side.boxes, dtype=np.float64),
        )
        for side in (predictions, truths)
    ]
    room, count = 2 * (predictions.objects + truths.objects), np.zeros(1, np.int64)
    while True:
        prediction, truth, area = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
        _shared_boxes(*sides[0], *sides[1], same_label, prediction, truth, area, count)
        rows = int(count[0])
        if rows <= room:
            for column in (prediction, truth, area):  # gives the rest back without a copy
                column.resize(rows, refcheck=False)
            return prediction, truth, area
        room = rows


def candidates(
    predictions: DetectionColumns, truths: DetectionColumns, same_label: bool
) -> tuple[Int64s, Int64s]:
    """All pairs of one image (and label), sorted by prediction, then true object."""
    width = max(len(truths.labels), 1) if same_label else 1
    keys = predictions.owners * width
    theirs = truths.owners * width
    if same_label:
        keys, theirs = keys + predictions.label, theirs + truths.label
    order = np.argsort(theirs, kind="stable")
    cells = len(truths) * width
    if cells <= _TABLE_CELLS:
        starts = np.concatenate([[0], np.cumsum(np.bincount(theirs, minlength=cells))])
        low, high = starts[keys], starts[keys + 1]
    else:
        ordered = theirs[order]
        low, high = (np.searchsorted(ordered, keys, side) for side in ("left", "right"))
    counts = high - low
    return np.repeat(np.arange(len(keys)), counts), order[ranges(low, counts)]


def _box_overlaps(
    mine: Floats, theirs: Floats, first: Int64s, second: Int64s
) -> tuple[Int64s, Int64s, Floats]:
    """The pairs whose boxes share an area, and that area."""
    left, top, right, bottom = mine.T.copy()
    left2, top2, right2, bottom2 = theirs.T.copy()
    across = np.minimum(right[first], right2[second]) - np.maximum(left[first], left2[second])
    rows = np.flatnonzero(across > 0)
    first, second, across = first[rows], second[rows], across[rows]
    down = np.minimum(bottom[first], bottom2[second]) - np.maximum(top[first], top2[second])
    rows = np.flatnonzero(down > 0)
    return first[rows], second[rows], across[rows] * down[rows]


def _kinds(columns: DetectionColumns, lowest: int) -> npt.NDArray[np.uint8]:
    if isinstance(columns.geometries, Rasters):
        return np.full(columns.objects, min(RASTER, lowest), np.uint8)
    kinds = np.zeros(columns.objects, np.uint8)
    for at, shape in enumerate(columns.geometries):
        kinds[at] = RASTER if isinstance(shape, Raster) else POLYGON if shape is not None else BOX
    return np.minimum(kinds, lowest).astype(np.uint8)


def _raster_overlaps(
    predictions: DetectionColumns, truths: DetectionColumns, first: Int64s, second: Int64s, _: str
) -> tuple[Floats, Floats, Floats]:
    masks, others = predictions.geometries, truths.geometries
    if isinstance(masks, Rasters) and isinstance(others, Rasters):
        areas = masks.areas[first].astype(np.float64), others.areas[second].astype(np.float64)
        return masks.intersections(others, first, second), *areas
    one, mine = _raster_column(predictions, first)
    two, theirs = _raster_column(truths, second)
    shared = one.intersections(two, mine, theirs)
    return shared, one.areas[mine].astype(np.float64), two.areas[theirs].astype(np.float64)


def _raster_column(columns: DetectionColumns, objects: Int64s) -> tuple[RasterColumn, Int64s]:
    """The masks of objects, each once, and the row of each."""
    used = np.zeros(columns.objects, bool)
    used[objects] = True
    rows, shapes = np.cumsum(used) - 1, columns.geometries
    chosen = np.flatnonzero(used)
    return RasterColumn.of([_raster(shapes[at]) for at in chosen.tolist()]), rows[objects]


def _polygon_overlaps(
    predictions: DetectionColumns, truths: DetectionColumns, first: Int64s, second: Int64s, way: str
) -> tuple[Floats, Floats, Floats]:
    predicted, mine = np.unique(first, return_inverse=True)
    true, theirs = np.unique(second, return_inverse=True)
    one = polygons.shapes(_outlines(predictions.geometries, predicted, way))
    two = polygons.shapes(_outlines(truths.geometries, true, way))
    shared = polygons.intersections(one[mine], two[theirs])
    return shared, polygons.areas(one)[mine], polygons.areas(two)[theirs]


def _raster(shape: Geometry) -> Raster | None:
    return shape if isinstance(shape, Raster) else None


def _outlines(shapes: Sequence[Geometry], positions: Int64s, way: str) -> list[Polygons | None]:
    chosen = [shapes[at] for at in positions]
    return [OUTLINES[way](shape) if isinstance(shape, Raster) else shape for shape in chosen]
