"""Showing reports: in the format asked for, on the terminal or in a file."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from thresher.cli import records, tables
from thresher.errors import InputError
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.rendering.excel import write_workbook
from thresher.reports.rendering.latex import latex
from thresher.reports.rendering.text import json_text, plain_text, surrounded
from thresher.reports.runs.completeness import unfinished_sentence
from thresher.reports.table import Table


def show(
    options: argparse.Namespace,
    table: Table,
    data: Any = None,
    lines: Sequence[str] = (),
    *,
    itemwise: bool = False,
) -> None:
    """Write one report: its notes first, then the table, then what it says.

    Args:
        options: the command's `format` and `output`.
        table: the report as a table. Beside CSV, its notes and `lines` go to standard error.
        data: what `json` shows; the table's rows without.
        lines: further sentences under the table, for people.
        itemwise: each row is an item with all that is known of it, so lines may be far too wide.
    """
    whole = Table(table.columns, table.rows, notes=table.notes, reading=[*table.reading, *lines])
    if options.format == "json":
        text = json_text(list(table) if data is None else data)
    elif options.format == "csv":
        text = table.to_csv().rstrip()
        for line in (*whole.notes, *whole.reading):
            remark(line)
    elif options.format == "excel":
        _workbook(options.output, whole)
        return
    elif options.format == "latex":
        text = _latex(whole)
    elif options.format == "markdown":
        text = whole.to_markdown()
    else:
        told = records.itemwise(whole) if itemwise else plain_text(tables.fitted(whole))
        text = surrounded(whole, told)
    write(options.output, text)


def _workbook(path: str | None, table: Table) -> None:
    """The table on one sheet, its notes and reading on another."""
    if path is None:
        raise InputError("a workbook cannot be printed: give -o FILE.xlsx")
    told = Table(["note"], [[line] for line in (*table.notes, *table.reading)])
    write_workbook(path, {"report": table, **({"notes": told} if len(told) else {})})


def _latex(table: Table) -> str:
    """The table, with its notes and reading as comments around it."""
    before, after = (
        [f"% {' '.join(line.split())}" for line in part] for part in (table.notes, table.reading)
    )
    return "\n".join([*before, latex(table), *after])


def write(path: str | None, text: str) -> None:
    """Print a text, or put it into a file."""
    if path is None:
        print(text)
        return
    try:
        Path(path).write_text(text + "\n", encoding="utf-8", newline="")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error


def page_options(options: argparse.Namespace) -> dict[str, Any]:
    """What an HTML file shows and how much it holds."""
    size = {"max_rows": options.max_rows, "max_bytes": options.max_bytes}
    return {"slice_by": options.slice, "level": options.level, **size}


def remark(text: str) -> None:
    """A remark beside the report, on standard error."""
    print(text, file=sys.stderr)


def unfinished(run: EvaluationResults) -> list[str]:
    """One sentence if the run is not complete, for tables that have no notes of their own on it."""
    sentence = unfinished_sentence(run)
    return [sentence] if sentence else []
