"""What the commands show of one run and of several."""

import argparse
import shutil
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any

from thresher.errors import InputError
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.rendering.tables import comparison_table, run_table
from thresher.reports.rendering.text import plain_text
from thresher.reports.runs.run_report import RunReport
from thresher.reports.table import Table

WHOLE = ("csv", "excel")
"""Formats for programs, which get every column and every digit."""
_LONG = 14
"""Longer names of runs are listed once, above the table, and are letters in it."""
_SPARED = ("the rest", "tp/fp/fn/tn", "F where chosen", "other samples", "items", "won/tied/lost", "method")
"""Columns that a narrow terminal does without, in that order."""


def aggregate(run: EvaluationResults, **options: Any) -> tuple[Table, dict[str, Any]]:
    """The aggregate report of a run: the table, and the JSON data it shows."""
    report = RunReport(run, **options)
    return run_table(report), report.data()


def compared(report: ComparisonReport, form: str = "table") -> Table:
    """The comparison in the form asked for: everything for programs, the essence for people."""
    if form in WHOLE:
        return report.table()
    if form != "table":
        return comparison_table(report)
    table = fitted(_named(report))
    if _width(table) > _room():
        table = _named(report, compact=True)
    return _grouped_rows(table) if len(report.names) > 2 else table  # noqa: PLR2004


def fitted(table: Table) -> Table:
    """The table without the columns that a narrow terminal can do without; whole in a pipe or a file."""
    for column in _SPARED:
        if _width(table) <= _room():
            break
        table = without(table, column)
    return table


def without(table: Table, column: str) -> Table:
    """The same table without one of its columns."""
    kept = [place for place, name in enumerate(table.columns) if name != column]
    rows = [[row[place] for place in kept] for row in table.rows]
    names = [table.columns[place] for place in kept]
    return Table(names, rows, notes=table.notes, reading=table.reading)


def _named(report: ComparisonReport, *, compact: bool = False) -> Table:
    """The table with the names of the runs, or with letters and a legend where a name is long.

    The width of the terminal decides nothing here, so that one comparison names its runs in one way.
    """
    letters = list(ascii_uppercase[: len(report.names)])
    if max(map(len, report.names)) <= _LONG or len(letters) < len(report.names):
        return comparison_table(report, compact=compact)
    table = comparison_table(report, letters, compact=compact)
    legend = [f"{letter} = {name}" for letter, name in zip(letters, report.names, strict=True)]
    return Table(table.columns, table.rows, notes=[*table.notes, *legend], reading=table.reading)


def _grouped_rows(table: Table) -> Table:
    """A metric, and its baseline's value, only where they change."""
    rows: list[Sequence[Any]] = []
    before: tuple[Any, ...] = ("", "")
    for row in table.rows:
        same = row[0] == before[0]
        rows.append(("" if same else row[0], "" if same and row[1] == before[1] else row[1], *row[2:]))
        before = row
    return Table(table.columns, rows, notes=table.notes, reading=table.reading)


def _width(table: Table) -> int:
    return max(map(len, plain_text(table).splitlines()), default=0)


def _room() -> int:
    return shutil.get_terminal_size((10_000, 24)).columns


def margins(texts: Sequence[str]) -> dict[str, Any]:
    """`margin` and `margins` of a comparison from `--margin M` and `--margin METRIC=M`.

    Raises:
        InputError: for another form, or two margins for the same metric or for all.
    """
    of_metric: dict[str, float] = {}
    of_all: list[float] = []
    for text in texts:
        metric, equals, size = text.rpartition("=")
        metric = metric.strip()
        if (equals and not metric) or metric in of_metric or (not equals and of_all):
            again = "is given twice" if metric or not equals else "names no metric"
            raise InputError(f"--margin {text}: {again}; {_MARGIN_FORM}")
        if equals:
            of_metric[metric] = _size(text, size)
        else:
            of_all.append(_size(text, size))
    return {"margins": of_metric, "margin": of_all[0] if of_all else None}


_MARGIN_FORM = "write one number for all metrics, or METRIC=NUMBER as in faithfulness=0.02"


def _size(text: str, size: str) -> float:
    """A number, or a percentage."""
    digits = size.strip()
    try:
        return float(digits.removesuffix("%")) / (100 if digits.endswith("%") else 1)
    except ValueError:
        raise InputError(f"--margin {text}: {size!r} is not a number; {_MARGIN_FORM}") from None


def check_one_of(options: argparse.Namespace) -> None:
    """Refuse item by item and part by part at once.

    Raises:
        InputError: for both.
    """
    if options.detailed and options.slice:
        raise InputError("--detailed tells item by item and --slice part by part: give one of them")
