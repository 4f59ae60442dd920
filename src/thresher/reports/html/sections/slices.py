"""The metrics of a run on each slice, tested metrics first, the worst slices first."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from thresher.reports.figures.figure import Axis, RowFigure, Whisker
from thresher.reports.html.numbers import count, limits, number
from thresher.reports.html.sections.differences import SECONDARY, first_secondary
from thresher.reports.html.sections.facts import limits_of, metric_head, tone
from thresher.reports.html.sections.overview import metric_domain, shared_decimals_of
from thresher.reports.html.svg.rows import draw_rows
from thresher.reports.rendering.text import plain
from thresher.reports.slices.slice_report import SliceReport


def slices(report: SliceReport) -> dict[str, Any]:
    """Return the section's data.

    Args:
        report: the slices of one run.
    """
    data = plain(report.data())
    metrics = groupby(data["slices"], key=lambda row: row["metric"])
    shown = [_metric(report, name, list(rows)) for name, rows in metrics]
    return {
        "notes": data["notes"],
        "sentences": data["reading"],
        "metrics": shown,
        "secondary": first_secondary(shown),
    }


def _metric(report: SliceReport, name: str, rows: list[Mapping[str, Any]]) -> dict[str, Any]:
    span = metric_domain([report.run], name)
    decimals = shared_decimals_of(rows, "rest", "difference")
    whiskers = (Whisker(row["value"], limits_of(row), row["verdict"]) for row in rows)
    plots = draw_rows(RowFigure("", Axis("", span), tuple(whiskers)))
    return {
        **metric_head(report.run.metrics[name].measure),
        "secondary": report.family.role(name) == SECONDARY,
        "rows": [_row(row, decimals) | {"plot": plot} for row, plot in zip(rows, plots, strict=True)],
    }


def _row(row: Mapping[str, Any], decimals: int) -> dict[str, Any]:
    interval = limits_of(row)
    return {
        "part": row["slice"],
        "value": number(row["value"], decimals=decimals),
        "limits": limits(interval, decimals=decimals),
        "method": (row.get("interval") or {}).get("method", ""),
        "items": count(row["items"]),
        "rest": number(row["rest"], decimals=decimals),
        "difference": number(row["difference"], signed=True, decimals=decimals),
        "verdict": row["verdict"] or SECONDARY,
        "tone": tone(row["verdict"]) or "open",
    }
