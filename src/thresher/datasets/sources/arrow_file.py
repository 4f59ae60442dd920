"""Arrow files and streams, such as those of Hugging Face data sets, entered at a record batch."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher.datasets._table import RawTable, check_distinct
from thresher.datasets._values import plain
from thresher.datasets.sources.row_files import BLOCK, Place, complete
from thresher.files.arrow import arrow_batches
from thresher.files.nesting import explain_odd_values
from thresher.files.opening import check_unpacked

if TYPE_CHECKING:
    import pyarrow as pa


class ArrowFile:
    """A file or stream of Arrow's IPC format, which is mapped into memory.

    Args:
        path: the file.
    """

    columns: Sequence[str] = ()

    def __init__(self, path: Path) -> None:
        self.path = path

    def blocks(self, limit: int | None) -> Iterator[tuple[RawTable, Place]]:
        """Yield the rows in order; a block has no place, since batches are entered by number.

        Raises:
            InputError: if the file cannot be read, or a limit is exceeded.
        """
        first = expanded = 0
        with arrow_batches(self.path) as batches:
            for batch in batches:
                check_distinct(str(self.path), batch.schema.names)
                rows = batch.num_rows if limit is None else min(batch.num_rows, limit - first)
                expanded += batch.nbytes
                check_unpacked(self.path, expanded, self.path.stat().st_size)
                for start in range(0, rows, BLOCK):
                    part = batch.slice(start, min(BLOCK, rows - start))
                    yield self._table(_lists(self.path, part, batch.schema.names), first + start), (0, 0)
                first += rows
                if first == limit:
                    return

    def read(self, place: Place, start: int, stop: int, columns: Sequence[str]) -> RawTable:  # noqa: ARG002
        """Read rows `[start:stop]` from their batches."""
        values: dict[str, list[Any]] = {}
        begin = 0
        with arrow_batches(self.path) as batches:
            for batch in batches:
                end = begin + batch.num_rows
                if end > start and begin < stop:
                    part = batch.slice(max(start - begin, 0), min(stop, end) - max(start, begin))
                    names = [name for name in columns if name in batch.schema.names]
                    for name, entries in _lists(self.path, part, names).items():
                        values.setdefault(name, []).extend(entries)
                if end >= stop:
                    break
                begin = end
        return self._table(complete(values, columns, stop - start), start)

    def _table(self, columns: Mapping[str, Sequence[Any]], first: int) -> RawTable:
        values = {name: list(map(plain, entries)) for name, entries in columns.items()}
        return RawTable(str(self.path), values, lists_as_text=True, first=first)


def _lists(path: Path, batch: "pa.RecordBatch", names: Sequence[str]) -> dict[str, list[Any]]:
    values = {}
    for name in names:
        with explain_odd_values(f"{path}: column {name!r}"):
            values[name] = batch.column(name).to_pylist(maps_as_pydicts="strict")
    return values
