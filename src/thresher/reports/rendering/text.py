"""Tables and report data as text: Markdown, CSV, strict JSON and aligned plain text."""

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Protocol

from thresher.known_secrets import without_secrets
from thresher.reports.rendering.image_entries import brief
from thresher.reports.rendering.numbers import significant
from thresher.reports.rendering.wrapping import GAP, narrowed, wrapped
from thresher.spreadsheet_cells import guarded
from thresher.visible_text import json_escaped, one_line, visible

CELL = 80
"""Characters of a cell of an aligned table."""


class TableLike(Protocol):
    """What a renderer needs of a table."""

    columns: tuple[str, ...]

    @property
    def rows(self) -> tuple[tuple[Any, ...], ...]:
        """The rows as tuples."""


def json_text(data: Any) -> str:
    """Return strict JSON: NaN and infinities are null, objects with `to_dict` become its result.

    Characters that a reader would not see are escaped.
    """
    return json_escaped(json.dumps(plain(data), ensure_ascii=False, allow_nan=False, indent=2))


def plain(value: Any) -> Any:
    """A value as JSON data.

    >>> plain({"a": float("nan"), "b": (1, 2)})
    {'a': None, 'b': [1, 2]}
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, Sequence):
        return [plain(entry) for entry in value]
    for method in ("to_dict", "tolist", "item"):  # Documents and the like; arrays and numpy scalars
        if hasattr(value, method):
            return plain(getattr(value, method)())
    return str(value)


def csv_text(table: TableLike, *, raw: bool = False) -> str:
    """Return a table as `csv_lines`."""
    return "".join(csv_lines(table.columns, table.rows, raw=raw))


def csv_lines(columns: Iterable[str], rows: Iterable[Iterable[Any]], *, raw: bool = False) -> Iterator[str]:
    """Yield CSV (RFC 4180) row by row, the heading first; lists and objects as JSON, NaN as an empty cell.

    Args:
        columns: names of the columns.
        rows: the cells of each row.
        raw: leave texts unchanged; otherwise texts that a spreadsheet would execute get a mark.
    """
    sink = io.StringIO()
    writer = csv.writer(sink)
    for row in chain([columns], rows):
        cells = map(_csv_cell, row)
        writer.writerow(cells if raw else map(guarded, cells))
        yield without_secrets(sink.getvalue())
        sink.seek(0)
        sink.truncate()


def markdown(table: TableLike) -> str:
    """A GitHub table; bars, backslashes and line breaks inside cells cannot break it."""
    lines = [table.columns, ["---"] * len(table.columns), *table.rows]
    return "\n".join(f"| {' | '.join(_markdown_cell(cell) for cell in line)} |" for line in lines)


def surrounded(table: Any, text: str, bullet: str = "") -> str:
    """A table's text between its notes, which come first, and its reading.

    Args:
        table: with `notes` and `reading`.
        text: the table itself.
        bullet: what each of these sentences begins with.
    """
    before, after = (
        "\n".join(bullet + one_line(line) for line in lines) for lines in (table.notes, table.reading)
    )
    return "\n\n".join(part for part in (before, text, after) if part)


def plain_text(table: TableLike, width: int = CELL, room: int | None = None) -> str:
    """Aligned columns for a terminal; long cells are cut at `width` characters.

    Args:
        table: the table.
        width: characters of a cell.
        room: characters of a line, into which long texts are wrapped; None for no limit.
    """
    from tabulate import tabulate

    rows = [[_cut(cell_text(cell), width) for cell in row] for row in table.rows]
    numeric = [any(isinstance(row[i], float | int) for row in table.rows) for i in range(len(table.columns))]
    align = ["right" if number else "left" for number in numeric]
    headers = list(map(one_line, table.columns))
    if room is not None:
        widths = narrowed(headers, rows, room)
        headers = [wrapped(head, width - GAP) for head, width in zip(headers, widths, strict=True)]
        rows = [list(map(wrapped, row, widths)) for row in rows]
    return tabulate(rows, headers=headers, tablefmt="simple", colalign=align or None, disable_numparse=True)


def cell_text(cell: Any) -> str:
    """Return a cell for people: six significant digits, empty for None and NaN.

    Objects of an image are counted by label; other lists and objects are JSON.
    """
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, float):
        return significant(cell, 6)
    if isinstance(cell, str | bool | int):
        return str(cell)
    objects = brief(cell)
    return json.dumps(plain(cell), ensure_ascii=False) if objects is None else objects


def _markdown_cell(cell: Any) -> str:
    text = visible(cell_text(cell)).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
    return "<br>".join(text.splitlines())


def _csv_cell(cell: Any) -> Any:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    return cell if isinstance(cell, str | int | float) else json.dumps(plain(cell), ensure_ascii=False)


def _cut(text: str, width: int) -> str:
    line = one_line(text)
    return line if len(line) <= width else line[: width - 1] + "…"
