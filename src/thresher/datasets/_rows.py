"""Files with one judged or retrieved document per line, parsed into columns a block at a time."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.counted import counted
from thresher.errors import InputError
from thresher.files.opening import explain_read_errors, open_binary
from thresher.files.texts import decode
from thresher.kernels.retrieval.columns import IdRows

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1 << 24  # bytes
_BOM = b"\xef\xbb\xbf"
_BEYOND = 10**18  # whole grades are stored as integers of 64 bits
_SHOWN = 40  # characters of a number quoted in a message


@dataclass(frozen=True)
class Layout:
    """The fields of a line.

    Attributes:
        what: name of the file in messages.
        fields: names of the fields; three of them are `query`, `document` and `score` or `grade`.
        separator: the separator of the fields; None for any white space.
        has_header: whether the first line names the fields.
    """

    what: str
    fields: tuple[str, ...]
    separator: str | None = None
    has_header: bool = False

    @property
    def number(self) -> str:
        """Name of the field that holds the number."""
        return "grade" if "grade" in self.fields else "score"

    def read(self, path: Path, line: int, text: str) -> tuple[str, str, float]:
        """Query, document and number of one line.

        Raises:
            InputError: names file, line and what is wrong.
        """
        values = text.rstrip("\r\n").split(self.separator)
        if len(values) != len(self.fields):
            raise InputError(
                f"{path}:{line}: {counted(len(values), 'field')}; a line of {self.what} has "
                f"{len(self.fields)}: {' '.join(self.fields)}"
            )
        by_name = dict(zip(self.fields, values, strict=True))
        empty = next((name for name, value in by_name.items() if not value), None)
        if empty is not None:
            raise InputError(f"{path}:{line}: the {empty} is empty; give each line all of its fields")
        return by_name["query"], by_name["document"], self._number(path, line, by_name[self.number])

    def _number(self, path: Path, line: int, text: str) -> float:
        try:
            number = _whole(text) if self.number == "grade" else float(text)
            if abs(number) < (_BEYOND if isinstance(number, int) else np.inf):  # never true of NaN
                return number
        except ValueError:  # not a number, or one of thousands of digits
            pass
        expected = (
            "a number; whole ones have at most 18 digits" if self.number == "grade" else "a finite number"
        )
        shown = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
        raise InputError(f"{path}:{line}: the {self.number} is {shown!r}; give {expected}")


def _whole(text: str) -> int | float:
    """A grade, as an integer if it is written without a point."""
    try:
        return int(text)
    except ValueError:
        if text.lstrip("+-").isdecimal():  # thousands of digits
            raise
        return float(text)


def read_rows(path: Path, layout: Layout) -> IdRows:
    """Read the columns of a file, plain or gzipped.

    Raises:
        InputError: if the file cannot be read or is empty; for a bad line, with its number.
    """
    if not path.exists():
        raise InputError(f"{path} does not exist; give the path of {layout.what} (looked from {Path.cwd()})")
    return joined(path, layout, [block.table(path, layout) for block in blocks_of(path, layout)])


def joined(path: Path, layout: Layout, tables: Iterable["pa.Table"]) -> IdRows:
    """Join the tables of blocks.

    Raises:
        InputError: if they have no rows.
    """
    import pyarrow as pa

    parts = [table for table in tables if table.num_rows]
    if not parts:
        raise InputError(f"{path} holds no lines of {layout.what}; give at least one")
    table = pa.concat_tables(_of_one_type(parts)).unify_dictionaries()
    return IdRows(table["query"], table["document"], table["number"].to_numpy())


def _of_one_type(parts: list["pa.Table"]) -> list["pa.Table"]:
    """Convert all grades to floats if some blocks have whole and some have fractional grades."""
    types = {part["number"].type for part in parts}
    if len(types) == 1:
        return parts
    import pyarrow as pa

    return [part.set_column(2, "number", part["number"].cast(pa.float64(), safe=False)) for part in parts]


def lines_of(path: Path, layout: Layout) -> Iterator[tuple[int, tuple[str, str, float]]]:
    """Yield line number and content of every line: slow, to find the line that a message must name."""
    for block in blocks_of(path, layout):
        yield from _scanned(path, layout, block.line, block.content)


@dataclass(frozen=True)
class Block:
    """Whole lines of a file.

    Attributes:
        content: the lines.
        line: number of the first one.
        byte: where it begins in the unpacked file.
    """

    content: bytes
    line: int = 1
    byte: int = 0

    def table(self, path: Path, layout: Layout) -> "pa.Table":
        """The columns `query`, `document` and `number` of the lines.

        Raises:
            InputError: for a bad line of the file `path`, with its number.
        """
        table = self.table_by_arrow(layout)
        # Arrow does not report the line of an error, and is stricter than the formats.
        return _by_line(path, layout, self.line, self.content) if table is None else table

    def table_by_arrow(self, layout: Layout) -> "pa.Table | None":
        """The same columns; None if the lines must be read one by one."""
        import pyarrow as pa

        for kind in (pa.int64(), pa.float64()) if layout.number == "grade" else (pa.float64(),):
            with suppress(pa.ArrowException):
                table = _by_arrow(layout, self.content, kind)
                return table if _is_plausible(layout, table["number"].to_numpy()) else None
        return None


def blocks_of(path: Path, layout: Layout) -> Iterator[Block]:
    """Yield a file in blocks of whole lines, without the header.

    Raises:
        InputError: if the file cannot be read, or lacks its header.
    """
    with explain_read_errors(path), open_binary(path) as file:
        head = file.read(len(_BOM))
        line, rest = 1, head.removeprefix(_BOM)
        byte = len(head) - len(rest)
        if layout.has_header:
            first = rest + file.readline()
            header = first.split()
            if header and _is_number(header[-1]):
                raise InputError(
                    f"{path}:1: holds data; {layout.what} begin with a line that names the fields"
                )
            line, rest, byte = 2, b"", byte + len(first)
        while read := file.read(_BLOCK):
            whole, newline, rest = (rest + read).rpartition(b"\n")
            yield Block(whole + newline, line, byte)
            line += whole.count(b"\n") + len(newline)
            byte += len(whole) + len(newline)
        yield Block(rest, line, byte)


def _is_number(text: bytes) -> bool:
    with suppress(ValueError):
        return bool(np.isfinite(float(text)))
    return False


def _is_plausible(layout: Layout, numbers: Any) -> bool:
    """Whether Arrow's numbers are valid in the format: finite, and grades of at most 18 digits."""
    return bool((np.abs(numbers) < (_BEYOND if layout.number == "grade" else np.inf)).all())


def _by_arrow(layout: Layout, block: bytes, kind: "pa.DataType") -> "pa.Table":
    import pyarrow as pa
    from pyarrow import csv

    ids = pa.dictionary(pa.int32(), pa.string())
    ids_of = ("query", "document")
    types = {"query": ids, "document": ids, layout.number: kind}
    text = block if layout.separator else _single_spaced(block)
    if not text.strip():
        return _table([], [], pa.array([], kind))
    table = csv.read_csv(
        # The line feed: Arrow would remove a byte order mark at the start, also from an id. A buffer, and no
        # threads: a process is sometimes aborted that ends while a thread of Arrow reads a Python file.
        pa.BufferReader(b"\n" + text),
        csv.ReadOptions(use_threads=False, column_names=layout.fields, block_size=len(text) + 1),
        csv.ParseOptions(delimiter=layout.separator or " ", quote_char=False),
        csv.ConvertOptions(column_types=types, include_columns=list(types), null_values=[]),
    )
    if layout.separator and any("" in table[name].chunk(0).dictionary.to_pylist() for name in ids_of):
        raise pa.ArrowInvalid("an id is empty")
    return table.rename_columns(["query", "document", "number"])


def _by_line(path: Path, layout: Layout, line: int, block: bytes) -> "pa.Table":
    import pyarrow as pa

    rows = [content for _, content in _scanned(path, layout, line, block)]
    queries, documents, numbers = map(list, zip(*rows, strict=True)) if rows else ([], [], [])
    whole = layout.number == "grade" and all(isinstance(number, int) for number in numbers)
    return _table(queries, documents, pa.array(numbers, pa.int64() if whole else pa.float64()))


def _scanned(
    path: Path, layout: Layout, line: int, block: bytes
) -> Iterator[tuple[int, tuple[str, str, float]]]:
    for number, raw in enumerate(block.split(b"\n"), start=line):
        if raw.strip():
            yield number, layout.read(path, number, decode(path, raw, number))


def _table(queries: list[Any], documents: list[Any], numbers: "pa.Array") -> "pa.Table":
    import pyarrow as pa

    ids = [pa.array(column, pa.string()).dictionary_encode() for column in (queries, documents)]
    return pa.table([*ids, numbers], names=["query", "document", "number"])


def _single_spaced(block: bytes) -> bytes:
    """Normalise to one space between fields and none around them, as Arrow requires."""
    text = block.replace(b"\r\n", b"\n").replace(b"\t", b" ")
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    return text.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
