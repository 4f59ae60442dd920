"""Tables in notebooks."""

from html import escape

from thresher.errors import InputError
from thresher.reports.rendering.text import cell_text
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.run_report import RunReport
from thresher.reports.table import Table

_MOST_ROWS = 50
"""Rows that a notebook shows; more make it slow to open and are read in another format."""


def notebook_html(table: Table) -> str:
    """Return an HTML table, notes before it and findings after; every cell is escaped."""
    rows = [table.columns, *table.rows[:_MOST_ROWS]]
    lines = ["".join(f"<{tag}>{_cell(cell)}</{tag}>" for cell in row) for tag, row in _tagged(rows)]
    left_out = len(table) - _MOST_ROWS
    after = [*([f"{left_out} more rows"] if left_out > 0 else []), *table.reading]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"{_sentences(table.notes)}<table>{body}</table>{_sentences(after)}"


def notebook_report(run: RunData) -> str:
    """Return the values of a run with intervals and coverage; without them, why they cannot be computed."""
    try:
        table = RunReport(run).summary()
    except InputError as error:  # a notebook would print a traceback under every cell that shows the run
        return f"<p>{escape(repr(run))}</p><p>{escape(str(error))}</p>"
    return f"<p>{escape(run.name or 'run')}: {len(run)} items</p>{notebook_html(table)}"


def _tagged(rows: list[tuple[object, ...]]) -> list[tuple[str, tuple[object, ...]]]:
    return [("td" if place else "th", row) for place, row in enumerate(rows)]


def _cell(cell: object) -> str:
    return "<br>".join(escape(cell_text(cell)).splitlines())


def _sentences(lines: tuple[str, ...] | list[str]) -> str:
    return "".join(f"<p>{escape(line)}</p>" for line in lines)
