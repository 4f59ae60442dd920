"""Slots: how many calls may be in flight, first come, first served."""

import asyncio
from collections import deque


class Slot:
    """One slot, held until it is released; releasing it again does nothing."""

    def __init__(self, slots: "Slots") -> None:
        self._slots: Slots | None = slots

    def release(self) -> None:
        """Give the slot back: the one who waits longest has it next."""
        slots, self._slots = self._slots, None
        if slots is not None:
            slots.give_back()


class Slots:
    """A semaphore whose size may change while it is used.

    Args:
        limit: how many may hold a slot at once.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.busy = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def acquire(self) -> Slot:
        """Wait for a slot."""
        if self.busy < self.limit and not self._waiting:
            self.busy += 1
            return Slot(self)
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the slot was handed over in the same moment
                self.give_back()
            elif turn in self._waiting:
                self._waiting.remove(turn)
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
            turn = self._waiting.popleft()
            if not turn.done():
                self.busy += 1
                turn.set_result(None)
