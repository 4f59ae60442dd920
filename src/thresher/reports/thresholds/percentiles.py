"""Where to put a bar, and what lies below it."""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from thresher.errors import InputError
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.names import check_metric_names
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.run_report import rows_of
from thresher.reports.table import Table

NAMES = ("25th percentile", "75th percentile", "median", "average")


def percentiles(run: RunData, metrics: Sequence[str] | None = None) -> dict[str, list[Any]]:
    """Quartiles, median and average of each metric's item scores (linear interpolation).

    The average of a metric that is no mean of its item scores (a pooled F1) is None: it would look like
    the metric's value and is another number.

    Args:
        run: the run.
        metrics: names of metrics; all that score items without.

    Raises:
        InputError: for an unknown metric, or one that does not score items.
    """
    check_metric_names(metrics)
    chosen = _scoring(run) if metrics is None else [_item_metric(run, name) for name in metrics]
    return {"thresholds": list(NAMES), **{metric.name: _summary(metric) for metric in chosen}}


def percentile_table(run: RunData, metrics: Sequence[str] | None = None) -> Table:
    """One row a metric: quartiles, median, average, and how many items they stand on."""
    found = percentiles(run, metrics)
    rows = [
        (name, *values, run.metrics[name].coverage) for name, values in found.items() if name != "thresholds"
    ]
    return Table(["metric", *NAMES, "scored"], rows)


def below(run: RunData, metric: str, threshold: float) -> Table:
    """The whole rows of the items that score below a threshold, lowest first.

    Raises:
        InputError: for an unknown metric, one that does not score items, or a threshold that is no number.
    """
    bar = _bar(threshold)
    scores = _item_metric(run, metric).scores
    order = np.argsort(scores, kind="stable")
    return rows_of(run, [item for item in order.tolist() if scores[item] < bar])


def _bar(threshold: object) -> float:
    try:
        bar = float(threshold) if isinstance(threshold, Real) else math.nan
    except OverflowError:
        bar = math.nan
    if math.isnan(bar):
        raise InputError(f"threshold={threshold!r} is no number that scores can be compared with")
    return bar


def _summary(metric: Metric) -> list[float | None]:
    scores = metric.scores[metric.result.scored]
    if not len(scores):
        return [float("nan")] * len(NAMES)
    low, high, median = np.percentile(scores, [25, 75, 50]).tolist()
    return [low, high, median, float(np.mean(scores)) if metric.measure.is_item_mean else None]


def _scoring(run: RunData) -> list[Metric]:
    return [metric for metric in run.metrics.values() if metric.measure.item_score is not None]


def _item_metric(run: RunData, name: str) -> Metric:
    metric = run.metric(name)
    if metric.measure.item_score is None:
        raise InputError(f"{name} has no scores per item, so no item lies below a threshold of it")
    return metric
