"""A worker's leases for one endpoint."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from thresher.judges.engine.account import expected_tokens
from thresher.judges.engine.gate.gate import MOST_ASKS
from thresher.judges.engine.gate.messages import GateLostError, Lease
from thresher.judges.flow import Answer, Ask

_SLICE = 1.0
"""Longest sleep in seconds before a lease begins: a worker that waits for its turn notices a lost gate."""
_WEIGHT = 0.1
"""Weight of the last ask in the mean of tokens for which a lease is taken."""


class _Reporter(Protocol):
    """What a lane needs of its worker."""

    lost: str

    async def report(self, **wishes: Any) -> Lease:
        """Call the gate once."""


class Lane:
    """Requests and tokens that this worker may send to one endpoint, and until when.

    Args:
        key: digest of the endpoint.
        member: calls the gate.

    Attributes:
        resize: called with the calls that this worker may have in flight.
    """

    def __init__(self, key: str, member: _Reporter) -> None:
        self.resize: Callable[[int], None] = lambda _: None
        self._key = key
        self._member = member
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._size = 1
        self._mean = 0.0
        self._asks = 0
        self._tokens = 0.0
        self._begin = self._end = 0.0
        self._returned_asks = 0
        self._returned_tokens = 0.0

    async def pace(self, ask: Ask[Any]) -> int:
        """Wait until a lease covers the ask; return the tokens reserved for it.

        Returns early if the gate is gone: the circuits are open then.
        """
        expected = sum(expected_tokens(ask))
        self._mean += _WEIGHT * (expected - self._mean)
        self._waiting += 1
        try:
            async with self._turn:
                while not self._covers(expected) and not self._member.lost:
                    await self._renew(expected)
        finally:
            self._waiting -= 1
        if self._member.lost:
            return 0
        self._asks -= 1
        self._tokens -= expected
        return expected

    def settle(self, expected: int, answer: Answer) -> None:
        """Return the difference to the number of tokens that the provider reports, if any."""
        used = answer.prompt_tokens + answer.completion_tokens
        if used:
            self._returned_tokens += expected - used

    def forget(self) -> None:
        """Drop the lease without returning it: its gate is gone."""
        self._asks, self._tokens, self._end = 0, 0.0, 0.0

    def _covers(self, expected: int) -> bool:
        now = asyncio.get_running_loop().time()
        return self._asks > 0 and self._tokens >= expected and self._begin <= now < self._end

    async def _renew(self, expected: int) -> None:
        """Take a new lease, and wait until it begins."""
        loop = asyncio.get_running_loop()
        self._size = self._next_size(loop.time())
        self._give_back()
        asked = loop.time()
        try:
            lease = await self._member.report(
                endpoint=self._key,
                asks=self._size,
                tokens=self._size * max(self._mean, expected),
                returned_asks=self._returned_asks,
                returned_tokens=self._returned_tokens,
            )
        except GateLostError:
            return
        self._asks, self._tokens = lease.asks, max(lease.tokens, float(expected))
        self._begin, self._end = loop.time() + lease.wait, asked + lease.wait + lease.life
        while loop.time() < self._begin and not self._member.lost and self._end:  # noqa: ASYNC110  (in slices)
            await asyncio.sleep(min(_SLICE, self._begin - loop.time()))

    def _next_size(self, now: float) -> int:
        """Asks of the next lease: more if the last one was too small, fewer if it ended with a rest."""
        unused = self._asks if now >= self._end else 0
        size = self._size - unused + 1 if unused else 2 * self._size
        return min(MOST_ASKS, max(size, self._waiting))

    def _give_back(self) -> None:
        self._returned_asks += self._asks
        self._returned_tokens += self._tokens
        self._asks, self._tokens = 0, 0.0
