"""CSV and TSV: physical line numbers in errors, strict row width, type inference."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from typing import Any, Literal, TypeGuard

from thresher.counted import counted
from thresher.datasets._table import BLOCK, RawTable, check_distinct
from thresher.errors import InputError
from thresher.files.opening import Source
from thresher.files.texts import text_lines, utf16_remedy
from thresher.spreadsheet_cells import MARK, STARTS, guarded, unguarded

CellKind = Literal["empty", "whole", "decimal", "comma", "truth", "text"]
"""What the cells of a column are; `comma` are decimals with a comma."""

WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,40})")  # "007" is a code, not a number
DECIMAL = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|-?[iI][nN][fF]")
COMMA = re.compile(r"-?(?:0|[1-9][0-9]*),[0-9]+(?:[eE][+-]?[0-9]+)?")
_OTHERS = {cell: re.compile(rf"\n(?!(?:{cell.pattern})(?:\n|\Z))") for cell in (WHOLE, DECIMAL)}
"""Pattern of a cell -> that of a line break which no such cell follows."""
NO_NUMBER = frozenset({"", "nan", "na", "n/a", "none", "null", "<na>"})
TRUTH = {"true": True, "false": False}
_FIELD_LIMIT = 2**31 - 1  # the csv module stops at 131,072 characters by default
_SEPARATORS = ",;\t|"
"""What separates the fields of `.csv` files; of equally frequent ones, the first."""
_NAMED = re.compile(r'"?sep=(.)"?[\r\n]*', re.IGNORECASE)
"""The line before the header in which Excel names the separator."""
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_HEADER_LINES = 100
"""Most lines of a header: a stray quote must not make a file one header."""


def csv_blocks(path: Source, limit: int | None, delimiter: str = ",") -> Iterator[RawTable]:
    """Yield the first rows of values with a header, with the marks of their cells.

    Args:
        path: the file.
        limit: most rows.
        delimiter: what separates values; where commas do, semicolons, tabs or bars may instead.
    """
    with any_field_size():
        separator, lines = separated(text_lines(path), delimiter)
        records = csv_records(path, lines, separator)
        header = csv_header(path, records)
        rows = islice(csv_rows(path, records, header), limit)
        while block := list(islice(rows, BLOCK)):
            yield csv_table(path, header, block, separator)


def separated(lines: Iterable[str], delimiter: str) -> tuple[str, Iterator[str]]:
    """Return what separates the fields of a file, and its lines.

    A line `sep=;` decides. Else, where commas are expected, it is what the header has most of outside of
    quotes: spreadsheets write semicolons wherever numbers have decimal commas.

    Args:
        lines: the lines from the first one on.
        delimiter: what is expected.
    """
    lines, first = iter(lines), list[str]()
    for line in islice(lines, _HEADER_LINES):
        first.append(line)
        head = "".join(first)
        if head.strip() and head.count('"') % 2 == 0:
            break
    head = "".join(first)
    if named := _NAMED.fullmatch(head):
        return named[1], chain(["\n"], lines)
    if delimiter == ",":
        delimiter = max(_SEPARATORS, key=_QUOTED.sub("", head).count)
    return delimiter, chain(first, lines)


class Marks:
    """The marks before cells that protect them from spreadsheets: the file's, unless another cell lacks it.

    Attributes:
        count: number of marked cells.
        example: the first of them.
    """

    def __init__(self) -> None:
        self.count, self.example, self._lacking = 0, "", False

    @property
    def removed(self) -> bool:
        """Whether the marks are to be removed; otherwise they belong to the texts."""
        return bool(self.count) and not self._lacking

    def add(self, lines: Iterable[Sequence[str]]) -> None:
        """Count the marks of more lines of cells."""
        risky = [cell for fields in lines for cell in fields if cell[:1] in STARTS]
        marked = [cell for cell in risky if cell[:1] == MARK and unguarded(cell) != cell]
        self.example = self.example or next(iter(marked), "")
        self.count += len(marked)
        self._lacking = self._lacking or any(cell[:1] != MARK and guarded(cell) != cell for cell in risky)

    def add_table(self, table: RawTable) -> None:
        """Count the marks of a table and of its header."""
        self.add([list(table.columns), *table.columns.values()])

    def remove(self, table: RawTable) -> RawTable:
        """The table without the marks, if they are to be removed, and a note on them."""
        return replace(without_marks(table), notes=(self.note(table.source),)) if self.removed else table

    def note(self, source: str) -> str:
        """What was removed from which cells."""
        count = counted(self.count, "cell")
        return (
            f"{source}: removed the {MARK} that protects {count} from spreadsheets, such as "
            f"{self.example[:40]!r}; if it belongs to the text, give the data as JSONL or Parquet"
        )


def without_marks(table: RawTable) -> RawTable:
    """The table without the marks of its header and cells."""
    columns = {
        unguarded(name): [unguarded(cell) if isinstance(cell, str) else cell for cell in cells]
        for name, cells in table.columns.items()
    }
    return replace(table, columns=columns)


def csv_table(
    path: Source, header: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]], separator: str
) -> RawTable:
    """The columns of rows, each with its line."""
    values = [list(column) for column in zip(*(fields for _, fields in rows), strict=True)]
    return RawTable(
        str(path),
        dict(zip(header, values or [[] for _ in header], strict=True)),
        [line for line, _ in rows],
        lists_as_text=True,
        text_only=True,
        decimal_commas=separator == ";",
    )


def csv_records(
    path: Source, lines: Iterable[str], delimiter: str, first: int = 1
) -> Iterator[tuple[int, list[str]]]:
    """Yield each record that is not blank, and the line on which it begins.

    Args:
        path: the file, for messages.
        lines: its lines, from the first of a record on.
        delimiter: what separates the fields.
        first: number of the first line.

    Raises:
        InputError: for quotes that are not those of CSV.
    """
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + first
        try:
            fields = next(reader, None)
        except csv.Error as error:
            remedy = 'double the quotes inside a quoted field ("") and close every quoted field'
            raise InputError(f"{path}:{line}: not CSV ({error}); {remedy}") from None
        if fields is None:
            return
        if fields:
            yield line, fields


def csv_rows(
    path: Source, records: Iterable[tuple[int, list[str]]], header: Sequence[str]
) -> Iterator[tuple[int, list[str]]]:
    """Yield line and fields of each record after the header that is not a line of blanks.

    Raises:
        InputError: for a record with more or fewer fields than the header.
    """
    for line, fields in records:
        if len(fields) != len(header):
            if len(fields) == 1 < len(header) and not fields[0].strip():
                continue  # a line of blanks
            raise _wrong_width(f"{path}:{line}", fields, header)
        yield line, fields


def csv_header(path: Source, records: Iterator[tuple[int, list[str]]]) -> list[str]:
    """The names of the columns, from the first record.

    Raises:
        InputError: if two columns have one name, or the text has null characters.
    """
    line, fields = next(records, (1, []))
    if any("\0" in name for name in fields):  # ASCII in UTF-16 is valid UTF-8
        raise InputError(f"{path}:{line}: {utf16_remedy(path)}")
    names = [name.strip() or f"column_{position}" for position, name in enumerate(fields, start=1)]
    check_distinct(str(path), names)
    return names


def _wrong_width(where: str, fields: Sequence[str], header: Sequence[str]) -> InputError:
    if len(fields) > len(header):
        remedy = "quote fields that hold the separator"
        return InputError(
            f"{where}: {counted(len(fields), 'field')} where the header has {len(header)}; {remedy}"
        )
    lacking = header[len(fields)]
    count = counted(len(fields), "field")
    return InputError(
        f"{where}: {count} where the header has {len(header)}: none for {lacking!r}; fill up the row"
    )


@contextmanager
def any_field_size() -> Iterator[None]:
    """Let the csv module read fields of any size."""
    before = csv.field_size_limit(_FIELD_LIMIT)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def cell_kind(cells: Sequence[str | None], *, decimal_commas: bool = False) -> CellKind:
    """What the cells of a column of unknown meaning are: numbers or truth values if every filled one is.

    Empty cells and cells like `NaN` or `null` do not count. Leading zeros mean a code, so a column with `007`
    is text. Blanks around a number are ignored.

    Args:
        cells: the texts; None for a missing cell.
        decimal_commas: whether `0,5` is a number, in a column without decimal points.
    """
    if _all_match(cells, DECIMAL):
        return "whole" if _all_match(cells, WHOLE) else "decimal"
    filled = [cell for cell in map(_bare, cells) if cell.lower() not in NO_NUMBER]
    if not filled:
        return "empty"
    if all(map(WHOLE.fullmatch, filled)):
        return "whole"
    if all(map(DECIMAL.fullmatch, filled)):
        return "decimal"
    if decimal_commas and all(COMMA.fullmatch(cell) or WHOLE.fullmatch(cell) for cell in filled):
        return "comma"
    return "truth" if all(cell.lower() in TRUTH for cell in filled) else "text"


def converted(cells: Sequence[str | None], kind: CellKind) -> list[Any]:
    """The cells of a column of this kind; None for those that hold no number or truth value."""
    if kind == "text":
        return list(cells)
    if kind == "empty":
        return [None] * len(cells)
    if kind == "truth":
        return [TRUTH.get(_bare(cell).lower()) for cell in cells]
    if kind == "comma":
        return converted([cell and with_point(cell.strip()) for cell in cells], "decimal")
    pattern = WHOLE if kind == "whole" else DECIMAL
    read: Callable[[str], float] = int if kind == "whole" else float
    if _all_match(cells, pattern):
        return list(map(read, cells))
    return [read(cell) if pattern.fullmatch(cell) else None for cell in map(_bare, cells)]


def with_point(number: str) -> str:
    """The text of a number with a decimal point; another text as it is.

    >>> with_point("0,75"), with_point("1,2,3")
    ('0.75', '1,2,3')
    """
    return number.replace(",", ".") if COMMA.fullmatch(number) else number


def _all_match(cells: Sequence[str | None], pattern: re.Pattern[str]) -> TypeGuard[Sequence[str]]:
    """Whether the pattern matches all cells as they are, in a quarter of the time of a match per cell."""
    # Texts would be copied in vain; mostly the first one says so.
    if not cells or cells[0] is None or not pattern.fullmatch(cells[0]):
        return False
    texts = [cell for cell in cells if cell is not None]
    lines = "\n".join(["", *texts])
    return len(texts) == lines.count("\n") == len(cells) and _OTHERS[pattern].search(lines) is None


def _bare(cell: str | None) -> str:
    return "" if cell is None else cell.strip()
