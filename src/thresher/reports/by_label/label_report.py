"""The values of one run label by label, the worst labels first."""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, get_args

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.classification.balanced_accuracy import BalancedAccuracy
from thresher.kernels.detection.average_precision import MeanAveragePrecision, MeanAverageRecall
from thresher.kernels.inference import Target
from thresher.kernels.inference.interval import finite
from thresher.kernels.inference.label_estimates import (
    FEWEST_HOLDERS,
    LabelEstimate,
    has_labels,
    label_estimates,
)
from thresher.kernels.inference.units import Units
from thresher.reports.analysis import DEFAULT, Analysis
from thresher.reports.by_label.label_sort import LabelSort, sort_key
from thresher.reports.rendering.numbers import estimate_text, interval_heading, interval_text, number
from thresher.reports.report import Report
from thresher.reports.runs.completeness import shortfall_notes
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.looks import looked_level
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.names import row_name
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.run_report import chosen_metrics
from thresher.reports.table import Table
from thresher.results import Label, Reduction
from thresher.results.choices import check_choice

_TABLE = "by_label"
_RATES = ("precision", "recall", "f1", "iou", "ap")
_HEADINGS = {"f1": "F1", "iou": "IoU", "ap": "AP"}
_RECALL = "recall is the highest one, with all predictions that count, averaged over the same overlaps."
_COLUMNS = ("metric", "label", "value", "low", "high", "interval", "standard_error", "objects")


class ByLabelReport(Report[Table]):
    """The labels of measures that are means over labels, each with its interval, the worst first.

    A report of one measure has the other rates of each label, too: precision, recall and F1 of classes, and
    average precision at single overlaps and recall of objects.

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
        self.level = looked_level(analysis.level, [run])
        self.metrics = metrics_with_labels(run, analysis.metrics)
        self.grouping = Grouping.of(run, analysis.cluster, analysis.repeats)

    @cached_property
    def estimates(self) -> dict[str, list[LabelEstimate]]:
        """Metric name -> its labels in their order."""
        return {name: self._of_metric(name) for name in self.metrics}

    @cached_property
    def rates(self) -> dict[str, dict[str, float]]:
        """Rate -> label -> its value, of the only metric; empty for several."""
        return (
            rates_of_labels(self.run.metrics[self.metrics[0]], self._units) if len(self.metrics) == 1 else {}
        )

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
        recall = [_RECALL] if "ap" in self.rates and "recall" in self.rates else []
        return [*map(self._mean, self.metrics), *recall, *lacking]

    def table(self) -> Table:
        """Return one row per metric and label."""
        rows = []
        for facts in self.facts():
            interval = facts["interval"] or {}
            flat = {**facts, "interval": interval.get("method")}
            flat |= {key: interval.get(key) for key in ("low", "high")}
            rows.append([flat[name] for name in (*_COLUMNS, *self.rates)])
        columns = [self.part if name == "label" else name for name in (*_COLUMNS, *self.rates)]
        return Table(columns, rows, notes=self.notes, reading=self.reading)

    def summary(self) -> Table:
        """Return the labels metric by metric, rounded; one metric has no column of its own."""
        further = self.further_rates
        rows = [
            (
                *(
                    name,
                    str(each.label),
                    estimate_text(each.value, each.interval),
                    interval_text(each.interval),
                ),
                *(number(self.rates[rate].get(str(each.label))) for rate in further),
                f"{each.objects:g}",
            )
            for name in self.metrics
            for each in self.estimates[name]
        ]
        heads = [self.value_heading, interval_heading(self.level), *map(rate_heading, further)]
        columns = ("metric", self.part, *heads, self.objects_heading)
        table = Table(columns, rows, notes=self.notes, reading=self.reading)
        return table if len(self.metrics) > 1 else table.select(columns[1:])

    @property
    def further_rates(self) -> list[str]:
        """Names of the rates besides the one that the measure is the mean of."""
        return [rate for rate in self.rates if rate != self._rate]

    @property
    def value_heading(self) -> str:
        """Heading of the values of labels."""
        return "value" if self._rate is None else rate_heading(self._rate)

    @property
    def objects_heading(self) -> str:
        """Heading of the numbers of true objects, or of items with a class."""
        return "support" if "f1" in self.rates and "iou" not in self.rates else "objects"

    @property
    def _rate(self) -> str | None:
        """The rate that the only measure is the mean of; None if it is another quantity."""
        rate = rate_of(self.run.metrics[self.metrics[0]].measure.reduction)
        return rate if rate in self.rates else None

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
            {
                "metric": name,
                **({"rule": rules[name]} if rules[name] else {}),
                **each.to_dict(),
                **{
                    rate: finite(values.get(str(each.label), math.nan)) for rate, values in self.rates.items()
                },
            }
            for name in self.metrics
            for each in self.estimates[name]
        ]

    def default(self) -> Table:
        """Return the table."""
        return self.table()

    def page_arguments(self) -> dict[str, Any]:  # noqa: D102
        return {"runs": [self.run], "by_label": self, **vars(self.analysis)}

    @property
    def _units(self) -> dict[str, Any]:
        return self.grouping.units

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
        labels = label_estimates(Target(metric.result, name), level=self.level, **self._units)
        return sorted(labels, key=sort_key(self.sort, metric.measure.direction))


def rates_of_labels(metric: Metric, grouping: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return rate -> label -> value, from the table of labels of a metric; empty if it has none.

    Recall of detected objects is the highest one, with all predictions that count, over the overlaps of the
    measure.
    """
    weights = Units.of(Target(metric.result, metric.name).mask, **grouping).weights
    if not weights.any() or not any(table.name == _TABLE for table in metric.result.breakdowns):
        return {}
    columns = metric.result.detail(_TABLE, weights).columns
    keys = columns.get("key") or [""] * len(columns["label"])
    names = [str(Label(key, value)) for key, value in zip(keys, columns["label"], strict=True)]
    rates = {
        rate: dict(zip(names, map(_as_number, column), strict=True))
        for rate, column in columns.items()
        if rate in _RATES or rate.startswith("ap_")
    }
    reduction, statistics = metric.measure.reduction, metric.result.statistics
    if isinstance(reduction, MeanAveragePrecision):
        recalls = MeanAverageRecall(reduction.view).by_label(statistics, weights[None])[0][0].tolist()
        rates["recall"] = dict(zip(map(str, statistics.labels), recalls, strict=True))
    return rates


def rate_of(reduction: Reduction) -> str | None:
    """Return the rate of labels that a measure is the mean of, as tables call it."""
    if isinstance(reduction, MeanAveragePrecision):
        return "ap"
    return "recall" if isinstance(reduction, BalancedAccuracy) else getattr(reduction, "quantity", None)


def rate_heading(rate: str) -> str:
    """Return a rate as people write it.

    >>> rate_heading("f1"), rate_heading("ap_50"), rate_heading("ap_easy"), rate_heading("recall")
    ('F1', 'AP50', 'AP easy', 'recall')
    """
    name, _, rest = rate.partition("_")
    gap = "" if rest[:1].isdigit() else " "
    return f"{_HEADINGS.get(name, name)}{gap}{rest}".strip()


def _as_number(value: float | None) -> float:
    return math.nan if value is None else value


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
