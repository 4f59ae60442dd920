"""Prompt tokens that a provider accepts at once in batches of one model."""

import asyncio
import math
import re

_LIMIT = re.compile(r"(?<![\d,])(\d[\d,]{0,15}+) enqueued tokens")
"""The limit in OpenAI's message."""
_MARGIN = 0.8
"""Share of the provider's limit that is used, as tokens are estimated from characters."""


class TokenRoom:
    """Prompt tokens of the batches in progress of one judge.

    Args:
        limit: prompt tokens that may be enqueued at once; None if unknown.

    Attributes:
        limit: the limit; infinite if unknown.
    """

    def __init__(self, limit: float | None) -> None:
        self.limit = math.inf if limit is None else float(limit)
        self._used = self._batches = 0
        self._changed = asyncio.Event()

    @property
    def alone(self) -> bool:
        """Whether a single batch is in progress."""
        return self._batches <= 1

    def fits(self, tokens: int) -> bool:
        """Whether another batch may be submitted; the first one always may."""
        return not self._batches or self._used + tokens <= self.limit

    async def acquire(self, tokens: int) -> None:
        """Wait until a batch may be submitted."""
        while not self.fits(tokens):
            self._changed.clear()
            await self._changed.wait()
        self.occupy(tokens)

    def occupy(self, tokens: int) -> None:
        """Count a batch that is already submitted."""
        self._used += tokens
        self._batches += 1

    def release(self, tokens: int) -> None:
        """Return the tokens of a batch that has ended."""
        self._used -= tokens
        self._batches -= 1
        self._changed.set()

    def exceeded(self, tokens: int, message: str) -> None:
        """Lower the limit after the provider refused a batch although no other one was in progress.

        Args:
            tokens: those of the refused batch.
            message: the provider's message, which may name its limit.
        """
        if not self.alone:
            return
        match = _LIMIT.search(message)
        stated = int(match[1].replace(",", "")) * _MARGIN if match else math.inf
        self.limit = max(1.0, min(self.limit, stated if stated < tokens else tokens / 2))
