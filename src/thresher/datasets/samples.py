"""Samples of items that depend on nothing but the ids."""

import heapq
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from operator import itemgetter
from typing import Any, Protocol, TypeVar

from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.results import FrozenColumn

_BLOCK = 10_000
"""Items that are read at a time."""
_KEY = b"thresher sample 1"
"""Keeps the order apart from that of other programs that sample by BLAKE2b."""


class Items(Protocol):
    """Items that are read by chunk, as a `Dataset` is."""

    @property
    def columns(self) -> Collection[str]:
        """Names of the columns."""

    def __len__(self) -> int: ...

    def slice(self, start: int, stop: int, /) -> Dataset:
        """The items `[start:stop]`."""


T = TypeVar("T", bound=Items)
_Row = tuple[bytes, int, str, tuple[Any, ...]]
"""Digest, position, id and entries of an item."""
_ABOVE_ALL = b"\xff" * 9
"""Comes after every digest of 8 bytes."""


def sample(items: T, size: int) -> T | Dataset:
    """Return the `size` items whose ids have the smallest keyed BLAKE2b digests, in the order of the data.

    Two data sets with the same ids give the same items, so runs of samples can be compared item by item; a
    smaller sample is part of a larger one. The items are read once, a block at a time: memory holds the
    sample and one block.

    Args:
        items: all items.
        size: how many to draw; if there are no more items, all are returned.

    Raises:
        InputError: for a size below one.
    """
    if type(size) is not int or size < 1:
        raise InputError(f"sample of {size!r} items: give a whole number of at least 1")
    if size >= len(items):
        return items
    rows: list[_Row] = []
    for start in range(0, len(items), _BLOCK):
        rows = heapq.nsmallest(
            size, [*rows, *_candidates(items.slice(start, start + _BLOCK), start, rows[size - 1 :])]
        )
    rows.sort(key=itemgetter(1))
    return replace(_dataset(rows, items), sampled_from=len(items))


def shuffled(items: Items) -> Dataset:
    """Return all items in memory, in the order of the same digests: whatever order they have, parts are random."""
    return _dataset(sorted(_candidates(items.slice(0, len(items)), 0, ())), items)


def _dataset(rows: Sequence[_Row], items: Items) -> Dataset:
    first = items.slice(0, 0)
    entries = zip(*(row[3] for row in rows), strict=True)
    columns = {name: FrozenColumn(column) for name, column in zip(first.columns, entries, strict=True)}
    return replace(first, ids=FrozenColumn(row[2] for row in rows), columns=columns)


def _candidates(block: Dataset, start: int, last: Sequence[_Row]) -> Iterator[_Row]:
    """Yield the rows of a block that come before the last row of a full sample."""
    bound = last[0][0] if last else _ABOVE_ALL
    columns = list(block.columns.values())
    for place, item in enumerate(block.ids):
        if (digest := blake2b(item.encode(errors="surrogatepass"), digest_size=8, key=_KEY).digest()) < bound:
            yield digest, start + place, item, tuple(column[place] for column in columns)
