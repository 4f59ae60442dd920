"""How well a judge agrees with human labels, and the mean that people would give all items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference import CorrectedMean, prediction_powered_mean
from thresher.kernels.inference.corrected_means import ENOUGH
from thresher.reports.labels.agreement import RaterAgreement, agreements
from thresher.reports.labels.aligned_labels import AlignedLabels
from thresher.reports.labels.sheet import Sheet, read_sheet
from thresher.reports.labels.threshold_quality import ThresholdQuality, confusion, quality_at
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table

Labels = str | Path | Mapping[Any, float | None] | Sheet


@dataclass(frozen=True)
class LabelReport:
    """A judge compared with human labels.

    Attributes:
        run: name of the run.
        metric: the metric whose scores are the judge's.
        items: items of the run.
        labelled: items with a label and a score, which all numbers are based on.
        raters: names of the raters.
        agreement: coefficients; those of the judge with each rater come first.
        confusion: counts of pairs of label and score; None if scores are measurements.
        cut: sensitivity and specificity; None without a threshold unless all scores are 0 or 1.
        corrected: the mean that people would give (PPI++).
        notes: limits of the numbers.
    """

    run: str
    metric: str
    items: int
    labelled: int
    raters: tuple[str, ...]
    agreement: tuple[RaterAgreement, ...]
    confusion: Table | None
    cut: ThresholdQuality | None
    corrected: CorrectedMean
    notes: tuple[str, ...]

    @property
    def reading(self) -> str:
        """The main finding in one sentence."""
        corrected, judge = self.corrected, self.corrected.judge_only
        mean = f"People would give {self.metric} {corrected.value:.3g}"
        if corrected.interval is None:
            return f"{mean}; there are too few labels for an interval."
        low, high = corrected.interval.low, corrected.interval.high
        judged = f"{mean} ({low:.3g} to {high:.3g}); the judge alone says {judge:.3g}"
        if low < judge < high:
            return f"{judged}, which these labels do not contradict."
        return f"{judged}, which is too {'high' if judge > corrected.value else 'low'}."

    def table(self) -> Table:
        """Return one row per number: its name, whom it is about, value, interval, items."""
        rows: list[tuple[Any, ...]] = [
            (row.agreement.coefficient, row.between, *_numbers(row.agreement)) for row in self.agreement
        ]
        if self.cut is not None:
            for name, rate in vars(self.cut.quality).items():
                rows.append((name, "judge by labels", *_numbers(rate)))
        corrected = self.corrected
        interval = _ends(corrected.interval)
        rows.append(("corrected_mean", "all items", corrected.value, *interval, corrected.labelled))
        rows.append(("judge_mean", "all items", corrected.judge_only, None, None, self._judged))
        rows.append(("label_mean", "labelled items", corrected.labels_only, None, None, self.labelled))
        columns = ("number", "about", "value", "low", "high", "items")
        return Table(columns, rows, notes=self.notes, reading=[self.reading])

    @property
    def _judged(self) -> int:
        return self.corrected.labelled + self.corrected.judged

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data."""
        cut = self.cut
        return {
            "run": self.run,
            "metric": self.metric,
            "items": self.items,
            "labelled": self.labelled,
            "raters": list(self.raters),
            "agreement": [row.to_dict() for row in self.agreement],
            "confusion": None if self.confusion is None else list(self.confusion),
            "threshold": None if cut is None else cut.threshold,
            "quality": None if cut is None else cut.quality.to_dict(),
            "corrected": self.corrected.to_dict(),
            "notes": list(self.notes),
            "reading": self.reading,
        }


def judge_by_labels(
    run: RunData,
    labels: Labels,
    metric: str,
    *,
    threshold: float | None = None,
    columns: Sequence[str] = (),
) -> LabelReport:
    """Compare a metric's scores with human labels of randomly drawn items.

    Args:
        run: the run.
        labels: path of a sheet from `draw` with labels filled in, or labels by item id.
        metric: the metric whose scores are the judge's.
        threshold: scores and labels of at least this are good; not needed if all are 0 or 1.
        columns: the sheet's columns of labels, one per rater; default: `label` and all `label_...`.

    Raises:
        InputError: if the sheet or the metric cannot be used; names the row and the reason.
    """
    if isinstance(labels, Sheet):
        sheet = labels
    else:
        sheet = Sheet.of(labels) if isinstance(labels, Mapping) else read_sheet(labels, columns)
    aligned = AlignedLabels.of(run, sheet, metric)
    labelled = int(np.count_nonzero(aligned.both))
    if not labelled:
        raise InputError(f"{sheet.name}: none of the labelled items has a score of {metric}; label others")
    cut = quality_at(aligned, threshold)
    return LabelReport(
        run=run.name or "run",
        metric=aligned.metric.name,
        items=len(run),
        labelled=labelled,
        raters=tuple(sheet.raters),
        agreement=tuple(agreements(aligned)),
        confusion=confusion(aligned),
        cut=cut,
        corrected=prediction_powered_mean(
            aligned.scores, aligned.labels, bounds=aligned.metric.measure.bounds
        ),
        notes=tuple(_notes(aligned, sheet, cut)),
    )


def _notes(aligned: AlignedLabels, sheet: Sheet, cut: ThresholdQuality | None) -> list[str]:
    labelled = int(np.count_nonzero(aligned.both))
    empty = int(np.count_nonzero(aligned.in_sheet & np.isnan(aligned.labels)))
    unscored = int(np.count_nonzero(~np.isnan(aligned.labels) & np.isnan(aligned.scores)))
    name = aligned.metric.name
    notes = []
    if labelled < ENOUGH:
        notes.append(
            f"Only {counted(labelled, 'item is', 'items are')} labelled; below {ENOUGH} the corrected mean's "
            "interval is usually wide."
        )
    if not sheet.drawn:
        notes.append(
            f"{sheet.name} does not say that its items were drawn at random; labels of hand-picked items "
            "make the corrected mean wrong."
        )
    if empty:
        notes.append(
            f"{empty} of {counted(int(aligned.in_sheet.sum()), 'drawn item')} have no label and are left out."
        )
    if unscored:
        lost = (
            f"labelled item has no score of {name} and is",
            f"labelled items have no score of {name} and are",
        )
        notes.append(f"{counted(unscored, *lost)} left out.")
    if not aligned.metric.measure.is_item_mean:
        notes.append(f"{name} is not a mean of item scores; the corrected mean is that of its item scores.")
    if cut is None:
        notes.append("Not all scores are 0 or 1: pass a threshold for sensitivity and specificity.")
    elif cut.ties:
        notes.append(
            f"Raters are divided on {counted(cut.ties, 'item')}, which sensitivity and specificity leave out."
        )
    return notes


def _numbers(measured: Any) -> tuple[Any, ...]:
    """Value, ends of the interval, and items."""
    return (measured.value, *_ends(measured.interval), measured.items)


def _ends(interval: Any) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)
