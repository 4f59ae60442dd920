"""Statistics that are loaded when a value needs them."""

from collections.abc import Callable, Collection, Sequence
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
    """

    __slots__ = ("_load",)

    def __init__(
        self, size: int, labels: Sequence[Label], coded: Collection[str], load: Callable[[], Statistics]
    ) -> None:
        self.size = size
        self.labels = tuple(labels)
        self.coded = frozenset(coded)
        self._load = load

    if not TYPE_CHECKING:  # so that a wrong name stays an error

        def __getattr__(self, name: str) -> Any:
            if name in ("_columns", "_cache", "ragged"):
                return getattr(self._load(), name)
            raise AttributeError(name)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._load().__reduce__()

    def take(self, items: npt.ArrayLike) -> Statistics:  # type: ignore[override]  # in memory
        """The statistics of some items: a boolean mask or indices, in that order."""
        return self._load().take(items)

    def recoded(self, labels: Sequence[Label], new_codes: Array) -> Statistics:  # type: ignore[override]
        """The same statistics over another vocabulary."""
        return self._load().recoded(tuple(labels), new_codes)
