"""The values of one run label by label, the worst labels first."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, get_args

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference import Target
from thresher.kernels.inference.label_estimates import (
    FEWEST_HOLDERS,
    LabelEstimate,
    has_labels,
    label_estimates,
)
from thresher.reports.analysis import DEFAULT, Analysis
from thresher.reports.by_label.label_sort import LabelSort, sort_key
from thresher.reports.rendering.numbers import interval_heading, interval_text, number
from thresher.reports.report import Report
from thresher.reports.runs.completeness import shortfall_notes
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.names import row_name
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.run_report import chosen_metrics
from thresher.reports.table import Table
from thresher.results import Label
from thresher.results.choices import check_choice

_COLUMNS = ("metric", "label", "value", "low", "high", "interval", "standard_error", "objects")


class ByLabelReport(Report[Table]):
    """The labels of measures that are means over labels, each with its interval, the worst first.

    Args:
        run: the run.
        analysis: what to compute: `metrics` (default: the primary measures, else all that have labels),
            `cluster`, `repeats` and `level` apply.
        sort: order of the labels: `worst` or `best` value first, by `label`, most `objects` first, or
            narrowest `interval` first.

    Raises:
        InputError: for an unknown metric or column, a metric without values per label, and an unknown order.
    """

    page_sections = ("labels", "overview", "breakdowns", "provenance")
    part: ClassVar[str] = "label"
    """What has the values: the word for it in tables and sentences."""

    def __init__(self, run: RunData, analysis: Analysis = DEFAULT, sort: LabelSort = "worst") -> None:
        check_choice("sort", sort, get_args(LabelSort))
        self.run = run
        self.analysis = analysis
        self.sort: LabelSort = sort
        self.level = analysis.level
        self.metrics = metrics_with_labels(run, analysis.metrics)
        self.grouping = Grouping.of(run, analysis.cluster, analysis.repeats)

    @cached_property
    def estimates(self) -> dict[str, list[LabelEstimate]]:
        """Metric name -> its labels in their order."""
        return {name: self._of_metric(name) for name in self.metrics}

    @property
    def notes(self) -> list[str]:
        """What to know before the numbers."""
        return [*shortfall_notes(self.run, self.metrics), *self.grouping.notes]

    @property
    def reading(self) -> list[str]:
        """The means over the labels, and how many labels have no interval."""
        whys: dict[str, set[Label]] = {}
        for name, estimates in self.estimates.items():
            for each in estimates:
                if each.interval is None:
                    whys.setdefault(self._why(name, each), set()).add(each.label)
        lacking = [
            f"No interval for {counted(len(labels), self.part)}: {why}." for why, labels in whys.items()
        ]
        return [*map(self._mean, self.metrics), *lacking]

    def table(self) -> Table:
        """Return one row per metric and label."""
        rows = []
        for facts in self.facts():
            interval = facts["interval"] or {}
            flat = {**facts, "interval": interval.get("method")}
            flat |= {key: interval.get(key) for key in ("low", "high")}
            rows.append([flat[name] for name in _COLUMNS])
        columns = [self.part if name == "label" else name for name in _COLUMNS]
        return Table(columns, rows, notes=self.notes, reading=self.reading)

    def summary(self) -> Table:
        """Return the labels metric by metric, rounded; one metric has no column of its own."""
        rows = [
            (name, str(each.label), number(each.value), interval_text(each.interval), f"{each.objects:g}")
            for name in self.metrics
            for each in self.estimates[name]
        ]
        columns = ("metric", self.part, "value", interval_heading(self.level), "objects")
        table = Table(columns, rows, notes=self.notes, reading=self.reading)
        return table if len(self.metrics) > 1 else table.select(columns[1:])

    def data(self) -> dict[str, Any]:
        """Return notes, the labels of each metric, and their means."""
        rows = [
            {self.part if name == "label" else name: value for name, value in facts.items()}
            for facts in self.facts()
        ]
        facts = {"run": self.run.name, "items": len(self.run), "sort": self.sort}
        return {**facts, "notes": self.notes, f"{self.part}s": rows, "reading": self.reading}

    def facts(self) -> list[dict[str, Any]]:
        """Return the values of each metric's labels as JSON data."""
        rules = {name: self.run.metrics[name].measure.rule for name in self.metrics}
        return [
            {"metric": name, **({"rule": rules[name]} if rules[name] else {}), **each.to_dict()}
            for name in self.metrics
            for each in self.estimates[name]
        ]

    def default(self) -> Table:
        """Return the table."""
        return self.table()

    def page_arguments(self) -> dict[str, Any]:  # noqa: D102
        return {"runs": [self.run], "by_label": self, **vars(self.analysis)}

    def _mean(self, name: str) -> str:
        metric = self.run.metrics[name]
        row = row_name(name, metric.measure.rule, metric.measure.direction)
        if not self.estimates[name]:
            return f"{row} has no {self.part}s to show: no item is scored."
        if math.isnan(metric.value):
            lacks = metric.measure.reduction.lacking(metric.result.statistics)
            return f"{row} has no value: {lacks}."
        labels = counted(len(self.estimates[name]), self.part)
        return f"{row} is the mean over {labels}: {number(metric.value)}."

    def _why(self, name: str, estimate: LabelEstimate) -> str:
        """Why a label has no interval."""
        fewest = self.run.metrics[name].measure.reduction.fewest_objects
        if estimate.objects < fewest:
            return f"fewer than {counted(fewest, 'object')}, for which {name} is not defined"
        return f"fewer than {FEWEST_HOLDERS} items contain objects of the {self.part}"

    def _of_metric(self, name: str) -> list[LabelEstimate]:
        metric = self.run.metrics[name]
        labels = label_estimates(Target(metric.result, name), level=self.level, **self.grouping.units)
        return sorted(labels, key=sort_key(self.sort, metric.measure.direction))


def metrics_with_labels(run: RunData, metrics: Sequence[str] | None) -> tuple[str, ...]:
    """Names of the requested metrics; by default of the primary ones with values per label, else of all.

    Raises:
        InputError: for an unknown metric, or one without values per label.
    """
    having = [name for name, metric in run.metrics.items() if has_labels(Target(metric.result, name))]
    there = f"there are {', '.join(having)}" if having else "no metric of this run has them"
    if metrics is None:
        if not having:
            raise InputError(f"nothing to report by label: {there}; labels have values in means over labels")
        return tuple(name for name in having if run.metrics[name].is_primary) or tuple(having)
    chosen = chosen_metrics(run, metrics)
    for name in chosen:
        if name not in having:
            raise InputError(f"{name} has no values per label; {there}")
    return chosen
