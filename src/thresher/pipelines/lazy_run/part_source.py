"""Verified reading of the parts of one opened run, with the parts read last in memory."""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from itertools import islice
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from thresher.errors import RunDirectoryError
from thresher.pipelines.input_columns import decode
from thresher.pipelines.parts import PartTable, explain_part_errors
from thresher.pipelines.stored_parts import Stamp, StoredParts
from thresher.results import FrozenColumn
from thresher.results.storage import read_evidence, read_texts

T = TypeVar("T")
_PARTS = 2
"""Parts whose decoded columns stay in memory: two, for readers of neighbouring items at the end of a part."""
_FEW = 4
"""Up to this share of the rows of a part is decoded alone, unless the next block is likely to need the others."""
_THREADS = 2
"""Hashing and decompression leave the interpreter's lock; more threads add little, as Python decodes."""


class PartSource:
    """The parts of one run as they were when the run was opened.

    Args:
        parts: the stored parts.
        numbers: numbers of the chunks, in order.
    """

    def __init__(self, parts: StoredParts, numbers: Sequence[int]) -> None:
        self._parts = parts
        self.numbers = list(numbers)
        rows = [parts.identity(number).rows for number in self.numbers]
        self.ends: list[int] = np.cumsum(rows, dtype=np.int64).tolist()
        self._digests: list[bytes | None] = [None] * len(self.numbers)
        self._stamps: list[Stamp | None] = [None] * len(self.numbers)
        self._decoded: OrderedDict[int, dict[str, FrozenColumn]] = OrderedDict()
        self._lock = Lock()

    @property
    def size(self) -> int:
        """Number of items."""
        return self.ends[-1]

    def rows(self, place: int) -> slice:
        """Positions of the items of a part."""
        return slice(self.ends[place - 1] if place else 0, self.ends[place])

    def read(
        self, place: int, selects: Callable[[str], bool], rows: Sequence[int] | None = None
    ) -> PartTable:
        """Verify a part and read some of its columns, or some rows of them.

        The SHA-256 of the whole file is verified on the first reading, and again if inode, time or size have
        changed. Other readings verify the footer and the checksums of the selected columns.

        Raises:
            DamagedRunError: if it is damaged, or of another run or chunk.
            RunDirectoryError: if it cannot be read, or was replaced since the run was opened.
        """
        number = self.numbers[place]
        # In an object store a stamp costs a request, and ranges are read in any case.
        stamp = None if self._parts.path(number).store.is_remote else self._parts.stamp(number)
        unchanged = stamp is not None and stamp == self._stamps[place]
        table = self._parts.read_table(number, selects, rows, by_ranges=unchanged)
        if self._digests[place] not in (None, table.digest):
            path = self._parts.path(number)
            raise RunDirectoryError(f"{path} was replaced after the run was opened: open the run again")
        self._digests[place], self._stamps[place] = table.digest, stamp
        return table

    def explained(self, place: int) -> AbstractContextManager[None]:
        """Turn errors of decoding a part into those of a damaged part."""
        return explain_part_errors(self._parts.path(self.numbers[place]))

    def for_each(self, use: Callable[[int], Any]) -> None:
        """Call a function with the place of every part; calls may run at the same time."""
        with ThreadPoolExecutor(_THREADS) as pool:
            try:
                for _ in pool.map(use, range(len(self.numbers))):
                    pass
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def each(self, use: Callable[[int], T]) -> Iterator[T]:
        """Yield what a function returns for each place of a part, in order; the next parts are read ahead."""
        places = iter(range(len(self.numbers)))
        with ThreadPoolExecutor(_THREADS) as pool:
            ahead = deque(pool.submit(use, place) for place in islice(places, _THREADS))
            while ahead:
                result = ahead.popleft().result()
                ahead.extend(pool.submit(use, place) for place in islice(places, 1))
                yield result

    def column(self, place: int, name: str) -> FrozenColumn:
        """The decoded entries of a column in one part: `id`, an input, or reasons or evidence of a metric."""
        with self._lock:
            if name in self._decoded.get(place, ()):
                self._decoded.move_to_end(place)
                return self._decoded[place][name]
        table = self.read(place, name.__eq__)
        with self.explained(place):
            column = _decoded(table, name)
        with self._lock:
            self._decoded.setdefault(place, {})[name] = column
            self._decoded.move_to_end(place)
            if len(self._decoded) > _PARTS:
                self._decoded.popitem(last=False)
        return column

    def chosen(self, place: int, rows: Sequence[int], *, name: str) -> FrozenColumn:
        """The decoded entries of some rows of a column in one part; all are decoded if many are needed."""
        with self._lock:
            if name in self._decoded.get(place, ()):
                return self._decoded[place][name].take(rows)
        size = len(range(self.size)[self.rows(place)])
        if len(rows) * _FEW > size and not name.endswith(".evidence"):
            return self.column(place, name).take(rows)
        table = self.read(place, name.__eq__, rows)
        with self.explained(place):
            return _decoded(table, name)

    def stored(self, place: int, *, name: str) -> tuple[str, Any]:
        """The form and the undecoded entries of a column in one part."""
        table = self.read(place, name.__eq__)
        return str(table.inputs.get(name.removeprefix("input."))), table.columns[name]

    def containing(self, text: str, *, name: str) -> list[int]:
        """Positions of the entries of a column of texts that contain a text."""
        import pyarrow.compute as pc

        positions: list[list[int]] = [[] for _ in self.numbers]

        def search(place: int) -> None:
            column = self.read(place, name.__eq__).columns[name]
            if any(
                text.encode() in chunk.buffers()[-1].to_pybytes() for chunk in column.chunks if len(chunk)
            ):
                rows = pc.indices_nonzero(pc.match_substring(column, text)).to_pylist()
                positions[place] = [self.rows(place).start + row for row in rows]

        self.for_each(search)
        return [position for of_part in positions for position in of_part]


def _decoded(table: PartTable, name: str) -> FrozenColumn:
    column = table.columns[name]
    if name == "id":
        return FrozenColumn(column.to_pylist())
    if name.startswith("input."):
        return decode(column, table.inputs[name.removeprefix("input.")])
    entries = read_evidence(column) if name.endswith(".evidence") else read_texts(column)
    return FrozenColumn(entries or [None] * len(column))
