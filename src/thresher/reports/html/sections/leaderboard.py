"""Many runs in the order of one measure: best runs, differences to them, and usage."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.reports.figures.figure import Axis, RowFigure, Whisker
from thresher.reports.figures.scale import Domain
from thresher.reports.html.numbers import DASH, cell_text, limits, number, shared_decimals
from thresher.reports.html.sections.facts import limits_of, table, tone
from thresher.reports.html.svg.rows import draw_rows
from thresher.reports.leaderboards.leaderboard import LeaderboardReport
from thresher.reports.leaderboards.section import Section
from thresher.reports.leaderboards.sentences import short_names
from thresher.reports.rendering.text import plain
from thresher.reports.runs.names import ARROWS

Facts = Mapping[str, Any]
_USAGE = (
    ("latency_median", "s, median", 1),
    ("tokens", "tokens", 1),
    ("cost", "cost per 1,000", 1000),
)
"""What a run used per item: field, heading, factor."""


def leaderboard_section(report: LeaderboardReport, names: Sequence[str]) -> dict[str, Any]:
    """Return the section's data.

    Args:
        report: the leaderboard.
        names: names of the runs on the page, in the order of their letters.
    """
    data = plain(report.data())
    entries = data["runs"]
    front = _front(data)
    usage = [
        (name, head, by) for name, head, by in _USAGE if any(entry[name] is not None for entry in entries)
    ]
    others = list(dict.fromkeys(name for entry in entries for name in entry["others"]))
    arrows = {name: ARROWS[facts["direction"]] for name, facts in data["others"].items()}
    plots = zip(_value_plots(entries, names), _difference_plots(entries), strict=True)
    decimals = shared_decimals([entry["value"] for entry in entries], ends=_ends(entries))
    keys = varying_settings(entries)
    return {
        "measure": data["measure"],
        "arrow": ARROWS[data["direction"]],
        "better": f"{data['direction']} is better",
        "reference": data["baseline"] or "the best",
        "notes": data["notes"],
        "sentences": data["reading"],
        "others": [(name, arrows.get(name, "")) for name in others],
        "usage": [head for _, head, _ in usage],
        "letters": any(entry["letters"] for entry in entries),
        "rows": [
            {
                **_row(entry, names, keys, decimals),
                "front": entry["run"] in front,
                "plot": value_plot,
                "difference_plot": difference_plot,
                "others": [_other(entry["others"].get(name)) for name in others],
                "usage": [_used(entry[name], by) for name, _, by in usage],
            }
            for entry, (value_plot, difference_plot) in zip(entries, plots, strict=True)
        ],
        "front": bool(front),
        "matrix": pair_matrix(data.get("pairs") or (), entries, names),
        "effects": [
            {**_part(part), "rows": effect_rows(plain(part.data)["effects"])}
            for part in report.sections
            if part.name == "settings"
        ],
        "parts": {part.name: _part(part) for part in report.sections if part.name != "settings"},
    }


def _front(data: Facts) -> set[str]:
    """Return the runs on the front of quality, cost and latency; none if all are on it."""
    places = [(row["run"], row["place"]) for row in (data.get("trade_offs") or {"runs": ()})["runs"]]
    front = {run for run, place in places if place == "front"}
    return front if len(front) < len(places) else set()


def _part(part: Section) -> dict[str, Any]:
    """Return a part below the table as in other formats."""
    title = part.title.removesuffix(":")
    shown = table(part.table.columns, part.table.rows)
    return {"title": title, "reading": list(part.reading), "table": shown}


def effect_rows(effects: Sequence[Facts]) -> list[dict[str, Any]]:
    """Return what each setting changes, with its interval drawn."""
    decimals = [shared_decimals([row["difference"], *(limits_of(row) or ())]) for row in effects]
    return [
        {
            "setting": row["setting"],
            "change": f"{cell_text(row['before'])} → {cell_text(row['after'])}",
            "difference": number(row["difference"], signed=True, decimals=places),
            "limits": limits(limits_of(row), signed=True, decimals=places),
            "verdict": row["verdict"],
            "tone": tone(row["verdict"]) or "open",
            "runs": row["runs"],
            "plot": plot,
        }
        for row, places, plot in zip(effects, decimals, _change_plots(effects), strict=True)
    ]


def varying_settings(entries: Sequence[Facts]) -> dict[str, str]:
    """Return the settings in which runs differ, with the shortest distinct ends of their paths.

    >>> settings = [{"retriever.top_k": 3, "a.size": 1}, {"retriever.top_k": 5, "a.size": 1}]
    >>> varying_settings([{"settings": known} for known in settings])
    {'retriever.top_k': 'top_k'}
    """
    keys = list(dict.fromkeys(key for entry in entries for key in entry["settings"]))
    return short_names(
        key for key in keys if len({repr(entry["settings"].get(key)) for entry in entries}) > 1
    )


def _row(entry: Facts, names: Sequence[str], keys: Mapping[str, str], decimals: int) -> dict[str, Any]:
    difference = entry["difference"] or {}
    places = shared_decimals([difference.get("difference"), *(limits_of(difference) or ())])
    change = number(difference.get("difference"), signed=True, decimals=places)
    ends = limits(limits_of(difference), signed=True, decimals=places)
    settings = entry["settings"]
    return {
        "run": names.index(entry["run"]),
        "name": entry["run"],
        "chips": [(end, cell_text(settings[key])) for key, end in keys.items() if key in settings],
        "rank": entry["rank"] or DASH,
        "ranks": _ranks(entry),
        "star": bool(entry["may_be_best"]),
        "value": number(entry["value"], decimals=decimals),
        "limits": limits(limits_of(entry), decimals=decimals),
        "is_reference": entry["rank"] is not None and not difference,
        "difference": change,
        "difference_limits": ends,
        "tone": tone(difference.get("verdict")) or "open",
        "verdict": difference.get("verdict") or "",
        "letters": entry["letters"],
        "coverage": f"{entry['scored']}/{entry['items']}",
        "gaps": entry["scored"] < entry["items"],
        "why": entry["why"],
    }


def _ranks(entry: Facts) -> str:
    """Return the possible ranks of a run."""
    best, worst = entry["best_rank"], entry["worst_rank"]
    if best is None:
        return DASH
    return str(best) if best == worst else f"{best}{DASH}{worst}"


def _ends(entries: Sequence[Facts]) -> list[float]:
    return [end for entry in entries for end in limits_of(entry) or ()]


def _value_plots(entries: Sequence[Facts], names: Sequence[str]) -> list[Any]:
    """Return each run's value with its own interval; the scale ends where the intervals do."""
    known = [entry["value"] for entry in entries if entry["value"] is not None]
    whiskers = tuple(
        Whisker(entry["value"], limits_of(entry), names.index(entry["run"])) for entry in entries
    )
    return draw_rows(RowFigure("", Axis("", _span([*known, *_ends(entries)])), whiskers))


def _difference_plots(entries: Sequence[Facts]) -> list[Any]:
    """Return each difference with its interval for all runs together; coloured only if that excludes 0."""
    return _change_plots([entry["difference"] or {"difference": None} for entry in entries])


def _change_plots(changes: Sequence[Facts]) -> list[Any]:
    ends = [end for change in changes for end in limits_of(change) or ()]
    known = [change["difference"] for change in changes if change["difference"] is not None]
    whiskers = tuple(
        Whisker(change["difference"], limits_of(change), change.get("verdict")) for change in changes
    )
    return draw_rows(RowFigure("", Axis("", _span([0.0, *known, *ends])), whiskers, zero=True))


def _span(values: Sequence[float]) -> Domain:
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = (high - low or 1.0) * 0.05
    return low - room, high + room


def _other(facts: Facts | None) -> dict[str, Any]:
    if facts is None:
        return {"value": DASH}
    interval = limits_of(facts)
    decimals = shared_decimals([facts["value"]], ends=interval or ())
    value = {
        "value": number(facts["value"], decimals=decimals),
        "limits": limits(interval, decimals=decimals),
    }
    return {**value, "star": facts["may_be_best"]}


def _used(value: float | None, factor: int) -> str:
    return DASH if value is None else cell_text(float(value) * factor)


def pair_matrix(
    pairs: Sequence[Facts], entries: Sequence[Facts], names: Sequence[str]
) -> list[dict[str, Any]]:
    """Return all pairs as rows of cells: the run of the row minus that of the column; empty without pairs."""
    known = {(pair["run"], pair["baseline"]): (pair, 1) for pair in pairs}
    known |= {(pair["baseline"], pair["run"]): (pair, -1) for pair in pairs}
    ranked = [entry["run"] for entry in entries if entry["rank"] is not None]
    return [
        {
            "run": names.index(row),
            "name": row,
            "cells": [
                _pair_cell(*known[row, column]) if (row, column) in known else None for column in ranked
            ],
        }
        for row in (ranked if known else ())
    ]


def _pair_cell(pair: Facts, sign: int) -> dict[str, str]:
    """Return a difference seen from one of its runs."""
    turned = {"better": "worse", "worse": "better"}
    verdict = pair["verdict"] if sign > 0 else turned.get(pair["verdict"], pair["verdict"])
    interval = limits_of(pair)
    seen = interval if interval is None or sign > 0 else (-interval[1], -interval[0])
    decimals = shared_decimals([pair["difference"], *(seen or ())])
    value = None if pair["difference"] is None else sign * pair["difference"]
    return {
        "text": number(value, signed=True, decimals=decimals),
        "limits": limits(seen, signed=True, decimals=decimals),
        "tone": tone(verdict) or "open",
        "verdict": verdict or "",
    }
