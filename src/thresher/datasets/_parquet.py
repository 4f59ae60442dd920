"""Parquet and Arrow files, batch by batch."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from thresher.datasets._table import BLOCK, RawTable, check_distinct
from thresher.datasets._values import plain_column
from thresher.files.arrow import arrow_batches
from thresher.files.opening import OpenedFile, Source, check_unpacked
from thresher.files.parquet import listed, open_parquet

if TYPE_CHECKING:
    import pyarrow as pa

_INDEX = "__index_level_"  # the column in which pandas stores an unnamed index


def parquet_blocks(path: Source, limit: int | None) -> Iterator[RawTable]:
    """Yield the first rows of columns of any Arrow type; lists and structs become lists and dicts."""
    with open_parquet(path) as table:
        names = [name for name in table.schema.names if not name.startswith(_INDEX)]
        check_distinct(str(path), names)
        yield from _blocks(path, table.batches(names, limit), limit)


def arrow_blocks(path: Source, limit: int | None) -> Iterator[RawTable]:
    """Yield the first rows of a file or a stream of Arrow's IPC format."""
    with arrow_batches(path) as batches:
        yield from _blocks(path, _within_limits(path, batches), limit)


def _within_limits(path: Source, batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
    size = len(path.content) if isinstance(path, OpenedFile) else path.stat().st_size
    expanded = 0
    for batch in batches:
        check_distinct(str(path), batch.schema.names)
        expanded += batch.nbytes
        check_unpacked(path, expanded, size)
        yield batch


def _blocks(path: Source, batches: "Iterator[pa.RecordBatch]", limit: int | None) -> Iterator[RawTable]:
    first = 0
    for batch in batches:
        stop = batch.num_rows if limit is None else min(batch.num_rows, limit - first)
        for start in range(0, stop, BLOCK):
            part = batch.slice(start, min(BLOCK, stop - start))
            arrays = dict(zip(part.schema.names, part.columns, strict=True))
            columns = {name: values_of(f"{path}: column {name!r}", array) for name, array in arrays.items()}
            yield RawTable(str(path), columns, lists_as_text=True, first=first + start, arrow=arrays)
        first += stop
        if first == limit:
            return


def values_of(where: str, array: "pa.Array") -> Sequence[Any]:
    """The values of an array as plain Python, None for missing ones and for NaN.

    Raises:
        InputError: naming `where`, for a value that Python cannot hold.
    """
    return plain_column(listed(where, array))
