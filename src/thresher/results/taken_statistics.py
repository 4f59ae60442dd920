"""Statistics of some items of a stored run, in any order, which stay on disk."""

import shutil
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thresher.files.buckets import Buckets
from thresher.files.building import temporary_folder
from thresher.results.deferred_statistics import DeferredStatistics, StatisticsStore
from thresher.results.metric_result import MetricResult
from thresher.results.ragged import Array, Ragged
from thresher.results.statistics import Statistics
from thresher.results.statistics_blocks import Blocks, in_blocks
from thresher.results.taken_entries import Numbers, is_ascending, places_of

Positions = npt.NDArray[np.int64]
_BUCKET = 100_000
"""Items in a bucket, and items that are distributed at a time: 8 MB per ten numbers of an item."""


def taken_result(
    result: MetricResult, positions: Positions, stores: "dict[object, TakenStatistics]"
) -> MetricResult:
    """Return a result for some items, without reasons and evidence; many items of a stored run stay on disk.

    Args:
        result: the result.
        positions: positions of the items, distinct.
        stores: by store of a run, what reads these items from it; added where it is missing, for the other
            results of the run.
    """
    statistics = result.statistics
    if not (isinstance(statistics, DeferredStatistics) and len(positions) > Statistics.WHOLE):
        return result.numbers.take(positions)
    if statistics.store not in stores:
        stores[statistics.store] = TakenStatistics(statistics.store, positions, statistics.size)
    store, coded = stores[statistics.store], statistics.coded
    taken = DeferredStatistics(len(positions), statistics.labels, coded, store, statistics.number)
    status = result.status
    chosen = status[: len(positions)] if status.strides == (0,) else status[positions]
    return MetricResult(result.measures, taken, chosen, breakdowns=result.breakdowns, primary=result.primary)


class TakenStatistics:
    """Reads the statistics of some items of a stored run. A `StatisticsStore`.

    Items in another order than that of the run are distributed over buckets of consecutive places on disk;
    those of a bucket are ordered in memory. The files stay as long as this object, for further readings.

    Args:
        store: reads the statistics of the run.
        positions: positions of the items in the run, distinct.
        size: number of items of the run.
    """

    def __init__(self, store: StatisticsStore, positions: Positions, size: int) -> None:
        self._store, self._positions, self._size = store, positions, size
        self._ascending = is_ascending(positions)
        self._distributed: dict[int, _Distributed] = {}
        self._loaded: tuple[int, Statistics] | None = None

    @cached_property
    def _folder(self) -> Path:
        folder = temporary_folder()
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder

    def load(self, number: int) -> Statistics:
        """The statistics of a result; those of the result that was used last stay in memory."""
        if self._loaded is None or self._loaded[0] != number:
            self._loaded = number, self._store.load(number).take(self._positions)
        return self._loaded[1]

    def column(self, number: int, name: str) -> Array:
        """One column of them."""
        return self._store.column(number, name)[self._positions]

    def blocks(
        self, columns: Mapping[int, Collection[str] | None]
    ) -> Iterator[tuple[slice, dict[int, Statistics]]]:
        """Yield places of consecutive items and, by number of the result, their statistics.

        Args:
            columns: number of a result -> the columns that are needed; None for all. Items in another order
                are distributed with all columns.
        """
        if self._ascending:
            yield from in_blocks(self._chosen(columns))
            return
        new = dict.fromkeys(number for number in columns if number not in self._distributed)
        if new:
            distributed = _Distributed(self._folder / f"{min(new)}.tmp", len(self._positions))
            distributed.add(self._store.blocks(new), places_of(self._positions, self._size))
            self._distributed |= dict.fromkeys(new, distributed)
        readings = {self._distributed[number]: None for number in columns}
        pieces = zip(*(distributed.in_order(columns) for distributed in readings), strict=True)
        yield from in_blocks({number: part[number] for part in parts for number in part} for parts in pieces)

    def _chosen(self, columns: Mapping[int, Collection[str] | None]) -> Iterator[Blocks]:
        for rows, blocks in self._store.blocks(columns):
            low, high = np.searchsorted(self._positions, [rows.start, rows.stop])
            chosen = self._positions[low:high] - rows.start
            yield {number: block.take(chosen) for number, block in blocks.items()}


class _Distributed:
    """Statistics of some results, distributed over buckets of consecutive places."""

    def __init__(self, path: Path, size: int) -> None:
        self._buckets = Buckets(path, -(-size // _BUCKET))
        self._empty: dict[int, Statistics] = {}

    def add(self, blocks: Iterable[tuple[slice, Blocks]], places: Numbers) -> None:
        """Read all items, and store those that have a place."""
        for rows, batch in in_blocks((block for _, block in blocks), _BUCKET):
            self._empty |= {number: block.section(slice(0, 0)) for number, block in batch.items()}
            chosen = np.flatnonzero(places[rows] >= 0)
            targets = places[rows][chosen]
            self._buckets.add(targets // _BUCKET, partial(_stored, batch, chosen, targets))

    def in_order(self, numbers: Collection[int]) -> Iterator[Blocks]:
        """Yield the statistics of all places, a bucket at a time."""
        for bucket in range(self._buckets.count):
            pieces = self._buckets.read(bucket)
            order = np.argsort(np.concatenate([targets for targets, _ in pieces]))
            yield {
                number: Statistics.concatenate(
                    [
                        Statistics(columns, ragged, empty.labels, empty.coded)
                        for columns, ragged in (parts[number] for _, parts in pieces)
                    ]
                ).take(order)
                for number, empty in self._empty.items()
                if number in numbers
            }


def _stored(
    batch: Blocks, chosen: Positions, targets: Numbers, rows: Positions
) -> tuple[Numbers, dict[int, tuple[dict[str, Array], dict[str, Ragged]]]]:
    """Places and statistics of some of the chosen items; labels, which may be many, are added when read."""
    parts = {number: block.take(chosen[rows]) for number, block in batch.items()}
    return targets[rows], {number: (dict(part), dict(part.ragged)) for number, part in parts.items()}
