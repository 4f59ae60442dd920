"""Rate bucket whose grants are used during a few seconds after they begin."""

import math

BEAT = 2.0
"""Seconds between two reports of a worker that asks: it learns that its gate is gone, and of lost judges."""
_QUIET = 1.25 * BEAT
"""Seconds for which a new bucket does not fill: workers may have leases of the gate before it, which they
drop with their next report."""
LIFE = 3.0
"""Seconds in which the requests of a lease may be sent. The inflow is lower by 63/60 for it, so that no 60
seconds hold more than the limit even if one lease is used late and the next one early: at most .857 of a
limit can be used. A longer life wastes more, a shorter one needs more leases."""


class LeaseBucket:
    """Token bucket for leases: no window of sixty seconds holds more than `per_minute`.

    A tenth of the limit may be used at once and the rest flows in evenly over a minute and the life of a
    lease. A new bucket is empty: the one before it may just have been emptied.

    Args:
        per_minute: the limit; None for none.
        begin: when its gate started.
    """

    def __init__(self, per_minute: float | None, begin: float) -> None:
        limit = math.inf if per_minute is None else per_minute
        self.capacity = math.inf if per_minute is None else min(max(1.0, limit / 10), limit)
        inflow = 0.0 if per_minute is None else max(limit - self.capacity, limit / 2)
        self._per_second = inflow / (60 + LIFE)
        self._level = 0.0
        self._updated = begin + _QUIET

    def ready(self, amount: float, now: float) -> float:
        """When an amount may be used; one above the capacity as soon as the bucket is full."""
        if math.isinf(self.capacity):
            return now
        start = max(now, self._updated)
        lacking = min(amount, self.capacity) - self._level_at(start)
        return start + max(0.0, lacking / self._per_second)

    def take(self, amount: float, start: float) -> None:
        """Use an amount from a moment on that `ready` returned, or later."""
        if not math.isinf(self.capacity):
            self._level = self._level_at(start) - amount
            self._updated = start

    def give_back(self, amount: float) -> None:
        """Return what was taken and not used; a negative amount was used in addition."""
        if not math.isinf(self.capacity):
            self._level = min(self.capacity, self._level + amount)

    def _level_at(self, moment: float) -> float:
        return min(self.capacity, self._level + (moment - self._updated) * self._per_second)
