"""Percentiles of item scores, and the items below a threshold."""

import math
from collections.abc import Sequence
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.reports.report import TableReport
from thresher.reports.runs.item_tables import ITEMS_ALONE, page_of, rows_of
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.names import check_metric_names
from thresher.reports.runs.run_data import RunData
from thresher.reports.scores.score_blocks import score_metrics
from thresher.reports.scores.sorted_scores import SortedScores, sorted_scores
from thresher.reports.table import Table

THRESHOLD_SECTIONS = ("tables", "thresholds", "distributions", "items", "provenance")
"""Sections of the page of a report on thresholds."""
NAMES = ("25th percentile", "75th percentile", "median", "average")
"""The order of Haystack's proposal, in which the values are returned."""
_SHOWN = ("25th percentile", "median", "75th percentile", "average")
"""The order in tables."""


def percentiles(run: RunData, metrics: Sequence[str] | None = None) -> dict[str, list[Any]]:
    """Quartiles, median and average of each metric's item scores (linear interpolation).

    The average of a metric whose value is not the mean of its item scores (a pooled F1) is None: it
    would look like the metric's value and is another number.

    Args:
        run: the run.
        metrics: names of metrics; None for all that score items.

    Raises:
        InputError: for an unknown metric, or one that does not score items.
    """
    check_metric_names(metrics)
    chosen = score_metrics(run) if metrics is None else [_item_metric(run, name) for name in metrics]
    summaries = zip(chosen, map(_summary, chosen, sorted_scores(chosen)), strict=True)
    return {"thresholds": list(NAMES), **{metric.name: summary for metric, summary in summaries}}


def percentile_report(
    run: RunData, metrics: Sequence[str] | None = None
) -> TableReport[dict[str, list[Any]]]:
    """Return one row per metric: quartiles, median, average, and how many items are scored."""
    values = percentiles(run, metrics)
    shown = [name for name in values if name != "thresholds"]
    by_name = {name: dict(zip(NAMES, values[name], strict=True)) for name in shown}
    rows = [(name, *map(by_name[name].get, _SHOWN), run.metrics[name].coverage) for name in shown]
    table = Table(["metric", *_SHOWN, "scored"], rows)
    page = partial(page_of, run, metrics=shown, tables={"Percentiles of item scores": table})
    return TableReport(table, values, data=values, page=page, page_sections=THRESHOLD_SECTIONS)


def below_report(run: RunData, metric: str, threshold: float, most: int | None = None) -> TableReport[Table]:
    """Return the report of `below`.

    Args:
        run: the run.
        metric: name of the metric.
        threshold: the threshold.
        most: how many items to list at most; None for all.
    """
    items = items_below(run, metric, threshold)[:most]
    page = partial(page_of, run, items.tolist(), primary=[run.metric(metric).name]) if len(items) else None
    return TableReport.of(rows_of(run, items), wide=True, page=page, page_sections=ITEMS_ALONE)


def below(run: RunData, metric: str, threshold: float) -> Table:
    """Return the whole rows of the items that score below a threshold, lowest first.

    Raises:
        InputError: for an unknown metric, one that does not score items, or a threshold that is not a number.
    """
    return rows_of(run, items_below(run, metric, threshold))


def items_below(run: RunData, metric: str, threshold: float) -> npt.NDArray[np.int64]:
    """Return the positions of the items that score below a threshold, lowest first; raises as `below`."""
    bar = _bar(threshold)
    scores = _item_metric(run, metric).scores
    items = np.flatnonzero(scores < bar)
    return items[np.argsort(scores[items], kind="stable")]


def _bar(threshold: object) -> float:
    try:
        bar = float(threshold) if isinstance(threshold, Real) else math.nan
    except OverflowError:
        bar = math.nan
    if math.isnan(bar):
        raise InputError(f"threshold={threshold!r} is not a number")
    return bar


def _summary(metric: Metric, scores: SortedScores) -> list[float | None]:
    if not scores.count:
        return [float("nan")] * len(NAMES)
    low, high, median = map(scores.quantile, (0.25, 0.75, 0.5))
    return [low, high, median, scores.mean if metric.measure.is_item_mean else None]


def _item_metric(run: RunData, name: str) -> Metric:
    metric = run.metric(name)
    if metric.measure.item_score is None:
        raise InputError(f"{name} has no scores per item, so no item lies below a threshold of it")
    return metric
