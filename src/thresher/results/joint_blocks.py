"""Blocks of several statistics of the same items, read together."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from thresher.results.deferred_statistics import DeferredStatistics, StatisticsStore
from thresher.results.statistics import Statistics

Blocks = Mapping[object, Statistics]
"""By the identity of the statistics of a result, their block."""
Columns = Collection[str] | None
"""Names of the columns that are needed; None for all."""


def joint_blocks(statistics: Sequence[tuple[Statistics, Columns]]) -> Iterator[tuple[slice, Blocks]]:
    """Read the statistics of several results over equally many items, block by block.

    Statistics of one stored run are read in one pass over its parts.

    Args:
        statistics: the statistics, and which of their columns are needed.

    Yields:
        The positions of the items, and the block of each of the statistics.
    """
    stored: dict[int, tuple[StatisticsStore, dict[int, object], dict[int, Columns]]] = {}
    readings: dict[object, Iterator[tuple[slice, Blocks]]] = {}
    for one, columns in statistics:
        if isinstance(one, DeferredStatistics) and one.divided:
            _, identities, needed = stored.setdefault(id(one.store), (one.store, {}, {}))
            before = needed.get(one.number, ())
            needed[one.number] = None if columns is None or before is None else {*before, *columns}
            identities[one.number] = one.identity
        else:
            readings[one.identity] = _of_one(one)
    together = [_of_store(*reading) for reading in stored.values()]
    for parts in zip(*together, *readings.values(), strict=True):
        yield parts[0][0], {key: block for _, blocks in parts for key, block in blocks.items()}


def _of_one(statistics: Statistics) -> Iterator[tuple[slice, Blocks]]:
    for rows, block in statistics.blocks():
        yield rows, {statistics.identity: block}


def _of_store(
    store: StatisticsStore, identities: Mapping[int, object], columns: Mapping[int, Columns]
) -> Iterator[tuple[slice, Blocks]]:
    for rows, blocks in store.blocks(columns):
        yield rows, {identities[number]: block for number, block in blocks.items()}
