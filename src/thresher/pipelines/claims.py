"""The order in which a process computes the chunks of a folder that other processes share."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from thresher.pipelines.stored_parts import Stamp


class Shared(Protocol):
    """A run directory, or a store of answers."""

    def stamp(self, number: int, /) -> Stamp | None:
        """What a new commit changes."""

    def is_taken(self, number: int, /) -> bool:
        """Whether another process is probably computing it."""


def claimable(store: Shared, numbers: Sequence[int]) -> Iterator[int]:
    """Yield the chunks or blocks to compute; those that another process has begun come last.

    Chunks that another process commits meanwhile are skipped. Other processes may hang, so this does not wait
    for them, and two processes may compute the same last chunk.

    Args:
        store: the shared folder.
        numbers: numbers of the chunks to compute.
    """
    stamps = {number: store.stamp(number) for number in numbers}
    postponed = []
    for number in numbers:
        if store.stamp(number) == stamps[number]:
            if store.is_taken(number):
                postponed.append(number)
            else:
                yield number
    for number in postponed:
        if store.stamp(number) == stamps[number]:
            yield number
