"""Statistics of some items of a stored run, in any order."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.results.deferred_statistics import DeferredStatistics, StatisticsStore
from thresher.results.metric_result import MetricResult
from thresher.results.ragged import Array
from thresher.results.statistics import Statistics
from thresher.results.statistics_blocks import Blocks, in_blocks

Positions = npt.NDArray[np.signedinteger[Any]]


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
        stores[statistics.store] = TakenStatistics(statistics.store, positions)
    store, coded = stores[statistics.store], statistics.coded
    taken = DeferredStatistics(len(positions), statistics.labels, coded, store, statistics.number)
    status = result.status
    chosen = status[: len(positions)] if status.strides == (0,) else status[positions]
    return MetricResult(result.measures, taken, chosen, breakdowns=result.breakdowns, primary=result.primary)


class TakenStatistics:
    """Reads the statistics of some items of a stored run. A `StatisticsStore`.

    Args:
        store: reads the statistics of the run.
        positions: positions of the items in the run.

    Attributes:
        streams: whether they are in the order of the run.
    """

    def __init__(self, store: StatisticsStore, positions: Positions) -> None:
        self._store, self._positions = store, positions
        self._loaded: tuple[int, Statistics] | None = None
        self.streams = bool((positions[1:] > positions[:-1]).all())

    def load(self, number: int) -> Statistics:
        """The statistics of a result; those of the result that was used last stay in memory."""
        if self._loaded is None or self._loaded[0] != number:
            self._loaded = number, self._store.load(number).take(self._positions)
        return self._loaded[1]

    def columns(self, number: int, names: Collection[str], *, keep: bool = False) -> dict[str, Array]:
        """Some columns of them; those of the run are not kept."""
        whole = self._store.columns(number, names, keep=keep)
        return {name: array[self._positions] for name, array in whole.items()}

    def blocks(
        self, columns: Mapping[int, Collection[str] | None]
    ) -> Iterator[tuple[slice, dict[int, Statistics]]]:
        """Yield places of consecutive items and, by number of the result, their statistics.

        Items in another order than that of the run are picked from whole columns.

        Args:
            columns: number of a result -> the columns that are needed; None for all.
        """
        if self.streams:
            yield from in_blocks(self._chosen(columns))
            return
        whole = {number: self._whole(number, names) for number, names in columns.items()}
        for start in range(0, len(self._positions), Statistics.BLOCK):
            items = self._positions[start : start + Statistics.BLOCK]
            yield (
                slice(start, start + len(items)),
                {number: each.take(items) for number, each in whole.items()},
            )

    def _whole(self, number: int, names: Collection[str] | None) -> Statistics:
        if names is None:
            return self._store.load(number)
        return Statistics(self._store.columns(number, names, keep=False))

    def _chosen(self, columns: Mapping[int, Collection[str] | None]) -> Iterator[Blocks]:
        for rows, blocks in self._store.blocks(columns):
            low, high = np.searchsorted(self._positions, [rows.start, rows.stop])
            chosen = self._positions[low:high] - rows.start
            yield {number: block.take(chosen) for number, block in blocks.items()}
