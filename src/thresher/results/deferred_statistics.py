"""Statistics that are loaded when a value needs them."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from thresher.results.labels import Label
from thresher.results.ragged import Array
from thresher.results.statistics import Statistics


class DeferredStatistics(Statistics):
    """Statistics of a stored run. The size and the labels are known; the arrays are loaded on each use.

    Args:
        size: number of items.
        labels: the vocabulary.
        coded: columns that hold positions in `labels`.
        load: returns the statistics; it decides how long they stay in memory.
        stream: yields the statistics block by block; default: they are loaded.
    """

    __slots__ = ("_load", "_prepare", "_stream", "_totals")

    def __init__(
        self,
        size: int,
        labels: Sequence[Label],
        coded: Collection[str],
        load: Callable[[], Statistics],
        stream: Callable[[], Iterator[tuple[slice, Statistics]]] | None = None,
    ) -> None:
        self.size = size
        self.labels = tuple(labels)
        self.coded = frozenset(coded)
        self._load = load
        self._stream = stream
        self._totals: dict[Any, Any] = {}
        self._prepare: Callable[[], None] | None = None

    if not TYPE_CHECKING:  # so that a wrong name stays an error

        def __getattr__(self, name: str) -> Any:
            if name in ("_columns", "_cache", "ragged"):
                return getattr(self._load(), name)
            raise AttributeError(name)

    def blocks(self) -> Iterator[tuple[slice, Statistics]]:
        """Yield the statistics of consecutive items; those of many items are read and forgotten."""
        return super().blocks() if self._stream is None or self.size <= Statistics.BLOCK else self._stream()

    def _rows(self, rows: slice) -> Statistics:  # type: ignore[override]
        return self._load()._rows(rows)  # noqa: SLF001  # of the same class

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

    def __reduce__(self) -> tuple[Any, ...]:
        return self._load().__reduce__()

    def take(self, items: npt.ArrayLike) -> Statistics:  # type: ignore[override]  # in memory
        """The statistics of some items: a boolean mask or indices, in that order."""
        return self._load().take(items)

    def recoded(self, labels: Sequence[Label], new_codes: Array) -> Statistics:  # type: ignore[override]
        """The same statistics over another vocabulary."""
        return self._load().recoded(tuple(labels), new_codes)
