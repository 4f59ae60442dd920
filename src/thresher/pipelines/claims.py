"""The order in which a process computes the chunks of a folder that other processes share."""

import time
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Protocol

from thresher.pipelines.stored_parts import Stamp

_PAUSE = 20.0
"""Time between two listings of the folder, in times that a listing takes: a listing among 20,000 parts takes
49 ms, and one per chunk would take a quarter of an hour for all of them."""


class Shared(Protocol):
    """A run directory, or a store of answers."""

    def stamp(self, number: int, /) -> Stamp | None:
        """What a new commit changes."""

    def stamps(self) -> Mapping[int, Stamp]:
        """The same of all chunks that have been committed."""

    def taken(self) -> Container[int]:
        """The chunks that another process is probably computing."""


def claimable(store: Shared, numbers: Sequence[int]) -> Iterator[int]:
    """Yield the chunks or blocks to compute; those that another process has begun come last.

    Chunks that another process commits meanwhile are skipped. Other processes may hang, so this does not wait
    for them, and two processes may compute the same last chunk.

    Args:
        store: the shared folder.
        numbers: numbers of the chunks to compute.
    """
    stamps = store.stamps()
    postponed, listing = [], _Listing(store)
    for number in numbers:
        if store.stamp(number) == stamps.get(number):
            if number in listing.taken():
                postponed.append(number)
            else:
                yield number
    for number in postponed:
        if store.stamp(number) == stamps.get(number):
            yield number


class _Listing:
    """The chunks that other processes compute, listed anew when the last listing is old for its cost."""

    def __init__(self, store: Shared) -> None:
        self._store = store
        self._taken: Container[int] = ()
        self._next = 0.0

    def taken(self) -> Container[int]:
        start = time.monotonic()
        if start >= self._next:
            self._taken = self._store.taken()
            end = time.monotonic()
            self._next = end + _PAUSE * (end - start)
        return self._taken
