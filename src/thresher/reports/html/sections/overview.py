"""Every metric of every run: value, interval, coverage, direction, signature."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from thresher.reports.figures.figure import Axis, RowFigure, Whisker
from thresher.reports.figures.scale import Domain, domain
from thresher.reports.html.numbers import count, limits, number, shared_decimals
from thresher.reports.html.sections.facts import cells, further, gaps, heading, limits_of, metric_head
from thresher.reports.html.svg.rows import draw_rows
from thresher.reports.runs.run_data import RunData
from thresher.reports.scores.sorted_scores import sorted_scores

_KNOWN = ("value", "scored", "items", "direction", "bounds", "signature", "interval", "rule", "primary")
_MANY = 3
"""Fewest runs with a table of runs x metrics at the top; one row per run and metric would be too long."""
Reports = Sequence[Mapping[str, Any]]


def overview(runs: Sequence[RunData], reports: Reports) -> dict[str, Any]:
    """Return the section's data.

    Args:
        runs: the runs.
        reports: per run the data of its `RunReport`.
    """
    rows = [facts for report in reports for facts in report["metrics"].values()]
    names = further(rows, _KNOWN)
    metrics = list(dict.fromkeys(name for report in reports for name in report["metrics"]))
    shown = [_metric(runs, reports, metric, names) for metric in metrics]
    if all(metric["primary"] for metric in shown):  # a mark of all says nothing
        shown = [{**metric, "primary": False} for metric in shown]
    return {
        "further": [heading(name) for name in names],
        "metrics": shown,
        "matrix": _matrix(shown, [report["run"] for report in reports]) if len(reports) >= _MANY else [],
        "signatures": _signatures(reports),
    }


def _matrix(metrics: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return one row per run, with its row of each metric; None where it lacks the metric."""
    by_run = [{row["run"]: row for row in metric["rows"]} for metric in metrics]
    return [
        {"run": run, "name": name, "cells": [rows.get(run) for rows in by_run]}
        for run, name in enumerate(names)
    ]


def metric_domain(runs: Sequence[RunData], metric: str) -> Domain:
    """Return the range of a metric's scale, the same for all runs."""
    having = [run.metrics[metric] for run in runs if metric in run.metrics]
    bounds = [None if np.isinf(bound) else bound for bound in having[0].measure.bounds]
    ends: list[float] = []
    for metric_of_run in having:
        ends.append(metric_of_run.value)
        if metric_of_run.measure.item_score is not None:
            (scores,) = sorted_scores([metric_of_run])
            ends += [scores.at(0), scores.at(scores.count - 1)] if scores.count else []
    return domain(bounds, ends)


def shared_decimals_of(rows: Reports, *names: str) -> int:
    """Return with how many decimals the values and intervals of a metric are shown, in all rows alike.

    Args:
        rows: the metric in each report.
        names: further fields in the unit of the value.
    """
    values = [row[name] for row in rows for name in ("value", *names)]
    return shared_decimals(values, ends=[end for row in rows for end in limits_of(row) or ()])


def _metric(runs: Sequence[RunData], reports: Reports, metric: str, names: Sequence[str]) -> dict[str, Any]:
    span = metric_domain(runs, metric)
    having = [run for run, report in enumerate(reports) if metric in report["metrics"]]
    estimates = [reports[run]["metrics"][metric] for run in having]
    decimals = shared_decimals_of(estimates)
    whiskers = (
        Whisker(facts["value"], limits_of(facts), run) for run, facts in zip(having, estimates, strict=True)
    )
    plots = draw_rows(RowFigure("", Axis("", span), tuple(whiskers)))
    rows = [
        {
            "run": run,
            "run_name": reports[run]["run"],
            "gaps": gaps(runs[run], metric),
            **_estimate(facts, decimals),
            "plot": plot,
            "cells": cells(facts, names),
        }
        for run, facts, plot in zip(having, estimates, plots, strict=True)
    ]
    shown = runs[having[0]].metrics[metric]
    return {**metric_head(shown.measure, primary=shown.is_primary), "rows": rows}


def _estimate(facts: Mapping[str, Any], decimals: int) -> dict[str, Any]:
    interval = limits_of(facts)
    return {
        "value": number(facts["value"], decimals=decimals),
        "exact": facts["value"],
        "limits": limits(interval, decimals=decimals),
        "method": _method(facts),
        "coverage": f"{count(facts['scored'])} / {count(facts['items'])}",
    }


def _method(facts: Mapping[str, Any]) -> str:
    return str((facts.get("interval") or {}).get("method", ""))


def _signatures(reports: Reports) -> list[dict[str, str]]:
    """Return each signature once, with the runs that have it."""
    runs_of: dict[str, list[str]] = {}
    for report in reports:
        for facts in report["metrics"].values():
            runs_of.setdefault(facts["signature"], []).append(report["run"])
    return [{"line": line, "runs": ", ".join(names)} for line, names in runs_of.items()]
