"""Results of single cells, as the entries of `COCOeval.evalImgs`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.compat.coco.cells import Cells
from thresher.compat.coco.matching import Matching
from thresher.errors import InputError
from thresher.kernels.detection.greedy import outside
from thresher.kernels.detection.ordering import stable_order
from thresher.results.ragged import Int64s

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RangeResults:
    """The cells in one range of areas.

    Attributes:
        matching: the matches.
        area_range: lowest and highest area, as the entries contain it.
        most: predictions per cell.
    """

    matching: Matching
    area_range: Sequence[float]
    most: int

    def entry(self, cell: int) -> dict[str, Any] | None:
        """The entry of a cell; None if it has no object."""
        at = self._cells.rows.get(cell)
        return None if at is None else self._entry(at, cell)

    def entries(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Filled cells with their entries."""
        for at, cell in enumerate(self._cells.filled.tolist()):
            yield cell, self._entry(at, cell)

    @property
    def _cells(self) -> Cells:
        return self.matching.cells

    @cached_property
    def _ids(self) -> tuple[Floats, Floats]:
        """Numbers of the true objects and of the predictions, as matches contain them."""
        return number_ids(self._cells.truths.ids), number_ids(self._cells.predictions.ids)

    @cached_property
    def _ignored(self) -> npt.NDArray[np.bool_]:
        return self.matching.truths_ignored(self.area_range)

    @cached_property
    def _true_order(self) -> Int64s:
        """True objects by cell, those that do not count last."""
        return stable_order(self._cells.truths.cells, stable_order(self._ignored.astype(np.int64)))

    @cached_property
    def _matches(self) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
        """`dtMatches`, `gtMatches` (true objects in their own order) and `dtIgnore` of all cells."""
        partner = self.matching.partners(self.area_range)
        partner[:, self._cells.ranks >= self.most] = -1
        true_ids, ids = self._ids
        predicted = np.append(true_ids, 0.0)[partner]
        truth = np.zeros((len(partner), len(true_ids) + 1))  # the last column is for -1
        for row, here in zip(truth, partner, strict=True):
            row[here] = ids  # of several that share a crowd region, the last one
        areas, limits = self._cells.predictions.columns.areas, np.array([self.area_range], np.float64)
        ignored = np.append(self._ignored, False)[partner]
        return predicted, truth[:, :-1], ignored | ((predicted == 0) & outside(areas, limits)[:, 0])

    def _entry(self, at: int, cell: int) -> dict[str, Any]:
        cells = self._cells
        start, stop = cells.predicted_edges[at : at + 2].tolist()
        mine = slice(start, min(stop, start + self.most))
        theirs = self._true_order[slice(*cells.true_edges[at : at + 2].tolist())]
        predicted, truth, ignored = self._matches
        image, category = divmod(cell, len(cells.categories))
        marks = self._ignored[theirs].astype(np.int64) if len(theirs) else np.zeros(0)
        return {
            "image_id": cells.images[image],
            "category_id": cells.categories[category],
            "aRng": self.area_range,
            "maxDet": self.most,
            "dtIds": cells.predictions.ids[mine].tolist(),
            "gtIds": cells.truths.ids[theirs].tolist(),
            "dtMatches": predicted[:, mine].copy(),
            "gtMatches": truth[:, theirs],
            "dtScores": cells.predictions.scores[mine].tolist(),
            "gtIgnore": marks,
            "dtIgnore": ignored[:, mine].copy(),
        }


def number_ids(ids: npt.NDArray[Any]) -> Floats:
    """Ids as the matches contain them.

    Raises:
        InputError: unless they are numbers.
    """
    try:
        return ids.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"matches contain the ids of annotations, so give numbers: {error}") from error


def every_entry(results: Sequence[RangeResults], cells: Cells) -> list[Any]:
    """`evalImgs`: by category, range of areas and image; None where a cell has no object."""
    images, kinds = len(cells.images), len(cells.categories)
    entries: list[Any] = [None] * (kinds * len(results) * images)
    for at, one in enumerate(results):
        for cell, entry in one.entries():
            image, category = divmod(cell, kinds)
            entries[(category * len(results) + at) * images + image] = entry
    return entries


def overlap_tables(matching: Matching) -> dict[tuple[Any, Any], Any]:
    """`ious`: per image and category, predictions x true objects; an empty list if it lacks either."""
    cells, pairs = matching.cells, matching.overlaps
    tables: dict[tuple[Any, Any], Any] = {(i, k): [] for i in cells.images for k in cells.categories}
    at = np.searchsorted(cells.filled, cells.predictions.cells)
    widths = np.diff(cells.true_edges)[at]
    starts = np.concatenate([[0], np.cumsum(widths)])
    flat = np.zeros(int(starts[-1]))
    flat[starts[pairs.prediction] + pairs.truth - cells.true_edges[at[pairs.prediction]]] = pairs.iou
    edges = cells.predicted_edges.tolist()
    for row, cell in enumerate(cells.filled.tolist()):
        first, last = edges[row], edges[row + 1]
        width = int(widths[first]) if last > first else 0
        if width:
            image, category = divmod(cell, len(cells.categories))
            part = flat[starts[first] : starts[last]].reshape(last - first, width)
            tables[cells.images[image], cells.categories[category]] = part.copy()
    return tables
