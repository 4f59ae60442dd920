"""A leaderboard as tables: for programs, and for people."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from thresher.kernels.inference.verdict_sentence import SIGNS
from thresher.reports.leaderboards.entry import Entry, MeasuredValue
from thresher.reports.leaderboards.ranking import Ranking
from thresher.reports.leaderboards.sentences import OTHER_STAR, STAR
from thresher.reports.rendering.numbers import estimate_text, interval_text, significant, with_interval
from thresher.reports.runs.names import ARROWS
from thresher.reports.table import Table

_VALUE = ("rank", "run", "measure", "value")
_STANDING = (
    "may_be_best", "best_rank", "worst_rank", "low", "high", "interval", "scored", "items",
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
    """One row per run with every column, unrounded, values of measures first; one column per setting."""
    entries = ranking.entries
    others = ranking.ordering.others
    settings = list(dict.fromkeys(key for entry in entries for key in entry.settings))
    columns = [*_VALUE, *others, *_STANDING, "reference", *_DIFFERENCE, "letters"]
    columns += [f"{name}_{part}" for name in others for part in ("low", "high", "may_be_best")]
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
    values = [entry.others.get(name) for name in others]
    cells = [facts[name] for name in _VALUE]
    cells += [None if value is None else value.value for value in values]
    cells += [facts[name] for name in _STANDING]
    cells += [difference.get("baseline"), difference.get("difference"), limits.get("low"), limits.get("high")]
    cells += [difference.get(name) for name in ("p_value", "p_adjusted", "verdict")]
    cells.append(entry.letters)
    for value in values:
        cells += [None, None, None] if value is None else [*_limits(value), value.may_be_best]
    return [
        *cells,
        *(data[name] for name in _USAGE),
        *(entry.settings.get(key) for key in settings),
        entry.why,
    ]


def _limits(value: MeasuredValue) -> tuple[float | None, float | None]:
    return (None, None) if value.interval is None else (value.interval.low, value.interval.high)


def summary_tables(ranking: Ranking, sentences: Mapping[str, Sequence[str]]) -> Iterator[Table]:
    """Yield tables with one row per run, rounded, each narrower than the one before.

    The values of all primary measures come first and are in every table.
    """
    values, rest = _values(ranking, intervals=True), _order_columns(ranking)
    yield _table([*values, *rest, *_usage_columns(ranking)], sentences)
    values = _values(ranking, intervals=False)
    for dropped in range(len(_OPTIONAL) + 1):
        left = [column for column in rest if not column[0].startswith(_OPTIONAL[:dropped])]
        yield _table([*values, *left], sentences)


_OPTIONAL = ("own interval", "possible ranks", "scored", "difference to")
"""Columns that narrow tables leave out, in this order."""
Column = tuple[str, list[Any]]


def _table(columns: Iterable[Column], sentences: Mapping[str, Sequence[str]]) -> Table:
    names, cells = zip(*columns, strict=True)
    return Table(names, zip(*cells, strict=True), **sentences)


def _values(ranking: Ranking, *, intervals: bool) -> list[Column]:
    """Rank, run, and the values of the primary measures."""
    entries = ranking.entries
    columns: list[Column] = [
        ("rank", ["-" if entry.rank is None else str(entry.rank) for entry in entries]),
        ("", [STAR if entry.may_be_best else "" for entry in entries]),
        ("run", [entry.run for entry in entries]),
        (_heading(ranking), [_value(entry.measured) for entry in entries]),
    ]
    for name in ranking.ordering.others:
        values = [entry.others.get(name) for entry in entries]
        heading = _heading(ranking.others[name]) if name in ranking.others else name
        if any(value is not None for value in values):
            columns.append((heading, [_other(value, interval=intervals) for value in values]))
    return columns


def _heading(ranking: Ranking) -> str:
    return f"{ranking.ordering.measure} {ARROWS[ranking.fair.scores.direction]}"


def _order_columns(ranking: Ranking) -> list[Column]:
    """Own interval, difference, possible ranks and coverage in the measure that orders the runs."""
    entries = ranking.entries
    against = "baseline" if ranking.options.baseline is not None else "best value"
    columns: list[Column] = [
        ("own interval", [_interval(entry.measured) for entry in entries]),
        (f"difference to {against}", [_difference(ranking, entry) for entry in entries]),
        ("possible ranks", [_ranks(entry) for entry in entries]),
        ("scored", [f"{entry.scored}/{entry.items}" for entry in entries]),
    ]
    if ranking.options.letters:
        columns.append(("letters", [entry.letters for entry in entries]))
    if ranking.options.baseline is not None:
        columns.insert(2, ("verdict", [_verdict(entry) for entry in entries]))
    return columns


def _usage_columns(ranking: Ranking) -> Iterable[Column]:
    """What the runs used."""
    for name, heading in _USAGE_HEADINGS.items():
        used = [getattr(entry.usage, name) for entry in ranking.entries]
        if any(value is not None for value in used):
            yield heading, ["-" if value is None else significant(value) for value in used]


def _value(value: MeasuredValue | None) -> str:
    return "-" if value is None else estimate_text(value.value, value.interval)


def _other(value: MeasuredValue | None, *, interval: bool) -> str:
    """A value of a further measure, with a mark if the run may be the best in it."""
    if value is None:
        return "-"
    parts = [
        _value(value),
        *([_interval(value)] if interval else []),
        *([OTHER_STAR] if value.may_be_best else []),
    ]
    return " ".join(parts)


def _interval(value: MeasuredValue | None) -> str:
    return interval_text(None if value is None else value.interval)


def _difference(ranking: Ranking, entry: Entry) -> str:
    """A difference with its simultaneous interval."""
    if entry.difference is None:
        name = ranking.fair.names[ranking.reference]
        return ("baseline" if ranking.options.baseline else "best value") if entry.run == name else "-"
    change = entry.difference.comparison
    return with_interval(change.difference, change.interval, signed=True)


def _verdict(entry: Entry) -> str:
    verdict = None if entry.difference is None else entry.difference.verdict
    return "" if verdict is None else SIGNS[verdict]


def _ranks(entry: Entry) -> str:
    if entry.best_rank is None:
        return "-"
    ranks = (entry.best_rank, entry.worst_rank)
    return str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]}-{ranks[1]}"
