"""Labels and a judge's scores of the same items."""

from collections.abc import Container, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.reports.labels.sheet import Sheet, check_unique
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.run_data import RunData
from thresher.spreadsheet_cells import unguarded

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class AlignedLabels:
    """Scores and labels, one entry per item of the run; NaN where it is missing.

    Attributes:
        metric: the metric that gave the scores.
        scores: the judge's scores.
        raters: rater -> labels.
        in_sheet: which items the sheet lists.
    """

    metric: Metric
    scores: Floats
    raters: Mapping[str, Floats]
    in_sheet: Mask

    @classmethod
    def of(cls, run: RunData, sheet: Sheet, name: str) -> "AlignedLabels":
        """Match the rows of a sheet with the items of a run by id.

        Raises:
            InputError: for an unknown metric, one without scores per item, an unknown id, a label outside
                the metric's scale, or a sheet without any label.
        """
        metric = run.metric(name)
        if metric.measure.item_score is None:
            raise InputError(f"{name} has no scores per item, so labels cannot be compared with it")
        places = _places(run, sheet)
        raters = {rater: np.full(len(run), np.nan) for rater in sheet.raters}
        for rater, labels in sheet.raters.items():
            _check_scale(sheet, metric, labels)
            raters[rater][places] = labels
        if all(np.isnan(labels).all() for labels in raters.values()):
            raise InputError(f"{sheet.name} contains no label yet; fill in {', '.join(sheet.raters)}")
        in_sheet = np.zeros(len(run), np.bool_)
        in_sheet[places] = True
        return cls(metric, metric.scores, raters, in_sheet)

    @property
    def labels(self) -> Floats:
        """The mean label of the raters of each item."""
        every = np.stack(list(self.raters.values()))
        known = ~np.isnan(every)
        counts = known.sum(axis=0)
        sums = np.where(known, every, 0.0).sum(axis=0)
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    @property
    def both(self) -> Mask:
        """Items with a score and a label."""
        return ~np.isnan(self.scores) & ~np.isnan(self.labels)

    @property
    def values(self) -> list[float]:
        """The distinct scores and labels of the items that have both, in order."""
        entries = [self.scores[self.both], *(labels[self.both] for labels in self.raters.values())]
        every = np.concatenate(entries)
        return sorted(set(every[~np.isnan(every)].tolist()))


def _places(run: RunData, sheet: Sheet) -> list[int]:
    places = {key: place for place, key in enumerate(run.ids)}
    ids = [_id_of(key, places) for key in sheet.ids]
    unknown = [(key, row) for key, row in zip(ids, sheet.rows, strict=True) if key not in places]
    if unknown:
        key, row = unknown[0]
        more = f" (and {len(unknown) - 1} more)" if len(unknown) > 1 else ""
        name = f" {run.name}" if run.name else ""
        raise InputError(
            f"{sheet.name}: row {row}: the run{name} has no item {key!r}{more}; "
            "pass the run that the sheet was drawn from"
        )
    check_unique(sheet.name, ids, sheet.rows)
    return [places[key] for key in ids]


def _id_of(cell: str, known: Container[str]) -> str:
    """The id in a cell, else without spaces that were typed or the mark of CSV that a workbook keeps."""
    plain = cell.strip()
    return next((text for text in (cell, unguarded(cell), plain, unguarded(plain)) if text in known), plain)


def _check_scale(sheet: Sheet, metric: Metric, labels: tuple[float, ...]) -> None:
    low, high = metric.measure.bounds
    for key, row, label in zip(sheet.ids, sheet.rows, labels, strict=True):
        if label < low or label > high:
            raise InputError(
                f"{sheet.name}: row {row} (id {key}): label {label:g} is outside the scale of {metric.name}, "
                f"{low:g} to {high:g}; label on that scale"
            )
