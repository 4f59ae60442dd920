"""The result of every reader: columns under the names of the source, and the place of each row."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from thresher.errors import InputError


@dataclass(frozen=True)
class RawTable:
    """Columns as read.

    Attributes:
        source: name of the source in messages: the path as given, or the kind of object.
        columns: column name in the source -> one entry per row, None for missing entries.
        lines: the line on which each row begins, 1-based; None for sources without lines.
        lists_as_text: lists may be written as JSON text, since the source is tabular.
        text_only: every entry is text, so that the types of unknown columns must be inferred.
        empty_as_text: an empty cell of a source of texts is a text without characters, not a missing entry.
        nested: columns expanded from objects; their meaning is never guessed.
        name: default name of the data set.
        notes: remarks on how the source was read, one sentence each.
    """

    source: str
    columns: Mapping[str, Sequence[Any]]
    lines: Sequence[int] | None = None
    lists_as_text: bool = False
    text_only: bool = False
    empty_as_text: bool = False
    nested: frozenset[str] = frozenset()
    name: str = "data"
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        if self.lines is not None:
            return len(self.lines)
        return max((len(column) for column in self.columns.values()), default=0)

    def where(self, row: int) -> str:
        """Place of a row: `file:line`, or the source and the row's number, both 1-based."""
        if self.lines is not None:
            return f"{self.source}:{self.lines[row]}"
        return f"{self.source}, row {row + 1}"


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Rows as columns, in order of first appearance; None in rows that lack the key."""
    return {name: [row.get(name) for row in rows] for name in dict.fromkeys(chain.from_iterable(rows))}


def quoted(names: Iterable[str]) -> str:
    """Column names for a message."""
    return ", ".join(repr(name) for name in names) or "none"


def check_distinct(source: str, names: Sequence[str]) -> None:
    """Raise InputError for a source with two columns of one name."""
    for position, name in enumerate(names):
        if name in names[:position]:
            raise InputError(f"{source} has two columns called {name!r}; rename one")
