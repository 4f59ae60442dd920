"""Cells and tables from the data of aggregate reports."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thresher.kernels.inference.verdict_sentence import WORDS
from thresher.reports.html.numbers import DASH, cell_text, number
from thresher.reports.runs.names import ARROWS
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table
from thresher.results import Measure, Status

Facts = Mapping[str, Any]
_SMALL = 0.001
_SHORT = 24
"""Characters of a cell that stays on one line: an interval with its value, or a date."""
_LONG = 60
"""Characters of a cell whose lines are at least as wide as a phone shows next to the first column."""
_SIGNS = frozenset({"pattern"})
"""Columns of one sign per run, which are compared down the column."""
ROWS = 200
"""Rows of a generic table; more make the page slow and are in the run."""


def metric_head(measure: Measure, *, primary: bool = False) -> dict[str, Any]:
    """Return what the macro `metric_head` shows: name, mark, rule, and whether higher or lower is better."""
    head = {"name": measure.name, "rule": measure.rule, "arrow": ARROWS[measure.direction]}
    return {**head, "better": f"{measure.direction} is better", "primary": primary}


def limits_of(facts: Facts, key: str = "interval") -> tuple[float, float] | None:
    """Return both ends of an interval; None where there is none."""
    interval = facts.get(key)
    if not isinstance(interval, Mapping) or interval.get("low") is None or interval.get("high") is None:
        return None
    return float(interval["low"]), float(interval["high"])


def further(rows: Iterable[Facts], known: Iterable[str]) -> list[str]:
    """Return the names of further fields that are set in any row, in order."""
    names = {name: None for row in rows for name, value in row.items() if value is not None}
    return [name for name in names if name not in set(known)]


def cells(row: Facts, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the cells of some fields of a row."""
    return [cell(row.get(name)) for name in names]


def cell(value: Any) -> dict[str, Any]:
    """Return one cell of a generic table: text, length, whether it is a number, and tone of a verdict."""
    is_number = value is None or (isinstance(value, int | float) and not isinstance(value, bool))
    text = cell_text(value)
    length = "short" if len(text) <= _SHORT else "long" if len(text) >= _LONG else ""
    return {"text": text, "length": length, "number": is_number, "tone": tone(value)}


def tone(value: Any) -> str:
    """Return the CSS class of a verdict; empty for anything else."""
    words: dict[str, str] = {verdict.value: words.tone for verdict, words in WORDS.items()}
    words |= {"passed": "better", "failed": "worse"}
    return words.get(value, "") if isinstance(value, str) else ""


def heading(name: str) -> str:
    """Return a field's name as a column heading.

    >>> heading("p_value")
    'p value'
    """
    return name.replace("_", " ")


def gaps(run: RunData, metric: str) -> str:
    """Count the items without a score by status; empty if all have one."""
    status = run.metrics[metric].result.status
    counts = {state.label: int((status == state).sum()) for state in Status if state is not Status.SCORED}
    return ", ".join(f"{count} {label}" for label, count in counts.items() if count)


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]], limit: int = ROWS) -> dict[str, Any]:
    """Return a generic table: headings as given, cells, and how many rows are left out."""
    filled = [
        _column([row[place] for row in rows[:limit]], signs=name in _SIGNS)
        for place, name in enumerate(columns)
    ]
    heads = [
        {"text": name, "number": bool(column) and all(entry["number"] for entry in column)}
        for name, column in zip(columns, filled, strict=True)
    ]
    shown = [list(row) for row in zip(*filled, strict=True)]
    return {"columns": heads, "rows": shown, "left_out": max(0, len(rows) - limit), "total": len(rows)}


def table_section(shown: Table, limit: int = ROWS) -> dict[str, Any]:
    """Return a table with its notes and findings."""
    sentences = {"notes": list(shown.notes), "reading": list(shown.reading)}
    return {**table(shown.columns, shown.rows, limit), **sentences}


def _column(values: Sequence[Any], *, signs: bool) -> list[dict[str, Any]]:
    """Return the cells of one column; numbers with decimals get equally many, so that they align.

    Without a value, a cell of a column of texts is aligned like a text.
    """
    column = [cell(value) for value in values]
    if not all(entry["number"] for entry in column):
        kind = {"tone": "id"} if signs else {}
        return [entry | kind | {"number": entry["number"] and entry["text"] != DASH} for entry in column]
    fractions = [abs(value) for value in values if _is_fraction(value)]
    if not fractions or min(fractions) < _SMALL:
        return column
    return [entry | {"text": number(value)} for entry, value in zip(column, values, strict=True)]


def _is_fraction(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value) and not value.is_integer()
