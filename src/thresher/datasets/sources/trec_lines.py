"""TREC runs in files, read by query, and sorted by query where they are not."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from thresher.datasets._rows import Block, joined, read_rows
from thresher.datasets.trec import RUN
from thresher.files.building import GrowingFile
from thresher.files.opening import explain_read_errors, open_at
from thresher.kernels.retrieval.columns import IdRows

_AT_ONCE = 1 << 24
"""Bytes of lines that are parsed together."""
_BUCKET = 1 << 18
"""Rows that are sorted in memory."""

Ranges = npt.NDArray[np.int64]
"""Where the lines of each query begin and end."""


class Coded(NamedTuple):
    """The queries of rows.

    Attributes:
        codes: per row the place of its query in `names`.
        names: distinct query ids, in the order in which they first occur.
    """

    codes: npt.NDArray[np.int32]
    names: list[str]

    @classmethod
    def of(cls, column: Any) -> "Coded":
        """The codes of an Arrow column of dictionary type."""
        array = pa.concat_arrays(column.unify_dictionaries().chunks)
        return cls(np.asarray(array.indices, np.int32), array.dictionary.to_pylist())


def read_ranges(path: Path, ranges: Ranges) -> IdRows:
    """Read the rows in some ranges of bytes; those that touch are read together.

    Raises:
        InputError: if the file cannot be read.
    """
    tables = [Block(content).table(path, RUN) for content in _contents(path, ranges)]
    if any(table.num_rows for table in tables):
        return joined(path, RUN, tables)
    return IdRows([], [], np.zeros(0))


def _contents(path: Path, ranges: Ranges) -> Iterator[bytes]:
    waiting: list[bytes] = []
    with explain_read_errors(path), open_at(path, 0) as file:
        for start, stop in _touching(ranges):
            file.seek(start)
            waiting.append(file.read(stop - start))
            if sum(map(len, waiting)) >= _AT_ONCE:
                yield b"\n".join(waiting)
                waiting = []
    yield b"\n".join(waiting)


def _touching(ranges: Ranges) -> Iterator[tuple[int, int]]:
    """Join ranges that touch, up to the size of a block."""
    first = last = 0
    for start, stop in ranges[ranges[:, 0] < ranges[:, 1]].tolist():
        if start == last and stop - first <= _AT_ONCE:
            last = stop
            continue
        if first < last:
            yield first, last
        first, last = start, stop
    if first < last:
        yield first, last


class SortedRun:
    """A copy of a run that is sorted by item, keeping the order of lines within an item.

    Lines are written to buckets of consecutive items, and each bucket is sorted in memory. Of ranks and tags,
    which are not read, nothing is retained.

    Args:
        path: the copy.
        items: query -> its number.
        counts: lines of each item.
    """

    def __init__(self, path: Path, items: Mapping[str, int], counts: Sequence[int]) -> None:
        self.path, self._items = path, items
        self._bucket_of: npt.NDArray[np.int64] = (np.cumsum(counts, dtype=np.int64) - counts) // _BUCKET
        self._files: dict[int, GrowingFile] = {}

    def add(self, table: pa.Table) -> None:
        """Add the next rows."""
        owner = self._owner(table["query"])
        for bucket, content in _pieces(table, self._bucket_of[owner]):
            if bucket not in self._files:
                self._files[bucket] = GrowingFile(self.path.with_suffix(f".{bucket}.tmp"))
                self._files[bucket].append(b"\n")  # else a byte order mark would be removed from the first id
            self._files[bucket].append(content)
        for file in self._files.values():  # so that hundreds of buckets do not wait in memory
            file.flush()

    def finish(self) -> Ranges:
        """Write the copy; return where the lines of each item are. Nothing can be added afterwards."""
        ranges = np.zeros((len(self._bucket_of), 2), np.int64)
        sorted_file = GrowingFile(self.path)
        for _, file in sorted(self._files.items()):
            rows = read_rows(file.path, RUN)
            names = ["query", "document", "number"]
            table = pa.table([rows.query_ids, rows.document_ids, pa.array(rows.numbers)], names=names)
            for item, content in _pieces(table, self._owner(rows.query_ids)):
                ranges[item] = sorted_file.size, sorted_file.size + len(content)
                sorted_file.append(content)
            file.path.unlink()
        sorted_file.flush()
        return ranges

    def _owner(self, queries: Any) -> npt.NDArray[np.int64]:
        coded = Coded.of(queries)
        # A dictionary of Arrow's has no names that do not occur.
        return np.array([self._items[name] for name in coded.names], np.int64)[coded.codes]


def _pieces(table: pa.Table, groups: npt.NDArray[np.int64]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of each group of rows, in the order of the groups."""
    order = np.argsort(groups, kind="stable")
    lines = _lines(table).take(order)
    offsets = np.frombuffer(lines.buffers()[1], np.int32, len(lines) + 1, offset=4 * lines.offset)
    groups = groups[order]
    starts = np.flatnonzero(np.concatenate([[True], groups[1:] != groups[:-1]]))
    data = memoryview(lines.buffers()[2])
    for start, stop in zip(starts, [*starts[1:], len(groups)], strict=True):
        yield int(groups[start]), bytes(data[offsets[start] : offsets[stop]])


def _lines(table: pa.Table) -> pa.StringArray:
    """The lines of a run; numbers are written so that they are read as they were."""
    ids = [table[name].cast(pa.string()) for name in ("query", "document")]
    numbers = table["number"].cast(pa.string())
    lines = pc.binary_join_element_wise(ids[0], "Q0", ids[1], "0", numbers, "-\n", " ")
    return pa.concat_arrays(lines.chunks)
