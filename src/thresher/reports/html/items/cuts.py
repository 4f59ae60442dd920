"""Counts of all items between neighbouring cuts of a metric's scores, from which the page gets thresholds."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.reports.html.items.columns import is_flag
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.run_data import RunData

Floats = npt.NDArray[np.float64]
_MOST = 400
"""Up to this many distinct scores are all cuts; of more, this many quantiles are."""
_LABELS = 8
"""Columns of zeros and ones that the page offers as the truth."""


def cuts(runs: Sequence[RunData]) -> dict[str, list[dict[str, Any] | None]]:
    """Return metric name -> per run its cuts; None if the run lacks the metric or no item has a score.

    Cuts are scores that occur, so the counts at a cut are exact for any number of items.
    """
    names = dict.fromkeys(
        name for run in runs for name, metric in run.metrics.items() if metric.measure.item_score is not None
    )
    labels = [labels_of(run) for run in runs]
    by_metric = {
        name: [
            _cuts(run.metrics[name], {key: truth for key, truth in truths.items() if key != name})
            if name in run.metrics
            else None
            for run, truths in zip(runs, labels, strict=True)
        ]
        for name in names
    }
    return {name: by_run for name, by_run in by_metric.items() if any(by_run)}


def labels_of(run: RunData) -> dict[str, Floats]:
    """Return the columns and metrics that may be the truth, those of zeros and ones; NaN where missing."""
    labels = {name: _floats(column) for name, column in run.inputs.items() if is_flag(column)}
    for name, metric in run.metrics.items():
        if metric.measure.item_score is not None and _is_flag(metric.scores):
            labels[name] = metric.scores
    return dict(list(labels.items())[:_LABELS])


def _is_flag(scores: Floats) -> bool:
    """`is_flag` of an array, which may be long."""
    known = scores[~np.isnan(scores)]
    zeros, ones = known == 0, known == 1
    return bool((zeros | ones).all() and zeros.any() and ones.any())


def _cuts(metric: Metric, labels: Mapping[str, Floats]) -> dict[str, Any] | None:
    scored = metric.result.scored
    scores = metric.scores[scored]
    if not len(scores):
        return None
    lower = metric.measure.direction == "lower"
    edges = np.unique(scores)
    if len(edges) > _MOST:
        edges = np.unique(np.quantile(scores, np.linspace(0, 1, _MOST), method="lower"))
    bins = np.searchsorted(edges, scores, "left") if lower else np.searchsorted(edges, scores, "right") - 1
    known = {name: truth[scored] for name, truth in labels.items()}
    return {
        "cuts": [float(f"{edge:.6g}") for edge in edges],
        "all": np.bincount(bins, minlength=len(edges)).tolist(),
        "labels": {
            name: [_counts(bins, truth == value, len(edges)) for value in (1, 0)]
            for name, truth in known.items()
        },
    }


def _counts(bins: npt.NDArray[np.int64], counted: npt.NDArray[np.bool_], size: int) -> list[int]:
    counts: list[int] = np.bincount(bins[counted], minlength=size).tolist()
    return counts


def _floats(column: Sequence[Any]) -> Floats:
    return np.array([np.nan if entry is None else float(entry) for entry in column], dtype=np.float64)
