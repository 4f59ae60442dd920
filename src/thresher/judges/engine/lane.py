"""A lane: what the process may use of one model at one endpoint, whoever asks."""

from typing import Any

from thresher.judges.engine.account import expected_tokens
from thresher.judges.engine.rate import Bucket
from thresher.judges.engine.slots import Slots
from thresher.judges.flow import Answer, Ask
from thresher.judges.settings import Limits


class Lane:
    """Slots and rates, shared by every component that asks this model at this endpoint.

    Args:
        limits: what may be used.

    Attributes:
        slots: calls in flight.
        ready: these, and some that are made ready before a slot is free.
        served: the highest order that has had a slot; a new batch starts behind it, so none waits for ever.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.slots = Slots(limits.max_concurrency)
        self.ready = Slots(_with_spare(limits.max_concurrency))
        self.requests = _bucket(limits.requests_per_minute)
        self.tokens = _bucket(limits.tokens_per_minute)
        self.served = 0

    def set(self, limits: Limits, own_concurrency: int | None = None) -> None:
        """Change the limits; the ones set last hold for everybody.

        Args:
            limits: what may be used.
            own_concurrency: the most that the generator itself can take; None if it does not say.
        """
        self.slots.resize(min(limits.max_concurrency, own_concurrency or limits.max_concurrency))
        self.ready.resize(_with_spare(self.slots.limit))
        if limits.requests_per_minute != self.limits.requests_per_minute:
            self.requests = _bucket(limits.requests_per_minute)
        if limits.tokens_per_minute != self.limits.tokens_per_minute:
            self.tokens = _bucket(limits.tokens_per_minute)
        self.limits = limits

    async def pace(self, ask: Ask[Any]) -> int:
        """Wait until the rates allow the ask; returns the tokens that were set aside for it."""
        if self.requests is not None:
            await self.requests.take(1)
        if self.tokens is None:
            return 0
        expected = sum(expected_tokens(ask))
        await self.tokens.take(expected)
        return expected

    def settle(self, expected: int, answer: Answer) -> None:
        """Correct what was set aside, once the provider has told the tokens."""
        used = answer.prompt_tokens + answer.completion_tokens
        if self.tokens is not None and used:
            self.tokens.settle(expected, used)


def _bucket(per_minute: float | None) -> Bucket | None:
    return None if per_minute is None else Bucket(per_minute)


def _with_spare(slots: int) -> int:
    """Requests to have ready: so many that no slot waits for one; the first are sent before more are made."""
    return slots + max(1, slots // 4)
