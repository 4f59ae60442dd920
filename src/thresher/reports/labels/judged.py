"""What human labels say about a judge, and what people would have said of all items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thresher.errors import InputError
from thresher.kernels.inference import CorrectedMean, prediction_powered_mean
from thresher.kernels.inference.corrected_means import ENOUGH
from thresher.reports.labels.agreeing import Between, agreements
from thresher.reports.labels.aligned import Aligned
from thresher.reports.labels.deciding import Cut, confusion, cut_at
from thresher.reports.labels.sheet import Sheet, read_sheet
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table

Labels = str | Path | Mapping[Any, float | None] | Sheet


@dataclass(frozen=True)
class LabelReport:
    """A judge beside human labels.

    Attributes:
        run: name of the run.
        metric: the metric whose scores are held against labels.
        items: items of the run.
        labelled: items with a label and a score: what everything stands on.
        raters: names of the raters.
        agreement: coefficients, the judge beside each rater first.
        confusion: how often which label met which score; None where scores are measurements.
        cut: sensitivity and specificity; None without a threshold where scores are not just 0 and 1.
        corrected: the mean that people would have given (PPI++).
        notes: what to know first.
    """

    run: str
    metric: str
    items: int
    labelled: int
    raters: tuple[str, ...]
    agreement: tuple[Between, ...]
    confusion: Table | None
    cut: Cut | None
    corrected: CorrectedMean
    notes: tuple[str, ...]

    @property
    def reading(self) -> str:
        """What it comes down to, in one plain sentence."""
        found = self.corrected
        head = f"People would give {self.metric} {found.value:.3g}"
        if found.interval is None:
            return f"{head}; there are too few labels for an interval."
        limits = f"{head} ({found.interval.low:.3g} to {found.interval.high:.3g})"
        apart = f"the judge alone says {found.judge_only:.3g}"
        if found.interval.within(-np.inf, found.judge_only) or found.interval.within(
            found.judge_only, np.inf
        ):
            return f"{limits}; {apart}, which is too {self._side(found)}."
        return f"{limits}; {apart}, which these labels do not contradict."

    def _side(self, found: CorrectedMean) -> str:
        return "high" if found.judge_only > found.value else "low"

    def table(self) -> Table:
        """One row per number: what it is, about whom, value, interval, items."""
        rows: list[tuple[Any, ...]] = []
        for each in self.agreement:
            found = each.agreement
            rows.append((found.coefficient, each.who, found.value, *_ends(found.interval), found.items))
        if self.cut is not None:
            for name, rate in vars(self.cut.quality).items():
                rows.append((name, "judge by labels", rate.value, *_ends(rate.interval), rate.items))
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
        """Strict JSON data."""
        cut = self.cut
        return {
            "run": self.run,
            "metric": self.metric,
            "items": self.items,
            "labelled": self.labelled,
            "raters": list(self.raters),
            "agreement": [each.to_dict() for each in self.agreement],
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
    """Hold a metric's scores against human labels of randomly drawn items.

    Args:
        run: the run.
        labels: the sheet that `draw` made with labels filled in (a path), or labels by item id.
        metric: the metric whose scores are the judge's.
        threshold: what counts as good, for scores and labels alike; where both are just 0 and 1 it is known.
        columns: the sheet's columns of labels, one per rater; all called `label` or `label_...` without.

    Raises:
        InputError: if the sheet or the metric cannot be used; says which row and why.
    """
    if isinstance(labels, Sheet):
        sheet = labels
    else:
        sheet = Sheet.of(labels) if isinstance(labels, Mapping) else read_sheet(labels, columns)
    aligned = Aligned.of(run, sheet, metric)
    labelled = int(np.count_nonzero(aligned.both))
    if not labelled:
        raise InputError(f"{sheet.name}: none of the labelled items has a score of {metric}; label others")
    cut = cut_at(aligned, threshold)
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


def _notes(aligned: Aligned, sheet: Sheet, cut: Cut | None) -> list[str]:
    labelled = int(np.count_nonzero(aligned.both))
    empty = int(np.count_nonzero(aligned.asked & np.isnan(aligned.labels)))
    unscored = int(np.count_nonzero(~np.isnan(aligned.labels) & np.isnan(aligned.scores)))
    name = aligned.metric.name
    told = []
    if labelled < ENOUGH:
        told.append(
            f"Only {labelled} items are labelled; below {ENOUGH} the corrected mean's interval is too short."
        )
    if not sheet.drawn:
        told.append(
            f"{sheet.name} does not say that its items were drawn at random; labels of hand-picked items "
            "make the corrected mean wrong."
        )
    if empty:
        told.append(f"{empty} of {int(aligned.asked.sum())} drawn items have no label and are left out.")
    if unscored:
        told.append(f"{unscored} labelled items have no score of {name} and are left out.")
    if not aligned.metric.measure.is_item_mean:
        told.append(f"{name} is no mean of item scores; what is corrected is the mean of its item scores.")
    if cut is None:
        told.append("Scores are not just 0 and 1: give a threshold for sensitivity and specificity.")
    elif cut.ties:
        told.append(f"Raters are divided on {cut.ties} items, which sensitivity and specificity leave out.")
    return told


def _ends(interval: Any) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)
