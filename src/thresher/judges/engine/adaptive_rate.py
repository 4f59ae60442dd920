"""Rate that follows the replies with HTTP 429, for processes that share a provider's limit without a gate."""

import asyncio
import time
from collections import deque
from collections.abc import Callable

_REMEMBERED = 64
"""Last requests from which the rate is measured when the first 429 arrives."""
_CALM = 1.0
"""Seconds between two decreases: the requests in flight at the first 429 get one as well."""
_FACTOR = 0.7
"""Factor of a decrease. With an increase of 5 % a second, four processes used .98 of a provider's limit and
1 % of their requests were refused in a simulation; 32 processes 1.00 and 4 %."""
_STEP, _SMALLEST_STEP = 0.05, 0.01
"""Increase a second: part of the share, or of the rate before the decrease; in requests a second at least."""
_SLOWEST = 0.02
"""Lowest rate in requests a second: one in fifty seconds still finds out that the limit is free again."""


class AdaptiveRate:
    """Additive increase, multiplicative decrease. It delays nothing until a request is refused.

    Args:
        share: highest rate in requests a second, from which no request is delayed; None if unknown.
        clock: returns seconds.

    Attributes:
        rate: requests a second; None while no request is delayed.
    """

    def __init__(self, share: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate: float | None = None
        self._share = share
        self._clock = clock
        self._sent: deque[float] = deque(maxlen=_REMEMBERED)
        self._next = self._decreased = self._grown = 0.0
        self._step = 0.0
        self._paused = 0.0

    def reserve(self) -> float:
        """Reserve one request; return the seconds to wait before it is sent."""
        now = self._clock()
        self._grow(now)
        start = max(now, self._next, self._paused)
        self._next = start + (1 / self.rate if self.rate else 0.0)
        self._sent.append(start)
        return start - now

    async def acquire(self) -> None:
        """Wait until one request may be sent, also through a pause that begins meanwhile."""
        while (seconds := self.reserve()) > 0:
            await asyncio.sleep(seconds)
            if self._paused <= self._clock():
                return

    def refuse(self, wait: float | None) -> None:
        """Record a reply with HTTP 429: decrease the rate, at most once a second.

        Args:
            wait: seconds that the server requests; no request is sent meanwhile.
        """
        now = self._clock()
        self._paused = max(self._paused, now + (wait or 0.0))
        if self.rate is not None and now < self._decreased + _CALM:
            return
        self._grow(now)
        before = self._measured(now) if self.rate is None else self.rate
        self._step = max(_SMALLEST_STEP, _STEP * (self._share or before))
        self.rate = max(_SLOWEST, _FACTOR * before)
        self._decreased, self._grown = now, max(now, self._paused)

    def _grow(self, now: float) -> None:
        if self.rate is not None:
            self.rate += self._step * max(0.0, now - self._grown)
            self._grown = max(now, self._grown)
            if self._share is not None and self.rate >= self._share:
                self.rate = None

    def _measured(self, now: float) -> float:
        """Requests a second of the last requests, over one second at least."""
        sent = [moment for moment in self._sent if moment <= now]
        return len(sent) / max(1.0, now - sent[0]) if sent else 1.0
