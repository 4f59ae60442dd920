"""The aggregate report of one run."""

import warnings
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from thresher.errors import CoverageWarning
from thresher.kernels.inference import IntervalEstimate, Target, estimate
from thresher.reports.analysis import DEFAULT, Analysis
from thresher.reports.rendering.numbers import estimate_text, interval_heading, interval_text
from thresher.reports.report import Report
from thresher.reports.runs.absent_values import absent_value_notes
from thresher.reports.runs.completeness import shortfall_notes
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.label_notes import few_label_notes, unpredicted_notes
from thresher.reports.runs.looks import looked_level
from thresher.reports.runs.missing_bounds import bounds_notes
from thresher.reports.runs.missing_code import missing_code_notes
from thresher.reports.runs.names import PRIMARY_NOTE, check_metric_names, row_name, rule_notes
from thresher.reports.runs.panel_notes import panel_notes
from thresher.reports.runs.repeats import repeat_notes
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table

_HEAD = ("metric", "value", "low", "high", "interval", "standard_error", "scored", "items")
_TAIL = ("better", "primary", "rule", "signature")
_BASIS = ("standard_error", "clusters")


class RunReport(Report[dict[str, float]]):
    """Every value of one run with its interval and coverage.

    Args:
        run: the run.
        analysis: what to compute: `metrics`, `cluster`, `repeats` and `level` apply.

    Raises:
        InputError: for an unknown metric or column, or an item without an entry in a column of clusters.
    """

    def __init__(self, run: RunData, analysis: Analysis = DEFAULT) -> None:
        self.run = run
        self.analysis = analysis
        self.level = looked_level(analysis.level, [run])
        self.metrics = chosen_metrics(run, analysis.metrics)
        self.grouping = Grouping.of(run, analysis.cluster, analysis.repeats)

    @cached_property
    def estimates(self) -> dict[str, IntervalEstimate]:
        """Metric name -> value, interval and standard error."""
        targets = {name: Target(self.run.metrics[name].result, name) for name in self.metrics}
        return {
            name: estimate(target, level=self.level, **self.grouping.units)
            for name, target in targets.items()
        }

    @property
    def notes(self) -> list[str]:
        """What to know before the numbers; that the run is unfinished comes first."""
        first = [*shortfall_notes(self.run, self.metrics), *absent_value_notes(self.run, self.metrics)]
        stored = missing_code_notes(self.run, self.metrics)
        grouped = [*self.grouping.notes, *repeat_notes(self.run, self.metrics, self.grouping)]
        panels = [*panel_notes(self.run, self.metrics), *unpredicted_notes(self.run, self.metrics)]
        few = few_label_notes(self.run, self.metrics, self.grouping)
        return [*first, *stored, *grouped, *panels, *few, *bounds_notes([self.run], self.metrics)]

    @cached_property
    def metric_values(self) -> dict[str, float]:
        """Metric name -> value."""
        if self.grouping.repeated is None:
            return {name: self.run.metrics[name].value for name in self.metrics}
        return {name: estimate.value for name, estimate in self.estimates.items()}

    def values(self) -> dict[str, float]:
        """Display name -> value."""
        return {self.run.metrics[name].display_name: value for name, value in self.metric_values.items()}

    def default(self) -> dict[str, float]:
        """Return the values by display name.

        Warns:
            CoverageWarning: if a metric covers fewer items than the run has.
        """
        warn_of_gaps(self.run)
        return self.values()

    def table(self) -> Table:
        """Return one row per metric: value, interval and its method, coverage, direction, rule, signature."""
        clusters = ["clusters"] if self.grouping.clusters is not None else []
        rows = []
        for name, facts in self.data()["metrics"].items():
            interval = facts["interval"] or {}
            limits = [interval.get(key) for key in ("low", "high", "method", "standard_error")]
            counts = [facts["scored"], facts["items"], *(interval.get(key) for key in clusters)]
            kind = [facts["direction"], facts["primary"], facts.get("rule", ""), facts["signature"]]
            rows.append([name, facts["value"], *limits, *counts, *kind])
        return Table((*_HEAD, *clusters, *_TAIL), rows, notes=self.notes)

    def summary(self) -> Table:
        """Return one row per metric: value, interval, method, coverage."""
        return self._summary(with_rules=True)

    def layouts(self) -> Iterable[Table]:
        """Return the table with the rules of measures in their rows, and one with the rules below it."""
        yield self.summary()
        yield self._summary(with_rules=False)

    def _summary(self, *, with_rules: bool) -> Table:
        rows, marked = [], self._marked
        for name, value in self.metric_values.items():
            metric, interval = self.run.metrics[name], self.estimates[name].interval
            method = interval.method if interval else ""
            shown = (estimate_text(value, interval), interval_text(interval), method, metric.coverage)
            rule = metric.measure.rule if with_rules else ""
            row = row_name(name, rule, metric.measure.direction, marked=name in marked)
            rows.append((row, *shown))
        columns = ["metric", "value", interval_heading(self.level), "method", "scored"]
        rules = {} if with_rules else {name: self.run.metrics[name].measure.rule for name in self.metrics}
        reading = [*([PRIMARY_NOTE] if marked else []), *rule_notes(rules)]
        return Table(columns, rows, notes=self.notes, reading=reading)

    @property
    def _marked(self) -> list[str]:
        """The primary measures; none if all rows are: a mark of every row says nothing."""
        primary = [name for name in self.metrics if self.run.metrics[name].is_primary]
        return primary if len(primary) < len(self.metrics) else []

    def data(self) -> dict[str, Any]:
        """Return the report as JSON data: run, items, and each metric with everything about it."""
        metrics = {
            name: {
                "value": value,
                **self.run.metrics[name].facts(),
                "interval": _interval(self.estimates[name]),
            }
            for name, value in self.metric_values.items()
        }
        facts = {"run": self.run.name, "items": len(self.run), "complete": self.run.complete}
        return {**facts, "metrics": metrics, "notes": self.notes}

    def page_arguments(self) -> dict[str, Any]:  # noqa: D102
        return {"runs": [self.run], **vars(self.analysis)}


def warn_of_gaps(run: RunData) -> None:
    """Warn of values that cover fewer items than the run has."""
    gaps = [
        f"{metric.name} {metric.coverage} scored"
        for metric in run.metrics.values()
        if metric.result.n_scored < len(metric.result)
    ]
    if gaps:
        warnings.warn(f"not every item has a score: {', '.join(gaps)}", CoverageWarning, stacklevel=6)


def chosen_metrics(run: RunData, metrics: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of the requested metrics; all for None.

    Raises:
        InputError: for an unknown metric, or one name instead of a list.
    """
    check_metric_names(metrics)
    return tuple(run.metrics) if metrics is None else tuple(run.metric(name).name for name in metrics)


def _interval(estimate: IntervalEstimate) -> dict[str, Any] | None:
    """The interval and what it is based on; None where there is none."""
    if estimate.interval is None:
        return None
    facts = estimate.to_dict()
    return {**estimate.interval.to_dict(), **{key: facts[key] for key in _BASIS}}
