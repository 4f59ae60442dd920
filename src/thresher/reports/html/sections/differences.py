"""What the other runs are against the first: differences with intervals, wins, ties and losses."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.reports.html.figures.intervals import whisker
from thresher.reports.html.figures.scale import Domain
from thresher.reports.html.figures.shares import bar
from thresher.reports.html.numbers import DASH, count, limits, number
from thresher.reports.html.sections.facts import ARROWS, cell, cells, further, heading, limits_of, table, tone
from thresher.reports.names import display_name
from thresher.reports.run_data import RunData

_SHOWN = ("metric", "baseline", "run", "baseline_value", "run_value", "difference", "interval", "items")
_COUNTS = ("wins", "ties", "losses")
_KNOWN = (*_SHOWN, *_COUNTS, "direction", "measure", "first_value", "second_value")
_ASIDE = (
    "p_value",
    "effect",
    "standard_error",
    "narrow",
    "margin",
    "margin_given",
    "test",
    "effect_kind",
    "sentence",
)
"""What stands among all statistics only; but a p-value has a column where there is no corrected one."""
_HEADS = {
    "verdict": ("verdict", "better, worse, equivalent or inconclusive"),
    "p_adjusted": ("p, corrected", "of no difference, two-sided; corrected for all comparisons made here"),
    "p_value": ("p", "of no difference, two-sided; for this comparison alone"),
    "detectable": ("detectable", "the smallest difference that so many items would mostly show"),
}
Rows = Sequence[Mapping[str, Any]]


def differences(runs: Sequence[RunData], data: Mapping[str, Any]) -> dict[str, Any]:
    """The section's data.

    Args:
        runs: the runs; the first is the baseline.
        data: what `comparison.aggregate_data` says, as plain data.
    """
    rows = data["differences"]
    names = further(rows, _KNOWN)
    columns = _columns(names)
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    run_names = [report["run"] for report in data["runs"]]
    of_metric = ([row for row in rows if row["metric"] == metric] for metric in metrics)
    told = [_metric(runs, each, run_names, columns) for each in of_metric]
    widths = spans(told)
    return {
        "baseline": run_names[0],
        "names": run_names,
        "many": len(run_names) > 2,  # noqa: PLR2004  # then each row says which run it is about
        "further": [_head(name, rows) for name in columns],
        "judged": "verdict" in names,
        "metrics": [_drawn(metric, widths[metric["scale"]]) for metric in told],
        "sentences": sentences(data),
        "statistics": _statistics(rows, names) if names != columns else None,
    }


def _columns(names: Sequence[str]) -> list[str]:
    """What gets a column beside the known ones: the verdict first, and one p-value."""
    first = [name for name in _HEADS if name in names and name not in _ASIDE]
    if "p_value" in names and "p_adjusted" not in names:
        first.append("p_value")
    return [*first, *(name for name in names if name not in first and name not in _ASIDE)]


def _head(name: str, rows: Rows) -> dict[str, Any]:
    text, meaning = _HEADS.get(name, (heading(name), ""))
    return {"text": text, "meaning": meaning, "number": all(cell(row.get(name))["number"] for row in rows)}


def _statistics(rows: Rows, names: Sequence[str]) -> dict[str, Any]:
    """Everything that is said beyond the known parts, as a table of its own."""
    columns = ["metric", "run", *names]
    return table(columns, [[row.get(name) for name in columns] for row in rows])


def sentences(data: Mapping[str, Any]) -> list[str]:
    """Whole sentences that the report's data hold beside notes, under whatever name."""
    told: list[str] = []
    for key, value in data.items():
        if key in ("notes", "run"):
            continue
        if isinstance(value, str):
            told.append(value)
        elif isinstance(value, list) and all(isinstance(entry, str) for entry in value):
            told += value
    return told


def spans(metrics: Rows) -> dict[Any, Domain]:
    """Per scale of measurement, the range around 0 that holds all its differences and intervals."""
    widest: dict[Any, float] = {}
    for metric in metrics:
        ends = [abs(end) for row in metric["rows"] for end in (*(row["interval"] or ()), row["raw"] or 0.0)]
        widest[metric["scale"]] = max([widest.get(metric["scale"], 0.0), *ends])
    return {scale: (-(width or 1.0) * 1.05, (width or 1.0) * 1.05) for scale, width in widest.items()}


def _metric(
    runs: Sequence[RunData], rows: Rows, run_names: Sequence[str], names: Sequence[str]
) -> dict[str, Any]:
    metric = rows[0]["metric"]
    measure = runs[0].metrics[metric].measure
    return {
        "name": metric,
        "display": display_name(metric),
        "arrow": ARROWS[measure.direction],
        "better": f"{measure.direction} is better",
        "scale": measure.bounds,
        "rows": [_row(row, run_names.index(row["run"]), measure.direction, names) for row in rows],
    }


def _row(row: Mapping[str, Any], run: int, direction: str, names: Sequence[str]) -> dict[str, Any]:
    interval = limits_of(row)
    counts = {name: int(row[name]) for name in _COUNTS if row[name] is not None}
    return {
        "run": run,
        "run_name": row["run"],
        "values": (number(row["baseline_value"]), number(row["run_value"])),
        "raw": row["difference"],
        "difference": number(row["difference"], signed=True),
        "interval": interval,
        "limits": limits(interval, signed=True),
        "method": (row.get("interval") or {}).get("method", ""),
        "tone": tone(row.get("verdict")) or _tone(interval, direction),
        "bar": bar(**counts) if counts else "",
        "counts": " / ".join(map(count, counts.values())) or DASH,
        "items": count(row["items"]),
        "cells": cells(row, names),
    }


def _tone(interval: tuple[float, float] | None, direction: str) -> str:
    """Better or worse where the interval leaves out 0; open otherwise."""
    if interval is None or interval[0] <= 0 <= interval[1]:
        return "open"
    return "better" if (interval[0] > 0) == (direction == "higher") else "worse"


def _drawn(metric: dict[str, Any], span: Domain) -> dict[str, Any]:
    rows = [
        {**row, "plot": whisker(row["raw"], row["interval"], span, row["tone"], zero=True)}
        for row in metric["rows"]
    ]
    return {**metric, "rows": rows}
