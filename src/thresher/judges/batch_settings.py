"""Settings of batch APIs."""

import math
from dataclasses import dataclass
from pathlib import Path

from thresher.errors import InputError

WINDOW_HOURS = 24
"""Hours within which OpenAI and Anthropic answer a batch, or end it as expired."""


@dataclass(frozen=True)
class BatchSettings:
    """How asks are sent as batches, at the provider's lower price.

    Attributes:
        wait: whether to wait for the answers; False leaves them pending, and the same run collects them
            later.
        first_poll: seconds before the first check of a batch; later checks are further apart.
        last_poll: longest interval in seconds between checks.
        quiet: seconds without a new ask after which a round is submitted. The asks that metrics can make
            without further answers arrive within fractions of a second.
        max_lines: lines of one batch; OpenAI's limit by default, half of Anthropic's.
        max_bytes: bytes of one batch; OpenAI accepts 200 MB.
        max_tokens: prompt tokens that may be enqueued at once for one model; None for no limit of your own.
            The provider's limit need not be known: a batch that exceeds it is submitted again in parts.
        live_below: a later round of fewer asks, or of less than 2 % of the largest round, is sent live.
        journal: folder that records submitted batches; default: next to the file of the answer cache.

    Raises:
        InputError: if a number is not positive.
    """

    wait: bool = True
    first_poll: float = 10.0
    last_poll: float = 300.0
    quiet: float = 2.0
    max_lines: int = 50_000
    max_bytes: int = 190_000_000
    max_tokens: int | None = None
    live_below: int = 20
    journal: str | Path | None = None

    def __post_init__(self) -> None:
        for name in ("first_poll", "last_poll", "quiet", "max_lines", "max_bytes", "max_tokens"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise InputError(f"{name}={value!r} must be a positive number")
        if self.live_below < 0:
            raise InputError(f"live_below={self.live_below!r} must be 0 or more")

    def pause(self, polls: int) -> float:
        """Seconds before the next check of a batch, after so many checks.

        >>> settings = BatchSettings()
        >>> settings.pause(0), settings.pause(1), settings.pause(20)
        (10.0, 15.0, 300.0)
        """
        return float(min(self.first_poll * 1.5 ** min(polls, 50), max(self.first_poll, self.last_poll)))
