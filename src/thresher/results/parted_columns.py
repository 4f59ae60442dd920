"""Columns and reasons that stay in the parts of a stored run until an entry is read."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from sys import intern
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.results.columns import BuiltColumn, FrozenColumn, out_of_range

Int64s = npt.NDArray[np.int64]
_KNOWN = 200_000
"""Reasons in memory, about 20 MB: several notes of a report name the causes of the same failed items."""


class PartedColumn(BuiltColumn):
    """A column whose entries are read part by part. Equal to the frozen column of all its entries.

    Iteration holds one part at a time; `take` reads each part once. Pickling reads everything, so that a
    pickle does not depend on the stored run.

    Args:
        ends: for each part, the number of items up to its end.
        read: number of a part -> its entries.
        are_ids: whether the entries are known to be distinct, non-empty texts.
        data: for ids, the fingerprint of the data whose items they name, in their order; empty if unknown.
        stored: number of a part -> what is stored of its entries; equal forms have equal entries.
        choose: number of a part and rows of it -> their entries, for entries that are decoded one by one.
        containing: a text -> positions of the entries whose stored form contains it; None if the stored form
            is not text.

    >>> parts = [FrozenColumn("ab"), FrozenColumn("c")]
    >>> column = PartedColumn([2, 3], parts.__getitem__)
    >>> column[2], list(column.take([2, 0])), list(column[1:])
    ('c', ['c', 'a'], ['b', 'c'])
    """

    __slots__ = (
        *("_candidates", "_choose", "_containing", "are_ids", "data", "ends", "read"),
        "stored",
    )

    def __init__(
        self,
        ends: Sequence[int],
        read: Callable[[int], FrozenColumn],
        *,
        are_ids: bool = False,
        data: str = "",
        stored: Callable[[int], Any] | None = None,
        choose: Callable[[int, Sequence[int]], FrozenColumn] | None = None,
        containing: Callable[[str], list[int]] | None = None,
    ) -> None:
        self.ends = list(ends)
        self.read = read
        self.are_ids = are_ids
        self.data = data
        self.stored = stored
        self._choose = choose
        self._containing = containing
        self._candidates: dict[str, list[int]] = {}

    if not TYPE_CHECKING:  # so that a wrong name stays an error

        def __getattr__(self, name: str) -> Any:
            if name == "_values":  # for the methods of the base class that need every entry
                return tuple(self)
            raise AttributeError(name)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Any: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return self.take(range(*index.indices(len(self))))
        try:
            item = range(len(self))[index]
        except IndexError:
            raise IndexError(out_of_range(index, len(self))) from None
        part = bisect_right(self.ends, item)
        return self.read(part)[item - self._start(part)]

    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(self.parts())

    def parts(self) -> Iterator[FrozenColumn]:
        """The entries of each part."""
        return map(self.read, range(len(self.ends)))

    def _equals(self, other: Sequence[Any]) -> bool:
        if isinstance(other, PartedColumn) and self.ends == other.ends:
            return all(own == its for _, own, its in self.differing_parts(other))
        return super()._equals(other)

    def differing_parts(self, other: "PartedColumn") -> Iterator[tuple[int, FrozenColumn, FrozenColumn]]:
        """Yield the parts in which two columns may differ: position of the first item, and both entries.

        Raises:
            ValueError: if their parts end at different items.
        """
        if self.ends != other.ends:
            raise ValueError("the columns have different parts")
        for part in range(len(self.ends)):
            alike = self.stored and other.stored and self.stored(part) == other.stored(part)
            if not alike:
                yield self._start(part), self.read(part), other.read(part)

    def __repr__(self) -> str:
        return f"PartedColumn({counted(len(self), 'item')})"

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenColumn.concatenate, ([self.whole()],)

    def missing(self) -> list[int]:
        """Positions of the items without an entry."""
        return [
            self._start(part) + row for part in range(len(self.ends)) for row in self.read(part).missing()
        ]

    def take(self, indices: Iterable[int]) -> Any:
        """The entries at `indices`, in that order, as a column in memory."""
        items = np.fromiter(indices, np.int64)
        items[items < 0] += len(self)
        if not len(items):
            return FrozenColumn() if self._containing or not self.ends else self.read(0).take([])
        order = np.argsort(items, kind="stable")
        starts = np.flatnonzero(np.diff(np.searchsorted(self.ends, items[order], "right"), prepend=-1))
        pieces = []
        for chosen in np.split(order, starts[1:]):
            part = bisect_right(self.ends, items[chosen[0]])
            rows = (items[chosen] - self._start(part)).tolist()
            pieces.append(self._choose(part, rows) if self._choose else self.read(part).take(rows))
        ascending = type(pieces[0]).concatenate(pieces)
        if (order[1:] > order[:-1]).all():
            return ascending
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        return ascending.take(places.tolist())

    def whole(self) -> FrozenColumn:
        """All entries in memory."""
        pieces = [self.read(part) for part in range(len(self.ends))]
        return type(pieces[0]).concatenate(pieces) if pieces else FrozenColumn()

    def candidates(self, text: str) -> list[int]:
        """Positions of the entries whose stored form contains a text; all positions if that is unknown."""
        if text not in self._candidates:
            every = range(len(self))
            self._candidates[text] = list(every if self._containing is None else self._containing(text))
        return self._candidates[text]

    def _start(self, part: int) -> int:
        return self.ends[part - 1] if part else 0


class PartedReasons(Mapping[int, str]):
    """Item position -> its reason, read from a column of texts that is None for items without one."""

    def __init__(self, texts: PartedColumn) -> None:
        self._texts = texts
        self._known: dict[int, str] = {}

    def __getitem__(self, item: int) -> str:
        if item not in self._known:
            text = self._texts[item] if 0 <= item < len(self._texts) else None
            if text is None:
                raise KeyError(item)
            if len(self._known) == _KNOWN:
                self._known.clear()
            self._known[item] = intern(str(text))
        return self._known[item]

    def at(self, items: Sequence[int]) -> list[str]:
        """The reasons of some items, empty for those without one; a part is read once."""
        unknown = [item for item in items if item not in self._known]
        if len(self._known) + len(unknown) > _KNOWN:
            self._known.clear()
            unknown = list(items)
        texts = zip(unknown, self._texts.take(unknown) if unknown else (), strict=True)
        self._known.update((item, intern(str(text))) for item, text in texts if text is not None)
        return [self._known.get(item, "") for item in items]

    def taken(self, positions: Int64s) -> dict[int, str]:
        """The reasons of the items at some positions, by their places among these."""
        texts = self._texts.take(positions)
        return {place: text for place, text in enumerate(texts) if text is not None}

    def __iter__(self) -> Iterator[int]:
        return (item for item, text in enumerate(self._texts) if text is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return any(True for _ in self)


def reasons_at(reasons: Mapping[int, str], items: Sequence[int]) -> list[str]:
    """The reasons of some items, empty for those without one."""
    if isinstance(reasons, PartedReasons):
        return reasons.at(items)
    return [reasons.get(item, "") for item in items]
