"""Files of rows that are entered at any row without reading what comes before."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from thresher.datasets._table import RawTable

BLOCK = 1_000
"""Rows between two places of a file that are noted, and most rows of a block of the index pass."""

Place = tuple[int, int]
"""Byte and line at which a block begins."""


class UnstreamableError(Exception):
    """A file must be read as a whole; `read_dataset` does it."""


class RowFile(Protocol):
    """A file of rows."""

    @property
    def path(self) -> Path:
        """The file."""

    @property
    def columns(self) -> Sequence[str]:
        """Columns that later readings must know, if the format needs it; known after `blocks`."""

    def blocks(self, limit: int | None) -> Iterator[tuple[RawTable, Place]]:
        """Yield the rows in order, and where each block begins; all but the last have `BLOCK` rows.

        Raises:
            InputError: for a row that cannot be read, with its place.
            UnstreamableError: if the file cannot be read in blocks.
        """

    def read(self, place: Place, start: int, stop: int, columns: Sequence[str]) -> RawTable:
        """Read rows `[start:stop]`.

        Args:
            place: of the block that holds row `start`.
            start: number of the first row, from 0.
            stop: number after the last row.
            columns: the columns of the result, with None where a row lacks one.

        Raises:
            InputError: if the file cannot be read.
        """


def complete(
    table: Mapping[str, Sequence[Any]], columns: Iterable[str], size: int
) -> dict[str, Sequence[Any]]:
    """The columns in this order; None in all rows for those that the table lacks."""
    nothing = [None] * size
    return {name: table.get(name, nothing) for name in columns}
