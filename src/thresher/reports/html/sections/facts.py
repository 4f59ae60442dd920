"""Reading the data of aggregate reports, known parts and unknown ones alike."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thresher.reports.html.numbers import number, told
from thresher.reports.runs.run_data import RunData
from thresher.results import Status

Facts = Mapping[str, Any]
ARROWS = {"higher": "↑", "lower": "↓"}
_SMALL = 0.001
ROWS = 200
"""Generic tables show so many rows."""


def limits_of(facts: Facts, key: str = "interval") -> tuple[float, float] | None:
    """Both ends of an interval; None where there is none."""
    interval = facts.get(key)
    if not isinstance(interval, Mapping) or interval.get("low") is None or interval.get("high") is None:
        return None
    return float(interval["low"]), float(interval["high"])


def further(rows: Iterable[Facts], known: Iterable[str]) -> list[str]:
    """Names of what rows say beyond the known parts, in order, if any row has something to say."""
    left_out = set(known)
    names = {name: None for row in rows for name, value in row.items() if value is not None}
    return [name for name in names if name not in left_out]


def cells(row: Facts, names: Sequence[str]) -> list[dict[str, Any]]:
    """What a row says under further names: text, whether it is a number, and a tone for verdicts."""
    return [cell(row.get(name)) for name in names]


def cell(value: Any) -> dict[str, Any]:
    """One cell of a generic table."""
    is_number = value is None or (isinstance(value, int | float) and not isinstance(value, bool))
    return {"text": told(value), "number": is_number, "tone": tone(value)}


def tone(value: Any) -> str:
    """The CSS class of a verdict word; empty for anything else."""
    words = {"better": "better", "worse": "worse", "equivalent": "even", "inconclusive": "open"}
    words |= {"passed": "better", "failed": "worse"}
    return words.get(value, "") if isinstance(value, str) else ""


def heading(name: str) -> str:
    """A field's name as a column heading.

    >>> heading("p_value")
    'p value'
    """
    return name.replace("_", " ")


def gaps(run: RunData, metric: str) -> str:
    """How many items have no score, by status; empty if all have one."""
    status = run.metrics[metric].result.status
    counts = {state.label: int((status == state).sum()) for state in Status if state is not Status.SCORED}
    return ", ".join(f"{count} {label}" for label, count in counts.items() if count)


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]], limit: int = ROWS) -> dict[str, Any]:
    """A generic table: headings, cells, and how many rows were left out."""
    told = [_column([row[place] for row in rows[:limit]]) for place in range(len(columns))]
    numeric = [bool(column) and all(each["number"] for each in column) for column in told]
    heads = [{"text": heading(name), "number": each} for name, each in zip(columns, numeric, strict=True)]
    shown = [list(row) for row in zip(*told, strict=True)]
    return {"columns": heads, "rows": shown, "left_out": max(0, len(rows) - limit), "total": len(rows)}


def _column(values: Sequence[Any]) -> list[dict[str, Any]]:
    """The cells of one column; where there are decimals, each row has as many, so that they stand in line."""
    found = [cell(value) for value in values]
    broken = [abs(value) for value in values if _is_broken(value)]
    if not broken or min(broken) < _SMALL or not all(each["number"] for each in found):
        return found
    return [each | {"text": number(value)} for each, value in zip(found, values, strict=True)]


def _is_broken(value: Any) -> bool:
    """Whether a value has decimals."""
    return isinstance(value, float) and math.isfinite(value) and not value.is_integer()
