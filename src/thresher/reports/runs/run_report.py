"""Reports of one run."""

import math
import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from thresher.errors import CoverageWarning
from thresher.kernels.inference import LEVEL, IntervalEstimate, Target, estimate
from thresher.kernels.inference.interval import checked_level
from thresher.reports.runs.absent_values import absent_value_notes
from thresher.reports.runs.completeness import shortfall_notes
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.missing_bounds import bounds_notes
from thresher.reports.runs.names import check_metric_names, side_by_side
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table
from thresher.results import Status
from thresher.results.ids import as_id


def warn_of_gaps(run: RunData) -> None:
    """Say which values stand on fewer items than the run has."""
    gaps = [
        f"{metric.name} {metric.coverage} scored"
        for metric in run.metrics.values()
        if metric.result.n_scored < len(metric.result)
    ]
    if gaps:
        warnings.warn(f"not every item has a score: {', '.join(gaps)}", CoverageWarning, stacklevel=4)


class RunReport:
    """The aggregate report of one run: every value and interval, computed once and shown in any form.

    Args:
        run: the run.
        metrics: names of the metrics to report; all without.
        cluster: name of the input column that says which items belong together; without, the column
            `cluster` if there is one. An empty name takes items as independent.
        repeats: name of the input column that says which items repeat one another; without, the column
            `repeat_of` if there is one. Repeats are averaged first.

    Raises:
        InputError: for an unknown column, or an item without an entry in it.
    """

    def __init__(
        self,
        run: RunData,
        *,
        metrics: Sequence[str] | None = None,
        cluster: str | None = None,
        repeats: str | None = None,
        level: float = LEVEL,
    ) -> None:
        self.run = run
        self.level = checked_level(level)
        self.metrics = chosen_metrics(run, metrics)
        self.grouping = Grouping.of(run, cluster, repeats)

    @cached_property
    def estimates(self) -> dict[str, IntervalEstimate]:
        """Metric name -> value, interval and standard error."""
        return {
            name: estimate(
                Target(self.run.metrics[name].result, name), level=self.level, **self.grouping.units
            )
            for name in self.metrics
        }

    @property
    def notes(self) -> list[str]:
        """What to know before the numbers; that the run is unfinished comes first."""
        first = [*shortfall_notes(self.run, self.metrics), *absent_value_notes(self.run, self.metrics)]
        return [*first, *self.grouping.notes, *bounds_notes([self.run], self.metrics)]

    @cached_property
    def metric_values(self) -> dict[str, float]:
        """Metric name -> value."""
        if self.grouping.repeated is None:
            return {name: self.run.metrics[name].value for name in self.metrics}
        return {name: found.value for name, found in self.estimates.items()}

    def values(self) -> dict[str, float]:
        """Display name -> value."""
        return {self.run.metrics[name].display_name: value for name, value in self.metric_values.items()}

    def table(self) -> Table:
        """One row a metric: value, interval and its method, coverage, direction, signature."""
        clustered = self.grouping.clusters is not None
        head = ("metric", "value", "low", "high", "interval", "standard_error", "scored", "items")
        rows = []
        for name, facts in self.data()["metrics"].items():
            known = facts["interval"] or dict.fromkeys(
                ("low", "high", "method", "standard_error", "clusters")
            )
            limits = [known[key] for key in ("low", "high", "method", "standard_error")]
            counts = [facts["scored"], facts["items"], *([known["clusters"]] if clustered else [])]
            rows.append([name, facts["value"], *limits, *counts, facts["direction"], facts["signature"]])
        columns = (*head, *(["clusters"] if clustered else []), "better", "signature")
        return Table(columns, rows, notes=self.notes)

    def data(self) -> dict[str, Any]:
        """The report as JSON data: run, items, and each metric with everything about it."""
        metrics = {}
        for name, value in self.metric_values.items():
            facts, found = self.run.metrics[name].facts(), self.estimates[name]
            metrics[name] = {"value": value, **facts, "interval": _interval(found)}
        facts = {"run": self.run.name, "items": len(self.run), "complete": self.run.complete}
        return {**facts, "metrics": metrics, "notes": self.notes}


def chosen_metrics(run: RunData, metrics: Sequence[str] | None) -> tuple[str, ...]:
    """The names of the metrics that are asked for, all without.

    Raises:
        InputError: for an unknown metric, or one name instead of a list.
    """
    check_metric_names(metrics)
    return tuple(run.metrics) if metrics is None else tuple(run.metric(name).name for name in metrics)


def aggregate_table(run: RunData, **options: Any) -> Table:
    """`RunReport(run, **options)` as a table."""
    return RunReport(run, **options).table()


def aggregate_data(run: RunData, **options: Any) -> dict[str, Any]:
    """`RunReport(run, **options)` as JSON data."""
    return RunReport(run, **options).data()


def _interval(found: IntervalEstimate) -> dict[str, Any] | None:
    """The interval and what it stands on; None where there is none."""
    if found.interval is None:
        return None
    told = found.to_dict()
    basis = {
        key: told[key] for key in ("standard_error", "clusters", "effective_items", "effective_clusters")
    }
    return {**found.interval.to_dict(), **basis}


def detailed(run: RunData, queries: Sequence[str] | str = "all") -> Table:
    """One row an item: its inputs, then its score under every metric that scores items."""
    return rows_of(run, run.find(queries))


def rows_of(run: RunData, items: Sequence[int]) -> Table:
    """Inputs and scores of some items; unscored cells are None. Made-up ids are left out."""
    ids = id_column(run) if run.ids_given else {}
    columns = side_by_side(ids, run.inputs, item_scores(run))
    return Table(columns, ([column[item] for column in columns.values()] for item in items))


def complete(run: RunData, metrics: Sequence[str] | None = None) -> Table:
    """Ids, inputs, scores and, for metrics with unscored items, the status and reason of each item.

    Args:
        run: the run.
        metrics: names of metrics; all without.

    Raises:
        InputError: for an unknown metric.
    """
    ids = id_column(run) if "id" in run.inputs else {"id": run.ids}
    columns = side_by_side(ids, run.inputs, item_scores(run, metrics))
    for metric in _chosen(run, metrics):
        result = metric.result
        if result.n_scored < len(result):
            status = [Status(code).label for code in result.status.tolist()]
            reason = [result.reasons.get(item) for item in range(len(run))]
            told = {f"{metric.name}_status": status, f"{metric.name}_reason": reason}
            columns = side_by_side(columns, told)
    rows = zip(*columns.values(), strict=True)
    return Table(columns, rows, notes=shortfall_notes(run, metrics))


def item_scores(run: RunData, metrics: Sequence[str] | None = None) -> dict[str, list[float | None]]:
    """Per metric with item scores: each item's score, None where it has none."""
    return {
        metric.name: [None if math.isnan(score) else score for score in metric.scores.tolist()]
        for metric in _chosen(run, metrics)
        if metric.measure.item_score is not None
    }


def _chosen(run: RunData, metrics: Sequence[str] | None) -> list[Metric]:
    return list(run.metrics.values() if metrics is None else map(run.metric, metrics))


def id_column(run: RunData) -> dict[str, Sequence[Any]]:
    """The ids as a column of their own, unless an input column holds just them."""
    ids = list(run.ids)
    shown = any([as_id(entry) for entry in column] == ids for column in run.inputs.values())
    return {} if shown else {"id": run.ids}
