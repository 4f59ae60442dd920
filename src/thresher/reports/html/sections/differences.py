"""What the other runs are against the first: differences with intervals, wins, ties and losses."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.reports.html.figures.intervals import whisker
from thresher.reports.html.figures.scale import Domain
from thresher.reports.html.figures.shares import bar
from thresher.reports.html.numbers import count, limits, number
from thresher.reports.html.sections.facts import ARROWS, cells, further, heading, limits_of
from thresher.reports.names import display_name
from thresher.reports.run_data import RunData

_SHOWN = ("metric", "baseline", "run", "baseline_value", "run_value", "difference", "interval", "items")
_KNOWN = (*_SHOWN, "wins", "ties", "losses", "direction")
Rows = Sequence[Mapping[str, Any]]


def differences(runs: Sequence[RunData], data: Mapping[str, Any]) -> dict[str, Any]:
    """The section's data.

    Args:
        runs: the runs; the first is the baseline.
        data: what `comparison.aggregate_data` says, as plain data.
    """
    rows = data["differences"]
    names = further(rows, _KNOWN)
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    run_names = [report["run"] for report in data["runs"]]
    told = [
        _metric(runs, [row for row in rows if row["metric"] == each], run_names, names) for each in metrics
    ]
    return {
        "baseline": run_names[0],
        "names": run_names,
        "many": len(run_names) > 2,  # noqa: PLR2004  # then each row says which run it is about
        "further": [heading(name) for name in names],
        "metrics": [_drawn(metric, spans(told)[metric["scale"]]) for metric in told],
        "sentences": sentences(data),
    }


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
    counts = {name: int(row[name]) for name in ("wins", "ties", "losses")}
    return {
        "run": run,
        "run_name": row["run"],
        "values": (number(row["baseline_value"]), number(row["run_value"])),
        "raw": row["difference"],
        "difference": number(row["difference"], signed=True),
        "interval": interval,
        "limits": limits(interval, signed=True),
        "method": (row.get("interval") or {}).get("method", ""),
        "tone": _tone(interval, direction),
        "bar": bar(**counts),
        **counts,
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
