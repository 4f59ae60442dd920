"""True and predicted objects by image and category: the cells of COCO's evaluation."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.compat.coco.object_rows import ObjectRows
from thresher.kernels.detection.column_arrays import picked
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.ordering import ranks, stable_order
from thresher.results import Label
from thresher.results.ragged import Int64s, ranges

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CellObjects:
    """One side, cell after cell.

    Attributes:
        columns: the objects; labels are the categories, predictions all have the score 0, as they are in
            the order in which they are matched.
        cells: image position * categories + category position of each object; rising.
        ids: numbers of the objects.
        scores: of the predictions.
    """

    columns: DetectionColumns
    cells: Int64s
    ids: npt.NDArray[Any]
    scores: Floats


@dataclass(frozen=True, eq=False)
class Cells:
    """Both sides of all cells.

    Attributes:
        images: ids of the images.
        categories: ids of the categories; -1 alone where they are ignored.
        truths: true objects in the order of their file.
        predictions: predictions by falling score, as many as may be matched.
        ranks: place of each prediction in its cell, from 0.
    """

    images: Sequence[Any]
    categories: Sequence[Any]
    truths: CellObjects
    predictions: CellObjects
    ranks: npt.NDArray[np.int32]

    @cached_property
    def filled(self) -> Int64s:
        """Cells that have an object, in rising order."""
        return np.union1d(self.truths.cells, self.predictions.cells)

    @cached_property
    def true_edges(self) -> Int64s:
        """Where the true objects of each filled cell start; one more than there are cells."""
        return np.append(np.searchsorted(self.truths.cells, self.filled), len(self.truths.cells))

    @cached_property
    def predicted_edges(self) -> Int64s:
        """Where the predictions of each filled cell start; one more than there are cells."""
        return np.append(np.searchsorted(self.predictions.cells, self.filled), len(self.predictions.cells))

    @cached_property
    def rows(self) -> dict[int, int]:
        """Filled cell -> its position among them."""
        return {cell: at for at, cell in enumerate(self.filled.tolist())}


def cells_of(
    images: Sequence[Any],
    categories: Sequence[Any],
    truths: ObjectRows,
    predictions: ObjectRows,
    *,
    most: int,
    together: bool,
) -> Cells:
    """Sort objects into cells.

    Args:
        images: ids of the evaluated images.
        categories: ids of the evaluated categories.
        truths: annotations.
        predictions: results.
        most: predictions per cell; those of lower scores are left out.
        together: whether categories are ignored: then objects of an image are in the order of categories.
    """
    size = len(images), len(categories)
    true_order = _by_cell(truths, np.arange(len(truths.images)), size)
    base = stable_order(np.maximum(predictions.categories, 0)) if together else None
    order = np.argsort(-predictions.scores if base is None else -predictions.scores[base], kind="stable")
    order = _by_cell(predictions, order if base is None else base[order], size, together=together)
    kinds = 1 if together else len(categories)
    rank = ranks(_cells(predictions, kinds, together=together)[order])
    within = rank < most
    return Cells(
        images,
        [-1] if together else list(categories),
        _objects(truths, true_order, len(images), kinds, together=together),
        _objects(predictions, order[within], len(images), kinds, together=together),
        rank[within].astype(np.int32),
    )


def _by_cell(rows: ObjectRows, order: Int64s, size: tuple[int, int], *, together: bool = False) -> Int64s:
    """Evaluated objects by cell, in this order within one."""
    used = order[(rows.images[order] >= 0) & (rows.categories[order] >= 0)]
    return used[stable_order(_cells(rows, size[1], together=together)[used])]


def _cells(rows: ObjectRows, kinds: int, *, together: bool) -> Int64s:
    return rows.images if together else rows.images * kinds + rows.categories


def _objects(rows: ObjectRows, order: Int64s, images: int, kinds: int, *, together: bool) -> CellObjects:
    boxes = rows.boxes[order]
    label = np.zeros(len(order), np.int32) if together else rows.categories[order].astype(np.int32)
    none = np.zeros(len(order), bool)
    columns = DetectionColumns(
        np.bincount(rows.images[order], minlength=images),
        tuple(Label("", str(at)) for at in range(kinds)),
        label,
        np.concatenate([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], axis=1),
        boxes[:, 2] * boxes[:, 3],
        np.zeros(len(order)),
        rows.areas[order],
        rows.crowd[order],
        none,
        picked(rows.masks, order),
        keypoints=None if rows.keypoints is None else rows.keypoints.take(order),
    )
    cells = _cells(rows, kinds, together=together)[order]
    scores = rows.scores[order] if len(rows.scores) else np.zeros(0)
    return CellObjects(columns, cells, rows.ids[order], scores)


def dense_pairs(cells: Cells) -> tuple[Int64s, Int64s]:
    """Every prediction with every true object of its cell."""
    edges = cells.true_edges
    at = np.searchsorted(cells.filled, cells.predictions.cells)
    counts = edges[at + 1] - edges[at]
    return np.repeat(np.arange(len(at)), counts), ranges(edges[at], counts)
