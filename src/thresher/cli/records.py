"""Rows that are too wide for a line, one below the other: a line for each column."""

import shutil
import textwrap

from thresher.reports.rendering.text import cell_text, plain_text
from thresher.reports.table import Table

_PIPED = 160
"""Characters of a line where nobody says how wide it is: in a pipe or a file."""
_MOST_LINES = 3
_GAP = "  "


def itemwise(table: Table) -> str:
    """The table as text, aligned if its lines fit, else as records.

    Programs take CSV or JSON, which hold whole texts; here a text ends after three lines.
    """
    room = shutil.get_terminal_size((_PIPED, 24)).columns
    text = plain_text(table)
    if max(map(len, text.splitlines()), default=0) <= room:
        return text
    return "\n\n".join(_record(dict(zip(table.columns, row, strict=True)), room) for row in table.rows)


def _record(row: dict[str, object], room: int) -> str:
    """One row; columns without an entry are left out."""
    named = {name: " ".join(cell_text(entry).split()) for name, entry in row.items()}
    named = {name: text for name, text in named.items() if text}
    margin = max(map(len, named), default=0)
    width = max(room - margin - len(_GAP), 20)
    lines = []
    for name, text in named.items():
        seen = text[: (_MOST_LINES + 1) * width]  # all that can be shown, and that there is more
        parts = textwrap.wrap(seen, width, max_lines=_MOST_LINES, placeholder=" …")
        heads = [name, *[""] * (len(parts) - 1)]
        lines += [f"{head:<{margin}}{_GAP}{part}" for head, part in zip(heads, parts, strict=True)]
    return "\n".join(lines)
