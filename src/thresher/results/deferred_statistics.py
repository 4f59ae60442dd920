"""Statistics that are loaded when a value needs them."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy.typing as npt

from thresher.results.labels import Label
from thresher.results.ragged import Array
from thresher.results.statistics import Statistics


class StatisticsStore(Protocol):
    """Reads the statistics of the results of one stored run, which have numbers.

    Attributes:
        streams: whether blocks are read one after the other, rather than from whole columns.
    """

    streams: bool

    def load(self, number: int) -> Statistics:
        """The statistics of a result. The store decides how long they stay in memory."""

    def columns(self, number: int, names: Collection[str], *, keep: bool = True) -> Mapping[str, Array]:
        """Some columns of them, which may stay in memory if they are to be kept.

        Raises:
            KeyError: for an unknown name.
        """

    def blocks(
        self, columns: Mapping[int, Collection[str] | None]
    ) -> Iterator[tuple[slice, dict[int, Statistics]]]:
        """Yield positions of consecutive items and, by number of the result, their statistics.

        Args:
            columns: number of a result -> the columns that are needed; None for all.
        """


class DeferredStatistics(Statistics):
    """Statistics of a stored run. The size and the labels are known; the arrays are read on each use.

    Args:
        size: number of items.
        labels: the vocabulary.
        coded: columns that hold positions in `labels`.
        store: reads the statistics.
        number: number of the result in the run.
    """

    __slots__ = ("_prepare", "_totals", "number", "store")

    def __init__(
        self,
        size: int,
        labels: Sequence[Label],
        coded: Collection[str],
        store: StatisticsStore,
        number: int,
    ) -> None:
        self.size = size
        self.labels = tuple(labels)
        self.coded = frozenset(coded)
        self.store = store
        self.number = number
        self.identity = object()
        self._totals: dict[Any, Any] = {}
        self._prepare: Callable[[], None] | None = None

    if not TYPE_CHECKING:  # so that a wrong name stays an error

        def __getattr__(self, name: str) -> Any:
            if name in ("_columns", "_cache", "ragged"):
                return getattr(self._load(), name)
            raise AttributeError(name)

    def column(self, name: str) -> Array:
        """One column; of many items, the others are not read."""
        return self.store.columns(self.number, [name])[name] if self.divided else self[name]

    def _load(self) -> Statistics:
        return self.store.load(self.number)

    def blocks(self) -> Iterator[tuple[slice, Statistics]]:
        """Yield the statistics of consecutive items; those of many items are read and forgotten."""
        if not self.divided:
            yield from super().blocks()
            return
        for rows, blocks in self.store.blocks({self.number: None}):
            yield rows, blocks[self.number]

    def total(self, key: Any, build: Callable[[], Any]) -> Any:
        """Return `build()`, computed once; totals of all metrics of a run may be computed in one reading."""
        if key not in self._totals and self._prepare is not None:
            prepare, self._prepare = self._prepare, None
            prepare()
        if key not in self._totals:
            self._totals[key] = build()
        return self._totals[key]

    def prepare_totals(self, prepare: Callable[[], None]) -> None:
        """Set what computes the usual totals when the first one is needed; it calls `add_total`."""
        self._prepare = prepare

    def add_total(self, key: Any, total: Any) -> None:
        """Add a total that was computed elsewhere."""
        self._totals[key] = total

    def known_total(self, key: Any) -> Any:
        """Return a total if it was computed before, else None."""
        return self._totals.get(key)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._load().__reduce__()

    def take(self, items: npt.ArrayLike) -> Statistics:  # type: ignore[override]  # in memory
        """The statistics of some items: a boolean mask or indices, in that order."""
        return self._load().take(items)

    def recoded(self, labels: Sequence[Label], new_codes: Array) -> Statistics:  # type: ignore[override]
        """The same statistics over another vocabulary."""
        return self._load().recoded(tuple(labels), new_codes)
