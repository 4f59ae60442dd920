"""Items of one run as tables: inputs, scores, and why an item has no score."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.reports.report import TableReport
from thresher.reports.runs.completeness import shortfall_notes
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.names import side_by_side
from thresher.reports.runs.run_data import RunData
from thresher.reports.scores.score_blocks import score_metrics, scores_at
from thresher.reports.table import Table
from thresher.results import FrozenColumn, Status
from thresher.results.ids import as_id

ITEMS_FIRST = ("items", "pictures", "leaderboard", "comparison", "overview", "provenance")
"""Sections of the page of a report that shows items."""
ITEMS_ALONE = ("items", "provenance")
"""Sections of the page of some items, over which values would mislead."""


def detailed(run: RunData, queries: Sequence[str] | str = "all") -> Table:
    """Return one row per item: its inputs, then its score under every metric that scores items."""
    return rows_of(run, run.find(queries))


def detailed_report(run: RunData, queries: Sequence[str] | str = "all") -> TableReport[Table]:
    """Return the report of `detailed`; its page begins with the items."""
    whole = queries == "all"
    page = partial(page_of, run, None if whole else run.find(queries))
    sections = ITEMS_FIRST if whole else ITEMS_ALONE
    return TableReport.of(detailed(run, queries), wide=True, page=page, page_sections=sections)


def page_of(run: RunData, items: Sequence[int] | None = None, **options: Any) -> dict[str, Any]:
    """Return the arguments of the page of a run, or of some of its items by position."""
    shown = run if items is None else run.take(list(dict.fromkeys(items)))
    return {"runs": [shown], **options}


def rows_of(run: RunData, items: Sequence[int] | npt.NDArray[np.int64]) -> Table:
    """Return inputs and scores of some items; unscored cells are None. Generated ids are left out."""
    ids, metrics = id_column(run) if run.ids_given else {}, score_metrics(run)
    positions = np.asarray(items, np.int64)
    scores = zip(metrics, scores_at(metrics, positions), strict=True)
    chosen = {
        metric.name: [None if math.isnan(score) else score for score in own.tolist()]
        for metric, own in scores
    }
    entries = {
        name: column.take(positions.tolist()) for name, column in side_by_side(ids, run.inputs).items()
    }
    columns = side_by_side(entries, chosen)
    return Table(columns, zip(*columns.values(), strict=True))


def complete(run: RunData, metrics: Sequence[str] | None = None) -> Table:
    """Return ids, inputs, scores and, for metrics with unscored items, the status and reason of each item.

    Args:
        run: the run.
        metrics: names of metrics; None for all.

    Raises:
        InputError: for an unknown metric.
    """
    ids = id_column(run) if "id" in run.inputs else {"id": run.ids}
    columns = side_by_side(ids, run.inputs, item_scores(run, metrics))
    columns = side_by_side(columns, _outcomes(run, metrics))
    for metric in _chosen(run, metrics):
        result = metric.result
        if result.n_scored < len(result):
            labels = [Status(code).label for code in result.status.tolist()]
            reasons = [result.reasons.get(item) for item in range(len(run))]
            columns = side_by_side(
                columns, {f"{metric.name}_status": labels, f"{metric.name}_reason": reasons}
            )
    return Table(columns, zip(*columns.values(), strict=True), notes=shortfall_notes(run, metrics))


def item_scores(run: RunData, metrics: Sequence[str] | None = None) -> dict[str, list[float | None]]:
    """Return, for each metric with item scores, the score of each item, None where it has none."""
    return {
        metric.name: [None if math.isnan(score) else score for score in metric.scores.tolist()]
        for metric in _chosen(run, metrics)
        if metric.measure.item_score is not None
    }


def _outcomes(run: RunData, metrics: Sequence[str] | None) -> dict[str, list[str]]:
    """Return what happened in each item, of the metrics whose breakdowns say it."""
    columns: dict[str, list[str]] = {}
    for result in {id(metric.result): metric.result for metric in _chosen(run, metrics)}.values():
        for breakdown in result.breakdowns:
            if (texts := breakdown.item_texts(result.statistics)) is not None:
                columns[f"{result.name}_outcomes"] = texts
    return columns


def id_column(run: RunData) -> dict[str, FrozenColumn]:
    """Return the ids as a column, unless an input column equals them."""
    shown = any(all(map(str.__eq__, run.ids, map(_id, column))) for column in run.inputs.values())
    return {} if shown else {"id": run.ids}


def _id(entry: Any) -> str:
    return as_id(entry) or ""


def _chosen(run: RunData, metrics: Sequence[str] | None) -> list[Metric]:
    return list(run.metrics.values() if metrics is None else map(run.metric, metrics))
