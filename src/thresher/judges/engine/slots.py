"""Slots: how many calls may be in flight, first come, first served."""

import asyncio
from collections import deque


class Slots:
    """A semaphore whose size may change while it is used.

    Args:
        limit: how many may hold a slot at once.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.busy = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def acquire(self) -> None:
        """Wait for a slot."""
        if self.busy < self.limit and not self._waiting:
            self.busy += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the slot was handed over in the same moment
                self.release()
            else:
                self._waiting.remove(turn)
            raise

    def release(self) -> None:
        """Give a slot back: the one who waits longest has it next."""
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
