"""Parquet, entered at a row group."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from thresher.datasets._parquet import column_names
from thresher.datasets._table import RawTable
from thresher.datasets._values import plain
from thresher.datasets.sources.row_files import BLOCK, Place, complete
from thresher.files.parquet import open_parquet, reopen_parquet


class ParquetFile:
    """A Parquet file.

    Args:
        path: the file.
        columns: columns with texts that repeat, if they are known.
    """

    def __init__(self, path: Path, columns: Sequence[str] = ()) -> None:
        self.path, self.columns = path, list(columns)

    def blocks(self, limit: int | None) -> Iterator[tuple[RawTable, Place]]:
        """Yield the rows in order; a block has no place, since row groups are entered by number."""
        with open_parquet(self.path) as table:
            self.columns = list(table.repeated)
            names = column_names(self.path, table)
            first = 0
            for batch in table.batches(
                names, table.num_rows if limit is None else min(limit, table.num_rows)
            ):
                size = len(next(iter(batch.values()), ()))
                for start in range(0, size, BLOCK):
                    columns = {name: values[start : start + BLOCK] for name, values in batch.items()}
                    yield self._table(columns, first + start), (0, 0)
                first += size

    def read(self, place: Place, start: int, stop: int, columns: Sequence[str]) -> RawTable:  # noqa: ARG002
        """Read rows `[start:stop]` from their row groups."""
        with reopen_parquet(self.path, self.columns) as table:
            known = set(table.schema.names)
            rows = table.rows([name for name in columns if name in known], start, stop)
        return self._table(complete(rows, columns, stop - start), start)

    def _table(self, columns: Mapping[str, Sequence[Any]], first: int) -> RawTable:
        values = {name: list(map(plain, entries)) for name, entries in columns.items()}
        return RawTable(str(self.path), values, lists_as_text=True, first=first)
