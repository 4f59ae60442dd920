"""Showing reports: in the format asked for, on the terminal or in a file."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from thresher.errors import InputError
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.render import csv_text, json_text, markdown, plain_text
from thresher.reports.table import Table


def show(options: argparse.Namespace, table: Table, data: Any = None, lines: Sequence[str] = ()) -> None:
    """Write one report.

    Args:
        options: the command's `format` and `output`.
        table: the report as a table.
        data: what `json` shows; the table's rows without.
        lines: sentences under the table, for people.
    """
    if options.format == "json":
        text = json_text(list(table) if data is None else data)
    elif options.format == "csv":
        text = csv_text(table).rstrip()
    else:
        render = markdown if options.format == "markdown" else plain_text
        text = "\n".join([render(table), *(["", *lines] if lines else [])])
    write(options.output, text)


def write(path: str | None, text: str) -> None:
    """Print a text, or put it into a file."""
    if path is None:
        print(text)
        return
    try:
        Path(path).write_text(text + "\n", encoding="utf-8", newline="")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error


def remark(text: str) -> None:
    """A remark beside the report, on standard error."""
    print(text, file=sys.stderr)


def unfinished(run: EvaluationResults) -> list[str]:
    """One sentence if the run is not complete."""
    if run.provenance.get("complete", True):
        return []
    return [f"Unfinished: {len(run)} of {run.provenance['items']} items are done; run again to continue."]
