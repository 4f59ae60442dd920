"""Which chunks of a shared folder to compute next, if other processes compute some of them."""

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
    """Yield the blocks or chunks of a store that is shared; those which another process has begun come last.

    What another process has committed meanwhile is skipped. It does not wait for other processes, which may
    hang, so two may compute the same block at the end.

    Args:
        store: what is shared.
        numbers: what is to be computed.
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
