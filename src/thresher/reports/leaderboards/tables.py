"""A leaderboard as tables: for programs, and for people."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thresher.reports.comparisons.comparison_table import SIGNS
from thresher.reports.leaderboards.entry import Entry, MeasuredValue
from thresher.reports.leaderboards.ranking import Ranking
from thresher.reports.leaderboards.sentences import STAR
from thresher.reports.rendering.numbers import interval_text, number, significant
from thresher.reports.runs.names import ARROWS
from thresher.reports.table import Table

_HEAD = (
    "rank", "run", "may_be_best", "best_rank", "worst_rank", "measure", "value", "low", "high", "interval",
    "adjusted", "scored", "items",
)  # fmt: skip
_DIFFERENCE = ("difference", "difference_low", "difference_high", "p_value", "p_adjusted", "verdict")
_USAGE = ("latency_median", "latency_p95", "tokens", "tokens_total", "cost", "cost_total")
_USAGE_HEADINGS = {
    "latency_median": "s, median",
    "latency_p95": "s, p95",
    "tokens": "tokens",
    "cost": "cost",
    "cost_total": "cost, all",
}


def program_table(ranking: Ranking, sentences: Mapping[str, Sequence[str]]) -> Table:
    """One row per run with every column, unrounded; one column per setting."""
    entries = ranking.entries
    others = ranking.ordering.others
    settings = list(dict.fromkeys(key for entry in entries for key in entry.settings))
    columns = [*_HEAD, "reference", *_DIFFERENCE, "letters"]
    columns += [column for name in others for column in (name, f"{name}_low", f"{name}_high")]
    columns += [*_USAGE, *(f"settings.{key}" for key in settings), "why"]
    rows = [_program_row(ranking, entry, others, settings) for entry in entries]
    return Table(columns, rows, **sentences)


def _program_row(ranking: Ranking, entry: Entry, others: Sequence[str], settings: Sequence[str]) -> list[Any]:
    data = entry.to_dict()
    difference = data["difference"] or {}
    limits = difference.get("interval") or {}
    interval = data["interval"] or {}
    facts = data | {"measure": ranking.ordering.measure, "interval": interval.get("method")}
    facts |= {"low": interval.get("low"), "high": interval.get("high")}
    cells = [facts[name] for name in _HEAD]
    cells += [difference.get("baseline"), difference.get("difference"), limits.get("low"), limits.get("high")]
    cells += [difference.get(name) for name in ("p_value", "p_adjusted", "verdict")]
    cells.append(entry.letters)
    for name in others:
        cells += _limits(entry.others.get(name))
    return [
        *cells,
        *(data[name] for name in _USAGE),
        *(entry.settings.get(key) for key in settings),
        entry.why,
    ]


def _limits(value: MeasuredValue | None) -> list[float | None]:
    if value is None:
        return [None, None, None]
    interval = value.interval
    return [value.value, *((None, None) if interval is None else (interval.low, interval.high))]


def summary_table(ranking: Ranking, sentences: Mapping[str, Sequence[str]], *, detail: int = 2) -> Table:
    """One row per run, rounded.

    Args:
        ranking: the runs in their order.
        sentences: notes and findings.
        detail: 2 for all columns; 1 without other measures and what the runs used, for a narrow terminal; 0
            for the ranks, values and differences only.
    """
    columns = [*_order_columns(ranking), *(_further_columns(ranking) if detail > 1 else [])]
    if not detail:
        columns = [column for column in columns if column[0] not in _DETAILS]
    names, cells = zip(*columns, strict=True)
    return Table(names, zip(*cells, strict=True), **sentences)


_DETAILS = ("own interval", "possible ranks", "scored")
Column = tuple[str, list[Any]]


def _order_columns(ranking: Ranking) -> list[Column]:
    """Rank, run, value, difference and coverage."""
    entries = ranking.entries
    measure = f"{ranking.ordering.measure} {ARROWS[ranking.fair.scores.direction]}"
    against = "baseline" if ranking.options.baseline is not None else "best value"
    columns: list[Column] = [
        ("rank", ["-" if entry.rank is None else str(entry.rank) for entry in entries]),
        ("", [STAR if entry.may_be_best else "" for entry in entries]),
        ("run", [entry.run for entry in entries]),
        (measure, [_value(entry.measured, adjusted=entry.adjusted) for entry in entries]),
        ("own interval", [_interval(entry.measured) for entry in entries]),
        (f"difference to {against}", [_difference(ranking, entry) for entry in entries]),
        ("possible ranks", [_ranks(entry) for entry in entries]),
        ("scored", [f"{entry.scored}/{entry.items}" for entry in entries]),
    ]
    if ranking.options.letters:
        columns.append(("letters", [entry.letters for entry in entries]))
    if ranking.options.baseline is not None:
        columns.insert(6, ("verdict", [_verdict(entry) for entry in entries]))
    return columns


def _further_columns(ranking: Ranking) -> Iterable[Column]:
    """Other primary measures with their own intervals, and what the runs used."""
    entries = ranking.entries
    for name in ranking.ordering.others:
        values = [entry.others.get(name) for entry in entries]
        if any(value is not None for value in values):
            yield name, ["-" if value is None else f"{_value(value)} {_interval(value)}" for value in values]
    for name, heading in _USAGE_HEADINGS.items():
        used = [getattr(entry.usage, name) for entry in entries]
        if any(value is not None for value in used):
            yield heading, ["-" if value is None else significant(value) for value in used]


def _value(value: MeasuredValue | None, *, adjusted: bool = False) -> str:
    text = number(None if value is None else value.value, 3)
    return f"~{text}" if adjusted else text


def _interval(value: MeasuredValue | None) -> str:
    return interval_text(None if value is None else value.interval, 3)


def _difference(ranking: Ranking, entry: Entry) -> str:
    """A difference with its simultaneous interval."""
    if entry.difference is None:
        name = ranking.fair.names[ranking.reference]
        return ("baseline" if ranking.options.baseline else "best value") if entry.run == name else "-"
    change = entry.difference.comparison
    return f"{number(change.difference, 3, signed=True)} {interval_text(change.interval, 3, signed=True)}"


def _verdict(entry: Entry) -> str:
    verdict = None if entry.difference is None else entry.difference.verdict
    return "" if verdict is None else SIGNS[verdict]


def _ranks(entry: Entry) -> str:
    if entry.best_rank is None:
        return "-"
    ranks = (entry.best_rank, entry.worst_rank)
    return str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]}-{ranks[1]}"
