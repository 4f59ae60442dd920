"""CSV and TSV: physical line numbers in errors, strict row width, type inference."""

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from thresher.datasets._table import RawTable, check_distinct
from thresher.errors import InputError
from thresher.files.opening import Source
from thresher.files.texts import text_lines
from thresher.spreadsheet_cells import MARK, guarded, unguarded

CellKind = Literal["empty", "whole", "decimal", "truth", "text"]
"""What the cells of a column are."""

WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,40})")  # "007" is a code, not a number
DECIMAL = re.compile(r"-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|-?inf", re.IGNORECASE)
NO_NUMBER = frozenset({"", "nan", "na", "n/a", "none", "null", "<na>"})
TRUTH = {"true": True, "false": False}
_FIELD_LIMIT = 2**31 - 1  # the csv module stops at 131,072 characters by default


def read_csv(path: Source, limit: int | None) -> RawTable:
    """Comma-separated values with a header."""
    return _read(path, limit, ",")


def read_tsv(path: Source, limit: int | None) -> RawTable:
    """Tab-separated values with a header; quoted as CSV is."""
    return _read(path, limit, "\t")


def _read(path: Source, limit: int | None, delimiter: str) -> RawTable:
    rows: list[list[str]] = []
    lines: list[int] = []
    with _any_field_size():
        records = _records(path, delimiter)
        header = _header(path, next(records, (1, []))[1], delimiter)
        for line, fields in records:
            if len(fields) == 1 < len(header) and not fields[0].strip():
                continue  # a line of blanks
            _check_width(f"{path}:{line}", fields, header)
            rows.append(fields)
            lines.append(line)
            if len(rows) == limit:
                break
    notes: tuple[str, ...] = ()
    marked = _marked_cells([header, *rows])
    if marked:
        header, rows = list(map(unguarded, header)), [list(map(unguarded, fields)) for fields in rows]
        notes = (_note_on_marks(path, marked),)
    values = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in header]
    columns = dict(zip(header, values, strict=True))
    return RawTable(str(path), columns, lines, lists_as_text=True, text_only=True, notes=notes)


def _marked_cells(lines: Sequence[Sequence[str]]) -> list[str]:
    """Return the cells with a spreadsheet's mark; none if another cell lacks it: then the marks are text."""
    marked = [cell for fields in lines for cell in fields if cell[:1] == MARK and unguarded(cell) != cell]
    if marked and any(cell[:1] != MARK and guarded(cell) != cell for fields in lines for cell in fields):
        return []
    return marked


def _note_on_marks(path: Source, marked: Sequence[str]) -> str:
    count = f"{len(marked)} {'cell' if len(marked) == 1 else 'cells'}"
    return (
        f"{path}: removed the {MARK} that protects {count} from spreadsheets, such as {marked[0][:40]!r}; "
        "if it belongs to the text, give the data as JSONL or Parquet"
    )


def _records(path: Source, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each record that is not blank, and the line on which it begins."""
    reader = csv.reader(text_lines(path), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            fields = next(reader, None)
        except csv.Error as error:
            remedy = 'double the quotes inside a quoted field ("") and close every quoted field'
            raise InputError(f"{path}:{line}: not CSV ({error}); {remedy}") from None
        if fields is None:
            return
        if fields:
            yield line, fields


def _header(path: Source, fields: Sequence[str], delimiter: str) -> list[str]:
    if len(fields) == 1 and delimiter == "," and re.search(r"[;\t]", fields[0]):
        raise InputError(
            f"{path}:1: the header {fields[0]!r} has no commas; separate by commas, or tabs in .tsv"
        )
    names = [name.strip() or f"column_{position}" for position, name in enumerate(fields, start=1)]
    check_distinct(str(path), names)
    return names


def _check_width(where: str, fields: Sequence[str], header: Sequence[str]) -> None:
    if len(fields) > len(header):
        remedy = "quote fields that hold the separator"
        raise InputError(f"{where}: {len(fields)} fields where the header has {len(header)}; {remedy}")
    if len(fields) < len(header):
        lacking = header[len(fields)]
        count = f"{len(fields)} {'field' if len(fields) == 1 else 'fields'}"
        raise InputError(
            f"{where}: {count} where the header has {len(header)}: none for {lacking!r}; fill up the row"
        )


@contextmanager
def _any_field_size() -> Iterator[None]:
    before = csv.field_size_limit(_FIELD_LIMIT)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def cell_kind(cells: Sequence[str | None]) -> CellKind:
    """What the cells of a column of unknown meaning are: numbers or truth values if every filled one is.

    Empty cells and cells like `NaN` or `null` do not count. Leading zeros mean a code, so a column with `007`
    is text. Blanks around a number are ignored.

    Args:
        cells: the texts; None for a missing cell.
    """
    filled = [cell for cell in map(_bare, cells) if cell.lower() not in NO_NUMBER]
    if not filled:
        return "empty"
    for kind, pattern in (("whole", WHOLE), ("decimal", DECIMAL)):
        if all(pattern.fullmatch(cell) for cell in filled):
            return kind
    return "truth" if all(cell.lower() in TRUTH for cell in filled) else "text"


def converted(cells: Sequence[str | None], kind: CellKind) -> list[Any]:
    """The cells of a column of this kind; None for those that hold no number or truth value."""
    if kind == "text":
        return list(cells)
    if kind == "empty":
        return [None] * len(cells)
    if kind == "truth":
        return [TRUTH.get(_bare(cell).lower()) for cell in cells]
    pattern, read = (WHOLE, int) if kind == "whole" else (DECIMAL, float)
    return [read(cell) if pattern.fullmatch(cell) else None for cell in map(_bare, cells)]


def _bare(cell: str | None) -> str:
    return "" if cell is None else cell.strip()
