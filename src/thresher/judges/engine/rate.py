"""Rates: how much may be used in any minute."""

import asyncio
import time
from collections.abc import Callable


class Bucket:
    """A token bucket which never lets more than `per_minute` through in any sixty seconds.

    A tenth of it may be used at once; the rest flows in evenly. So whatever the moment at which a minute
    starts, what the bucket held and what flows in during that minute add up to the limit.

    Args:
        per_minute: the limit.
        clock: tells the seconds.
    """

    def __init__(self, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._capacity = min(max(1.0, per_minute / 10), per_minute)
        self._per_second = max(per_minute - self._capacity, per_minute / 2) / 60
        self._level = self._capacity
        self._then = clock()

    def wait(self, amount: float) -> float:
        """Take an amount, and tell how many seconds to wait before using it.

        The level may go below zero: then those who come later wait longer, in the order they came. An
        amount larger than the bucket passes when the bucket is full.
        """
        now = self._clock()
        self._level = min(self._capacity, self._level + (now - self._then) * self._per_second)
        self._then = now
        short = min(amount, self._capacity) - self._level
        self._level -= amount
        return max(0.0, short / self._per_second)

    def settle(self, reserved: float, used: float) -> None:
        """Correct a reservation once the true amount is known."""
        self._level = min(self._capacity, self._level + reserved - used)

    async def take(self, amount: float) -> None:
        """Take an amount, waiting until it may be used."""
        seconds = self.wait(amount)
        if seconds > 0:
            await asyncio.sleep(seconds)
