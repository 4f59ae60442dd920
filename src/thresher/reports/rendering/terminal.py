"""Tables in the width of a terminal: the widest layout that fits, or one line per column."""

import shutil
import textwrap
from collections.abc import Iterable

from thresher.reports.rendering.text import CELL, cell_text, plain_text
from thresher.reports.table import Table
from thresher.visible_text import one_line

_UNLIMITED = 10_000
"""Characters of a line in a pipe or a file, where a table is whole."""
_PIPED = 160
"""Characters of a line of a record in a pipe or a file."""
_LEAST_ROOM = 60
"""Tables do not become narrower than this: texts in parts of a few letters cannot be read."""
_MOST_LINES = 3
_GAP = "  "
_OPTIONAL = ("the rest", "tp/fp/fn/tn", "F where chosen", "other samples", "items", "won/tied/lost", "method")
"""Columns that a narrow terminal leaves out, in this order."""
_WIDE_NAMES = {"diff": "difference"}
"""Name of a column in a narrow layout -> in a wide one."""


def fitting(layouts: Iterable[Table]) -> Table:
    """Return the first layout that fits into the terminal, else the last, without optional columns.

    Of those that fit, one that shows the names of all rows whole is preferred. A sentence under the table
    names the columns that it lacks.
    """
    room, every = _room(), list(layouts)
    tables = [_without_optional(layout, room) for layout in every]
    fits = [table for table in tables if _width(table) <= room] or tables[-1:]
    table = next(filter(_has_whole_names, fits), fits[0])
    kept = {*table.columns, *(_WIDE_NAMES.get(name, name) for name in table.columns)}
    lacking = [name for name in every[0].columns if name not in kept]
    sentence = f"Columns left out at this width: {', '.join(lacking)}; -o FILE.md has them."
    return table.with_findings([sentence]) if lacking else table


def fitted_text(table: Table, width: int = CELL) -> str:
    """Return the table aligned, with long texts on several lines where the terminal is narrower.

    One record per row, if it has too many columns for that.
    """
    aligned = plain_text(table, width, _room())
    fits = max(map(len, aligned.splitlines()), default=0) <= _room()
    return aligned if fits else as_records(table)


def _has_whole_names(table: Table) -> bool:
    return all(len(one_line(str(row[0]))) <= CELL for row in table.rows)


def _without_optional(table: Table, room: int) -> Table:
    for column in _OPTIONAL:
        if _width(table) <= room:
            break
        table = table.select([name for name in table.columns if name != column])
    return table


def as_records(table: Table) -> str:
    """Return the table aligned if its lines fit, else one record per row with a line for each column.

    Programs take CSV or JSON, which hold whole texts; here a text ends after three lines.
    """
    room = _columns(_PIPED)
    if _width(table) <= room:
        return plain_text(table)
    return "\n\n".join(_record(row, room) for row in table)


def _record(row: dict[str, object], room: int) -> str:
    """One row; columns without an entry are left out."""
    texts = {one_line(name): one_line(cell_text(entry)) for name, entry in row.items()}
    texts = {name: text for name, text in texts.items() if text}
    margin = min(max(map(len, texts), default=0), room // 2)
    width = max(room - margin - len(_GAP), 20)
    lines = []
    for name, text in texts.items():
        start = text[: (_MOST_LINES + 1) * width]  # wrapping all of a long document takes seconds
        parts = textwrap.wrap(start, width, max_lines=_MOST_LINES, placeholder=" …")
        lines += [name] if len(name) > margin else []
        heads = ["" if len(name) > margin else name, *[""] * (len(parts) - 1)]
        lines += [f"{head:<{margin}}{_GAP}{part}" for head, part in zip(heads, parts, strict=True)]
    return "\n".join(lines)


def _width(table: Table) -> int:
    return max(map(len, plain_text(table).splitlines()), default=0)


def _room() -> int:
    return max(_columns(_UNLIMITED), _LEAST_ROOM)


def _columns(otherwise: int) -> int:
    return shutil.get_terminal_size((otherwise, 24)).columns
