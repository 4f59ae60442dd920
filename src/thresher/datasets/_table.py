"""The result of every reader: columns under the names of the source, and the place of each row."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError
from thresher.files.limits import beyond, current_limits

BLOCK = 1_000
"""Rows that are parsed at a time."""
_EXEMPT_CELLS = 20_000_000
"""Cells for which no ratio is too high: 160 MB."""


@dataclass(frozen=True)
class RawTable:
    """Columns as read.

    Attributes:
        source: name of the source in messages: the path as given, or the kind of object.
        columns: column name in the source -> one entry per row, None for missing entries.
        lines: the line on which each row begins, 1-based; None for sources without lines.
        lists_as_text: lists may be written as JSON text, since the source is tabular.
        text_only: every entry is text, so that the types of unknown columns must be inferred.
        decimal_commas: texts such as `0,5` are numbers.
        empty_as_text: an empty cell of a source of texts is a text without characters, not a missing entry.
        nested: columns expanded from objects; their meaning is never guessed.
        name: default name of the data set.
        notes: remarks on how the source was read, one sentence each.
        first: number of rows of the source before these, for messages.
        arrow: the same columns as Arrow arrays, if the source has them.
    """

    source: str
    columns: Mapping[str, Sequence[Any]]
    lines: Sequence[int] | None = None
    lists_as_text: bool = False
    text_only: bool = False
    decimal_commas: bool = False
    empty_as_text: bool = False
    nested: frozenset[str] = frozenset()
    name: str = "data"
    notes: tuple[str, ...] = ()
    first: int = 0
    arrow: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)

    def __len__(self) -> int:
        if self.lines is not None:
            return len(self.lines)
        return max((len(column) for column in self.columns.values()), default=0)

    def where(self, row: int) -> str:
        """Place of a row: `file:line`, or the source and the row's number, both 1-based."""
        if self.lines is not None:
            return f"{self.source}:{self.lines[row]}"
        return f"{self.source}, row {self.first + row + 1}"


def columns_of(rows: Sequence[Mapping[str, Any]], source: str) -> dict[str, list[Any]]:
    """Rows as columns, in order of first appearance; None in rows that lack the key.

    Raises:
        InputError: if most rows lack most keys, so that far more cells than values would be stored.
    """
    names = dict.fromkeys(chain.from_iterable(rows))
    check_cells(source, len(rows), names, sum(map(len, rows)))
    return {name: [row.get(name) for row in rows] for name in names}


def check_cells(source: str, rows: int, names: Collection[str], values: int) -> None:
    """Raise InputError if rows with these keys, and so many values together, are too many cells."""
    cells, ratio = rows * len(names), current_limits().unpacked_ratio
    if cells > max(_EXEMPT_CELLS, ratio * values):
        problem = (
            f"has {counted(rows, 'row', form=',')} with "
            f"{counted(len(names), 'different key', form=',')}, more than {counted(ratio, 'cell')} per value"
        )
        raise beyond(source, problem, "unpacked_ratio", -(-cells // values))


def joined(source: str, blocks: Iterable[RawTable]) -> RawTable:
    """Blocks of rows as one table, with all of their columns in the order in which they appear."""
    columns: dict[str, list[Any]] = {}
    lines: list[int] = []
    rows, last = 0, RawTable(source, {})
    for last in blocks:
        for name in last.columns:
            columns.setdefault(name, [None] * rows)
        for name, entries in columns.items():
            entries.extend(last.columns[name] if name in last.columns else [None] * len(last))
        lines.extend(last.lines or ())
        rows += len(last)
    return replace(last, columns=columns, lines=None if last.lines is None else lines, first=0, arrow=None)


def complete(
    table: Mapping[str, Sequence[Any]], columns: Iterable[str], size: int
) -> dict[str, Sequence[Any]]:
    """The columns in this order; None in all rows for those that the table lacks."""
    nothing = [None] * size
    return {name: table.get(name, nothing) for name in columns}


def quoted(names: Iterable[str]) -> str:
    """Column names for a message."""
    return ", ".join(repr(name) for name in names) or "none"


def check_distinct(source: str, names: Sequence[str]) -> None:
    """Raise InputError for a source with two columns of one name."""
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None:
        raise InputError(f"{source} has two columns called {repeated!r}; rename one")
