"""Concurrency that follows the replies with HTTP 429."""

_FACTOR = 0.5
"""Factor of a decrease."""
_STEP = 0.25
"""Slots that are added per answered round of calls, so four rounds add one slot.

Measured with 300 calls of 20 and 10 ms to a mock server that admits 100 requests a second (16 and 32 slots):
13 and 32 refused requests instead of 125 and 255 without a decrease, in about the same time. A factor of 0.7
and a whole slot per round: 76 and 102. A step of 0.1 is refused less, but needs 1,200 answers to grow from 1
to 16 slots."""


class AdaptiveConcurrency:
    """Additive increase, multiplicative decrease of the calls in flight, between 1 and a maximum.

    Args:
        most: highest number of calls in flight.

    Attributes:
        most: highest number of calls in flight.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._level = float(most)
        self._decreased = 0.0

    @property
    def limit(self) -> int:
        """Calls that may be in flight now."""
        return int(self._level)

    def resize(self, most: int) -> None:
        """Change the maximum; a concurrency that was not decreased follows it."""
        free = self._level >= self.most
        self.most = most
        self._level = float(most) if free else min(self._level, most)

    def accept(self) -> None:
        """Record an answer."""
        self._level = min(self.most, self._level + _STEP / self._level)

    def refuse(self, sent: float, now: float, in_flight: int) -> None:
        """Record a reply with HTTP 429: decrease, unless the request was sent before the last decrease.

        Args:
            sent: when the refused request was sent.
            now: the time, on the same clock.
            in_flight: calls in flight, the refused one included.
        """
        if sent >= self._decreased:
            self._level = max(1.0, _FACTOR * min(self._level, in_flight))
            self._decreased = now
