"""Counts of all items between neighbouring cuts of a metric's scores, from which the page gets thresholds."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.reports.html.items.columns import is_flag
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.run_data import RunData
from thresher.reports.scores.score_blocks import score_blocks, score_metrics
from thresher.reports.scores.sorted_scores import SortedScores, sorted_scores

Floats = npt.NDArray[np.float64]
_MOST = 400
"""Up to this many distinct scores are all cuts; of more, this many quantiles are."""
_LABELS = 8
"""Columns of zeros and ones that the page offers as the truth."""


def cuts(runs: Sequence[RunData]) -> dict[str, list[dict[str, Any] | None]]:
    """Return metric name -> per run its cuts; None if the run lacks the metric or no item has a score.

    Cuts are scores that occur, so the counts at a cut are exact for any number of items.
    """
    by_run = [_cuts_of_run(run) for run in runs]
    names = dict.fromkeys(name for run in runs for name in (metric.name for metric in score_metrics(run)))
    by_metric = {name: [known.get(name) for known in by_run] for name in names}
    return {name: of_runs for name, of_runs in by_metric.items() if any(of_runs)}


def _cuts_of_run(run: RunData) -> dict[str, dict[str, Any]]:
    """Return metric name -> its cuts, if an item has a score; all metrics are counted in one pass."""
    metrics = score_metrics(run)
    known = sorted_scores(metrics)
    labels = _label_names(run, metrics, known)
    counts = [_Counts(metric, scores, labels) for metric, scores in zip(metrics, known, strict=True)]
    for rows, blocks in score_blocks(metrics):
        scores = {metric.name: block for metric, block in zip(metrics, blocks, strict=True)}
        truths = {
            name: scores[name] if name in scores else _floats(run.inputs[name][rows]) for name in labels
        }
        for count in counts:
            count.add(scores[count.name], truths)
    return {count.name: count.data() for count in counts if len(count.edges)}


def _label_names(run: RunData, metrics: Sequence[Metric], known: Sequence[SortedScores]) -> list[str]:
    """Return the columns and metrics that may be the truth: those of zeros and ones."""
    names = [name for name, column in run.inputs.items() if is_flag(column)]
    names += [metric.name for metric, scores in zip(metrics, known, strict=True) if scores.is_binary]
    return names[:_LABELS]


class _Counts:
    """Counts the items between neighbouring cuts of a metric, of all and by label.

    Args:
        metric: the metric.
        scores: its scores, sorted.
        labels: columns of zeros and ones.
    """

    def __init__(self, metric: Metric, scores: SortedScores, labels: Sequence[str]) -> None:
        self.name = metric.name
        self._lower = metric.measure.direction == "lower"
        self.edges = _edges(scores)
        self._all = np.zeros(len(self.edges), np.int64)
        self._labels = {
            name: np.zeros((2, len(self.edges)), np.int64) for name in labels if name != self.name
        }

    def add(self, scores: Floats, truths: Mapping[str, Floats]) -> None:
        """Count some items.

        Args:
            scores: their scores.
            truths: by label 1, 0 or NaN.
        """
        known = ~np.isnan(scores)
        if self._lower:
            bins = np.searchsorted(self.edges, scores[known], "left")
        else:
            bins = np.searchsorted(self.edges, scores[known], "right") - 1
        self._all += np.bincount(bins, minlength=len(self.edges))
        for name, counts in self._labels.items():
            for row, value in enumerate((1, 0)):
                counts[row] += np.bincount(bins[truths[name][known] == value], minlength=len(self.edges))

    def data(self) -> dict[str, Any]:
        """Return the cuts and the counts."""
        return {
            "cuts": [float(f"{edge:.6g}") for edge in self.edges],
            "all": self._all.tolist(),
            "labels": {name: counts.tolist() for name, counts in self._labels.items()},
        }


def _edges(scores: SortedScores) -> Floats:
    if len(scores.values) <= _MOST:
        return scores.values
    places = np.floor((scores.count - 1) * np.linspace(0, 1, _MOST)).astype(np.int64)
    return np.unique([scores.at(place) for place in places.tolist()])


def _floats(column: Sequence[Any]) -> Floats:
    return np.array([np.nan if entry is None else float(entry) for entry in column], dtype=np.float64)
