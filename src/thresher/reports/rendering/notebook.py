"""Tables in notebooks."""

from html import escape
from typing import Protocol

from thresher.counted import counted
from thresher.reports.rendering.text import TableLike, cell_text
from thresher.visible_text import visible

_MOST_ROWS = 50
"""Rows that a notebook shows; more make it slow to open and are read in another format."""


class TableWithNotes(TableLike, Protocol):
    """A table with sentences around it."""

    notes: tuple[str, ...]
    reading: tuple[str, ...]


def notebook_html(table: TableWithNotes) -> str:
    """Return an HTML table, notes before it and findings after; every cell is escaped."""
    rows = [table.columns, *table.rows[:_MOST_ROWS]]
    lines = ["".join(f"<{tag}>{_cell(cell)}</{tag}>" for cell in row) for tag, row in _tagged(rows)]
    left_out = len(table.rows) - _MOST_ROWS
    after = [*([counted(left_out, "more row")] if left_out > 0 else []), *table.reading]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"{_sentences(table.notes)}<table>{body}</table>{_sentences(after)}"


def _tagged(rows: list[tuple[object, ...]]) -> list[tuple[str, tuple[object, ...]]]:
    return [("td" if place else "th", row) for place, row in enumerate(rows)]


def _cell(cell: object) -> str:
    return "<br>".join(escape(visible(cell_text(cell))).splitlines())


def _sentences(lines: tuple[str, ...] | list[str]) -> str:
    return "".join(f"<p>{escape(visible(line))}</p>" for line in lines)
