"""Slots: how many calls may be in flight; the lowest order goes first, equal orders in order of arrival."""

import asyncio
from heapq import heappop, heappush
from itertools import count


class Slot:
    """One slot, held until it is released; releasing it again does nothing."""

    def __init__(self, slots: "Slots") -> None:
        self._slots: Slots | None = slots

    def release(self) -> None:
        """Give the slot back: the waiter with the lowest order has it next."""
        slots, self._slots = self._slots, None
        if slots is not None:
            slots.give_back()


class Slots:
    """A semaphore with a priority queue, whose size may change while it is used.

    Args:
        limit: how many may hold a slot at once.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.busy = 0
        self._arrivals = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    async def acquire(self, order: int = 0) -> Slot:
        """Wait for a slot.

        Args:
            order: who goes first; lower is earlier.
        """
        if self.busy < self.limit and not self._waiting:
            self.busy += 1
            return Slot(self)
        turn = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (order, next(self._arrivals), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the slot was handed over in the same moment
                self.give_back()
            turn.cancel()  # `_hand_over` drops it when it comes to the front
            raise
        return Slot(self)

    def give_back(self) -> None:
        """One slot is free again; `Slot.release` is the way to say so."""
        self.busy -= 1
        self._hand_over()

    def resize(self, limit: int) -> None:
        """Change the size; calls in flight are not disturbed."""
        self.limit = limit
        self._hand_over()

    def _hand_over(self) -> None:
        while self._waiting and self.busy < self.limit:
            turn = heappop(self._waiting)[2]
            if not turn.done():
                self.busy += 1
                turn.set_result(None)
