"""Ragged statistics: a varying number of entries per item."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError

Array = npt.NDArray[Any]
Int64s = npt.NDArray[np.int64]


class Ragged(Mapping[str, Array]):
    """Parallel columns over the entries of all items, and where each item's entries start. Immutable.

    Args:
        lengths: number of entries of each item.
        columns: name -> one value (or row of values) per entry, item after item.

    Raises:
        InputError: if a column's length is not the sum of the lengths.

    >>> boxes = Ragged([2, 0, 1], {"score": [0.9, 0.5, 0.7]})
    >>> boxes["score"].tolist(), boxes.owners.tolist(), boxes.take([2, 0])["score"].tolist()
    ([0.9, 0.5, 0.7], [0, 0, 2], [0.7, 0.9, 0.5])
    """

    __slots__ = ("_columns", "_one_each", "offsets")

    def __init__(self, lengths: npt.ArrayLike, columns: Mapping[str, npt.ArrayLike]) -> None:
        self._one_each = bool((np.asarray(lengths) == 1).all())  # as of labels; a million need no sums then
        offsets = np.arange(np.size(lengths) + 1, dtype=np.int64)
        if not self._one_each:
            np.cumsum(lengths, out=offsets[1:])
        offsets.flags.writeable = False
        self.offsets: Int64s = offsets
        self._columns = MappingProxyType({name: frozen(values) for name, values in columns.items()})
        for name, array in self._columns.items():
            if len(array) != offsets[-1]:
                raise InputError(
                    f"column {name} has {counted(len(array), 'entry', 'entries')} where the items have "
                    f"{offsets[-1]}"
                )

    def __getitem__(self, name: str) -> Array:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return (
            f"Ragged({', '.join(self)}; {counted(self.entries, 'entry', 'entries')} of "
            f"{counted(self.size, 'item')})"
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[Int64s, dict[str, Array]]]:
        return type(self), (self.lengths, dict(self._columns))

    @property
    def size(self) -> int:
        """Number of items."""
        return len(self.offsets) - 1

    @property
    def entries(self) -> int:
        """Number of entries of all items."""
        return int(self.offsets[-1])

    @property
    def lengths(self) -> Int64s:
        """Number of entries of each item."""
        return np.ones(self.size, np.int64) if self._one_each else np.diff(self.offsets)

    @property
    def owners(self) -> Int64s:
        """Position of each entry's item."""
        return self.per_entry(np.arange(self.size))

    def owners_of(self, entries: Int64s) -> Int64s:
        """Position of the item of some entries."""
        width = self.entries // max(self.size, 1)
        if width and (self.lengths == width).all():
            return entries // width
        return np.searchsorted(self.offsets, entries, "right") - 1

    def per_entry(self, values: npt.ArrayLike) -> Array:
        """One value per item, repeated for each of its entries."""
        if self._one_each:
            return np.asarray(values)
        return np.repeat(np.asarray(values), self.lengths, axis=0)

    def take(self, items: npt.ArrayLike) -> Self:
        """The entries of some items: a boolean mask or indices, in that order."""
        index = np.asarray(items)
        positions = np.flatnonzero(index) if index.dtype == np.bool_ else index.astype(np.int64)
        lengths = self.lengths[positions]
        entries = ranges(self.offsets[positions], lengths)
        return type(self)(lengths, {name: array[entries] for name, array in self.items()})

    def with_columns(self, columns: Mapping[str, npt.ArrayLike]) -> Self:
        """The same items with some columns replaced."""
        return type(self)(self.lengths, {**self, **columns})

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Join the entries of several shards, in the given order."""
        if len(parts) == 1:
            return parts[0]
        lengths = np.concatenate([part.lengths for part in parts])
        columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        for array in columns.values():
            array.flags.writeable = False  # no other reference exists, so that it need not be copied
        return cls(lengths, columns)


def ranges(starts: npt.ArrayLike, lengths: npt.ArrayLike) -> Int64s:
    """Concatenate `range(start, start + length)` for each pair.

    >>> ranges([5, 0], [2, 3]).tolist()
    [5, 6, 0, 1, 2]
    """
    counts = np.asarray(lengths, dtype=np.int64)
    before = np.cumsum(counts) - counts
    shifts = np.repeat(np.asarray(starts, dtype=np.int64) - before, counts)
    return np.asarray(np.arange(len(shifts)) + shifts, dtype=np.int64)


def frozen(values: npt.ArrayLike) -> Array:
    """A read-only array of numbers; copied unless it is one already.

    Raises:
        InputError: if the values are not numbers.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise InputError(f"expected numbers, not {array.dtype}")
    if not _immutable(array):
        array = array.copy()
        array.flags.writeable = False
    return array


def _immutable(array: Array) -> bool:
    """Whether neither the array nor any array that it is a view of is writeable."""
    while not array.flags.writeable:
        if array.base is None:
            return True
        if not isinstance(array.base, np.ndarray):
            return False
        array = array.base
    return False
