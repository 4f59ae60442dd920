"""Reports of one run."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

from thresher.errors import CoverageWarning, InputError
from thresher.kernels.inference import Interval, Target, bootstrap_intervals
from thresher.reports.run_data import RunData
from thresher.reports.table import Table
from thresher.results import Status
from thresher.results.vocabulary import QUESTION_NAMES

AGGREGATE_COLUMNS = ("metric", "value", "low", "high", "interval", "scored", "items", "better", "signature")


def aggregate_values(run: RunData) -> dict[str, float]:
    """Display name -> value."""
    return {metric.display_name: metric.value for metric in run.metrics.values()}


def warn_of_gaps(run: RunData) -> None:
    """Say which values stand on fewer items than the run has."""
    gaps = [
        f"{metric.name} {metric.coverage} scored"
        for metric in run.metrics.values()
        if metric.result.n_scored < len(metric.result)
    ]
    if gaps:
        warnings.warn(f"not every item has a score: {', '.join(gaps)}", CoverageWarning, stacklevel=4)


def intervals(run: RunData) -> dict[str, Interval | None]:
    """A 95 % interval for every metric; None where fewer than two items are scored."""
    targets = [Target(metric.result, name) for name, metric in run.metrics.items()]
    return dict(zip(run.metrics, bootstrap_intervals(targets), strict=True))


def aggregate_table(run: RunData) -> Table:
    """One row a metric: value, interval and its method, coverage, direction, signature."""
    rows = []
    for name, interval in intervals(run).items():
        metric = run.metrics[name]
        limits = (interval.low, interval.high, interval.method) if interval else (None, None, None)
        coverage = (metric.result.n_scored, len(metric.result))
        told = (metric.measure.direction, str(metric.measure.signature))
        rows.append((name, metric.value, *limits, *coverage, *told))
    return Table(AGGREGATE_COLUMNS, rows)


def aggregate_data(run: RunData) -> dict[str, Any]:
    """The aggregate report as JSON data: run, items, and each metric with everything about it."""
    known = intervals(run)
    metrics = {
        name: {**metric.to_dict(), "interval": known[name].to_dict() if known[name] else None}  # type: ignore[union-attr]
        for name, metric in run.metrics.items()
    }
    return {"run": run.name, "items": len(run), "metrics": metrics}


def detailed(run: RunData, queries: Sequence[str] | str = "all") -> Table:
    """One row an item: its inputs, then its score under every metric that scores items."""
    return rows_of(run, _selected(run, queries))


def rows_of(run: RunData, items: Sequence[int]) -> Table:
    """Inputs and scores of some items; unscored cells are None. Made-up ids are left out."""
    columns: dict[str, Sequence[Any]] = {} if not run.ids_given else id_column(run)
    columns |= run.inputs
    columns |= item_scores(run)
    return Table(columns, ([column[item] for column in columns.values()] for item in items))


def complete(run: RunData) -> Table:
    """Ids, inputs, scores and, for metrics with unscored items, the status and reason of each item."""
    columns: dict[str, Sequence[Any]] = {"id": run.ids, **run.inputs, **item_scores(run)}
    for metric in run.metrics.values():
        result = metric.result
        if result.n_scored < len(result):
            columns[f"{metric.name}_status"] = [Status(code).label for code in result.status.tolist()]
            columns[f"{metric.name}_reason"] = [result.reasons.get(item) for item in range(len(run))]
    return Table(columns, zip(*columns.values(), strict=True))


def item_scores(run: RunData) -> dict[str, list[float | None]]:
    """Per metric with item scores: each item's score, None where it has none."""
    return {
        name: [None if math.isnan(score) else score for score in metric.scores.tolist()]
        for name, metric in run.metrics.items()
        if metric.measure.item_score is not None
    }


def id_column(run: RunData) -> dict[str, Sequence[Any]]:
    """The ids as a column of their own, unless an input column holds just them."""
    ids = list(run.ids)
    shown = any([str(entry) for entry in column] == ids for column in run.inputs.values())
    return {} if shown else {"id": run.ids}


def _selected(run: RunData, queries: Sequence[str] | str) -> list[int]:
    if isinstance(queries, str) and queries == "all":
        return list(range(len(run)))
    positions: dict[str, list[int]] = {}
    for name in reversed(QUESTION_NAMES):
        for item, question in enumerate(run.inputs.get(name, ())):
            positions.setdefault(str(question), []).append(item)
    positions |= {key: [item] for item, key in enumerate(run.ids)}
    wanted = [queries] if isinstance(queries, str) else list(queries)
    for query in wanted:
        if query not in positions:
            raise InputError(f"{query!r} is neither an id nor a question of this run")
    return [item for query in wanted for item in positions[query]]
