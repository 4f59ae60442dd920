"""Excel workbooks: one sheet, with its first filled row as the header."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from thresher.datasets._splits import choose_split
from thresher.datasets._table import RawTable, check_distinct
from thresher.datasets._values import as_text
from thresher.files.opening import Source
from thresher.files.workbooks import Sheet, read_sheets


def read_xlsx(path: Source, limit: int | None, sheet: str | None = None) -> RawTable:
    """Read one sheet; empty rows and columns are left out.

    Args:
        path: the workbook.
        limit: greatest number of rows.
        sheet: name of the sheet; default: the only visible one with rows below a header.

    Raises:
        InputError: if a sheet must be chosen, or two columns have one name.
        MissingDependencyError: without openpyxl.
    """
    read = read_sheets(path)
    sheets = {each.name: _filled_rows(each) for each in read}
    with_data = [each.name for each in read if each.is_visible and len(sheets[each.name]) > 1]
    names = (list(sheets) if sheet is not None else with_data) or list(sheets)[:1]
    rows = sheets[choose_split(str(path), names, sheet, "sheet")] if names else []
    return _table(str(path), rows, limit)


def _filled_rows(sheet: Sheet) -> list[tuple[int, Sequence[Any]]]:
    """The rows with anything but blanks, and their numbers."""
    numbered = enumerate(sheet.rows, start=1)
    return [(number, row) for number, row in numbered if any(map(_is_filled, row))]


def _is_filled(value: Any) -> bool:
    return bool(value.strip()) if isinstance(value, str) else value is not None


def _table(source: str, rows: Sequence[tuple[int, Sequence[Any]]], limit: int | None) -> RawTable:
    columns = list(zip_longest(*(row for _, row in rows)))
    filled = [
        (_name(header, position), values[:limit])
        for position, (header, *values) in enumerate(columns, start=1)
        if any(map(_is_filled, (header, *values)))
    ]
    check_distinct(source, [name for name, _ in filled])
    return RawTable(source, dict(filled), [line for line, _ in rows[1:]][:limit], lists_as_text=True)


def _name(header: Any, position: int) -> str:
    """The name of a column: its header as text, or its position."""
    text = as_text(header) if isinstance(header, int | float) else str(header or "")
    return text.strip() or f"column_{position}"
