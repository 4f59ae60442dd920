"""The values of each label, the worst first, or their differences between runs."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Literal

from thresher.kernels.inference import Target
from thresher.kernels.inference.label_estimates import has_labels
from thresher.reports.analysis import Analysis
from thresher.reports.by_label.keypoint_comparison import ByKeypointComparison
from thresher.reports.by_label.keypoint_report import ByKeypointReport, keypoint_tables
from thresher.reports.by_label.label_comparison import ByLabelComparison
from thresher.reports.by_label.label_report import ByLabelReport, rate_heading
from thresher.reports.figures.figure import Axis, RowFigure, Whisker
from thresher.reports.html.numbers import limits, number
from thresher.reports.html.sections.differences import differences
from thresher.reports.html.sections.facts import ROWS, limits_of, metric_head
from thresher.reports.html.sections.overview import metric_domain, shared_decimals_of
from thresher.reports.html.svg.rows import draw_rows
from thresher.reports.rendering.text import plain
from thresher.reports.runs.run_data import RunData

Labels = ByLabelReport | ByLabelComparison


def labels_section(
    runs: Sequence[RunData], given: Labels | None, analysis: Analysis, part: Literal["label", "keypoint"]
) -> dict[str, Any] | None:
    """Return the section's data; None if no primary measure has values of labels, or of keypoints.

    Args:
        runs: the runs with all metrics.
        given: a report to show instead, if it is of this part.
        analysis: what the other sections compute.
        part: what the values are of.
    """
    if given is None or given.part != part:
        given = (_report if part == "label" else _keypoint_report)(runs, analysis)
    return None if given is None else _section(given)


def _section(report: Labels) -> dict[str, Any]:
    if isinstance(report, ByLabelComparison):
        data = plain(report.data())
        rows, left_out = _shown(data["differences"], ends=report.sort in ("worst", "best"))
        return {
            **differences(report.runs, {**data, "differences": rows}),
            "left_out": left_out,
            "part": report.part,
            "sort": report.sort,
        }
    metrics = groupby(plain(report.facts()), key=lambda row: row["metric"])
    shown = [_metric(report, name, list(rows)) for name, rows in metrics]
    heads: dict[str, Any] = {"value": report.value_heading, "objects": report.objects_heading}
    heads["rates"] = [rate_heading(rate) for rate in report.further_rates]
    return {"metrics": shown, "sentences": report.reading, "part": report.part, "heads": heads}


def _shown(rows: list[dict[str, Any]], *, ends: bool) -> tuple[list[dict[str, Any]], int]:
    """The first and last rows of each run and metric, or only the first, and the number of the others."""
    shown: list[dict[str, Any]] = []
    for _, group in groupby(rows, key=lambda row: (row["run"], row["metric"])):
        of_metric = list(group)
        first = ROWS // 2 if ends else ROWS
        last = max(len(of_metric) - (ROWS - first), first)
        shown += [*of_metric[:first], *of_metric[last:]]
    return shown, len(rows) - len(shown)


def _report(runs: Sequence[RunData], analysis: Analysis) -> Labels | None:
    chosen = analysis.primary or analysis.metrics
    first, *others = runs
    names = [
        name
        for name, metric in first.metrics.items()
        if has_labels(Target(metric.result, name))
        and (name in chosen if chosen else metric.is_primary)
        and (not others or any(name in run.metrics for run in others))
    ]
    if not names:
        return None
    narrowed = replace(analysis, metrics=names)
    return ByLabelReport(first, narrowed) if not others else ByLabelComparison(runs, narrowed)


def _keypoint_report(runs: Sequence[RunData], analysis: Analysis) -> Labels | None:
    chosen = analysis.primary or analysis.metrics
    for run in runs:
        names = {measure.name for result, _ in keypoint_tables(run) for measure in result.measures}
        if not names or (chosen and names.isdisjoint(chosen)):
            return None
    whole = replace(analysis, metrics=None, primary=None, margins=None)
    return ByKeypointReport(runs[0], whole) if len(runs) == 1 else ByKeypointComparison(runs, whole)


def _metric(report: ByLabelReport, name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    span = metric_domain([report.run], name)
    shown = rows[:ROWS]
    decimals = shared_decimals_of(shown)
    plots = draw_rows(
        RowFigure("", Axis("", span), tuple(Whisker(row["value"], limits_of(row)) for row in shown))
    )
    return {
        **metric_head(report.run.metrics[name].measure),
        "rows": [
            _row(row, decimals, report.further_rates) | {"plot": plot}
            for row, plot in zip(shown, plots, strict=True)
        ],
        "left_out": len(rows) - len(shown),
    }


def _row(row: dict[str, Any], decimals: int, rates: Sequence[str]) -> dict[str, Any]:
    return {
        "label": row["label"],
        "value": number(row["value"], decimals=decimals),
        "limits": limits(limits_of(row), decimals=decimals),
        "method": (row.get("interval") or {}).get("method", ""),
        "rates": [number(row[rate], decimals=decimals) for rate in rates],
        "objects": f"{row['objects']:,g}",
    }
