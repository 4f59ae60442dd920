"""Statistics of a stored run, loaded by metric, with a limit on what stays in memory."""

from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.freed_memory import release_freed_memory
from thresher.pipelines.lazy_run.part_index import PartIndex, ResultIndex
from thresher.pipelines.lazy_run.part_source import PartSource
from thresher.pipelines.parts import PartTable
from thresher.results import Ragged, Statistics
from thresher.results.labels import code_type
from thresher.results.ragged import Array
from thresher.results.statistics_blocks import in_blocks
from thresher.results.storage import read_statistics, shape_of

if TYPE_CHECKING:
    import pyarrow as pa

LIMIT = 64 * 2**20
"""Bytes of statistics of one run in memory: eight scores of a million items.

An HTML page, which shows each of five scores in several places, then reads each of them once.
"""


class StoredStatistics:
    """Loads the statistics of the metrics of a run; those used last stay in memory.

    One reading of the parts loads the requested metric and, as far as the limit allows, those after it.

    Args:
        source: the parts.
        index: facts about them.
        limit: bytes that stay in memory; one metric always does.
        known: number of a result -> its statistics, which need not be read.
    """

    streams = True

    def __init__(
        self,
        source: PartSource,
        index: PartIndex,
        limit: int | None = None,
        known: Mapping[int, Statistics] | None = None,
    ) -> None:
        self._source = source
        self._results = index.results
        self._limit = LIMIT if limit is None else limit
        self._loaded: OrderedDict[int, Statistics] = OrderedDict(known or {})
        while sum(map(_nbytes, self._loaded.values())) > self._limit:
            self._loaded.popitem()
        self._columns: OrderedDict[tuple[int, str], Array] = OrderedDict()
        self._lock = Lock()

    def load(self, number: int) -> Statistics:
        """The statistics of a metric, by the number of its result."""
        with self._lock:
            if number not in self._loaded:
                self._read(number)
            self._loaded.move_to_end(number)
            return self._loaded[number]

    def blocks(
        self, columns: Mapping[int, Collection[str] | None]
    ) -> Iterator[tuple[slice, dict[int, Statistics]]]:
        """Read the statistics of some metrics block by block, without keeping them.

        Args:
            columns: number of a result -> the columns that are needed; None for all.

        Yields:
            The positions of the items, and by metric their statistics.
        """
        readers = [_Shards(self._results[number], names) for number, names in columns.items()]
        names = {name for reader in readers for name in reader.names}

        def shards(place: int) -> dict[int, Statistics]:
            with self._source.explained(place):
                table = self._source.read(place, names.__contains__)
                return {reader.number: reader.shard(place, table) for reader in readers}

        yield from in_blocks(self._source.each(shards))

    def columns(self, number: int, names: Collection[str], *, keep: bool = True) -> dict[str, Array]:
        """Some columns of the statistics of a metric; those used last stay in memory, or are not kept.

        Raises:
            KeyError: for an unknown name.
        """
        result = self._results[number]
        if number in self._loaded or not result.types.keys() >= set(names):
            statistics = self.load(number)
            return {name: statistics[name] for name in names}
        with self._lock:
            known = [name for name in names if (number, name) in self._columns]
            columns = {name: self._columns.pop((number, name)) for name in known}
            if lacking := [name for name in names if name not in columns]:
                joined = _Joined(result, self._source, lacking)
                self._make_room(sum(array.nbytes for array in joined.arrays.values()))
                self._fill([joined])
                columns |= joined.statistics()
            if keep:
                self._columns |= {(number, name): array for name, array in columns.items()}
            return columns

    def _make_room(self, size: int) -> None:
        while self._columns and size + sum(array.nbytes for array in self._columns.values()) > self._limit:
            self._columns.popitem(last=False)

    def _read(self, number: int) -> None:
        others = [other for other in self._results[number + 1 :] if other.number not in self._loaded]
        chosen, free = [self._results[number]], self._limit - self._bytes_of(self._results[number])
        for other in others:
            free -= self._bytes_of(other)
            if free < 0:
                break
            chosen.append(other)
        room = self._limit - sum(map(self._bytes_of, chosen))
        while self._loaded and sum(self._bytes_of(self._results[old]) for old in self._loaded) > room:
            self._loaded.popitem(last=False)
        joined = [_Joined(result, self._source) for result in chosen]
        self._fill(joined)
        for each in reversed(joined):
            self._loaded[each.number] = each.statistics()

    def _fill(self, joined: "Sequence[_Joined]") -> None:
        names = {name for each in joined for name in each.names}

        sizes: list[int] = []

        def add(place: int) -> None:
            with self._source.explained(place):
                table = self._source.read(place, names.__contains__)
                sizes.append(sum(column.nbytes for column in table.columns.values()))
                for each in joined:
                    each.add(place, table.results[each.number], table.of_result(each.number))

        self._source.for_each(add)
        release_freed_memory(max(sizes, default=0))

    def _bytes_of(self, result: ResultIndex) -> int:
        """Bytes of the dense statistics; ragged ones count when they are known, after the first reading."""
        if result.number in self._loaded:
            return _nbytes(self._loaded[result.number])
        return sum(
            self._source.size * dtype.itemsize * max(1, width)
            for dtype, width in (shape_of(next(iter(kinds))) for kinds in result.types.values())
        )


def _nbytes(statistics: Statistics) -> int:
    ragged = statistics.ragged.values()
    arrays = (array for entries in ragged for array in (*entries.values(), entries.offsets))
    return sum(array.nbytes for array in (*statistics.values(), *arrays))


class _Shards:
    """Reads the statistics of one metric from parts."""

    def __init__(self, result: ResultIndex, columns: Collection[str] | None) -> None:
        self.number = result.number
        self._labels, self._recodings = result.labels
        chosen = result.types if columns is None else columns
        self.names = {result.column(f"statistic.{name}") for name in chosen}
        self.names |= result.ragged if columns is None else set()

    def shard(self, place: int, table: PartTable) -> Statistics:
        """The statistics of one part."""
        shard = read_statistics(table.results[self.number], table.of_result(self.number))
        return shard if self._recodings is None else shard.recoded(self._labels, self._recodings[place])


class _Joined:
    """The statistics of one metric, or some columns, written part by part into arrays of their final size."""

    def __init__(
        self, result: ResultIndex, source: PartSource, columns: Collection[str] | None = None
    ) -> None:
        self.number = result.number
        self._result, self._source = result, source
        self._labels, self._recodings = result.labels
        chosen = result.types if columns is None else columns
        self.arrays = {name: self._empty(name, result.types[name]) for name in chosen}
        self._ragged: list[Statistics | None] = [None] * len(source.numbers)
        self.names = {result.column(f"statistic.{name}") for name in chosen}
        self.names |= result.ragged if columns is None else set()

    def _empty(self, name: str, kinds: "set[pa.DataType]") -> Array:
        shapes = [shape_of(kind) for kind in kinds]
        recoded = self._recodings is not None and name in self._result.description["coded"]
        types = [code_type(len(self._labels))] if recoded else [dtype for dtype, _ in shapes]
        widths = [width for _, width in shapes if width]
        return np.empty((self._source.size, *widths[:1]), np.result_type(*types))

    def add(self, place: int, description: Any, columns: "dict[str, pa.ChunkedArray]") -> None:
        """Add the statistics of one part."""
        shard = read_statistics(description, columns)
        if self._recodings is not None:
            shard = shard.recoded(self._labels, self._recodings[place])
        for name, array in self.arrays.items():
            array[self._source.rows(place)] = shard[name]
        if shard.ragged:
            self._ragged[place] = Statistics({}, shard.ragged)

    def statistics(self) -> Statistics:
        """The statistics of all parts."""
        shards: Sequence[Statistics] = [shard for shard in self._ragged if shard is not None]
        names = shards[0].ragged if shards else ()
        ragged = {name: Ragged.concatenate([shard.ragged[name] for shard in shards]) for name in names}
        for array in self.arrays.values():
            array.flags.writeable = False
        return Statistics(self.arrays, ragged, self._labels, self._result.description["coded"])
