"""Limits of one model at one endpoint: slots for concurrent calls, and rates of requests and tokens."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from heapq import heappop, heappush
from itertools import count
from typing import Any

from thresher.judges.engine.account import expected_tokens
from thresher.judges.engine.adaptive_concurrency import AdaptiveConcurrency
from thresher.judges.engine.adaptive_rate import AdaptiveRate
from thresher.judges.flow import Answer, Ask
from thresher.judges.settings import Limits


class RateLimiter:
    """Token bucket that never admits more than `per_minute` in any sixty seconds.

    A tenth of the limit may be used at once; the rest flows in evenly. So the initial level and the inflow of
    any minute add up to the limit, whenever that minute starts.

    Args:
        per_minute: the limit.
        clock: returns seconds.
    """

    def __init__(self, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._capacity = min(max(1.0, per_minute / 10), per_minute)
        self._per_second = max(per_minute - self._capacity, per_minute / 2) / 60
        self._level = self._capacity
        self._updated = clock()

    def reserve(self, amount: float) -> float:
        """Reserve an amount and return the seconds to wait before using it.

        The level may fall below zero: then later reservations wait longer, in order of arrival. An amount
        larger than the bucket passes as soon as the bucket is full.
        """
        now = self._clock()
        self._level = min(self._capacity, self._level + (now - self._updated) * self._per_second)
        self._updated = now
        deficit = min(amount, self._capacity) - self._level
        self._level -= amount
        return max(0.0, deficit / self._per_second)

    def settle(self, reserved: float, used: float) -> None:
        """Correct a reservation once the true amount is known."""
        self._level = min(self._capacity, self._level + reserved - used)

    async def acquire(self, amount: float) -> None:
        """Reserve an amount and wait until it may be used."""
        seconds = self.reserve(amount)
        if seconds > 0:
            await asyncio.sleep(seconds)


class Slot:
    """One slot, held until its first release."""

    def __init__(self, slots: "Slots") -> None:
        self._slots: Slots | None = slots

    def release(self) -> None:
        """Return the slot to the waiter with the lowest order."""
        slots, self._slots = self._slots, None
        if slots is not None:
            slots.return_slot()


class Slots:
    """Semaphore with a priority queue and a variable size: lowest order first, then order of arrival.

    Args:
        limit: maximum number of slots held at once.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.busy = 0
        self._arrivals = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    async def acquire(self, order: int = 0) -> Slot:
        """Wait for a slot; waiters with a lower order go first."""
        if self.busy < self.limit and not self._waiting:
            self.busy += 1
            return Slot(self)
        turn = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (order, next(self._arrivals), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the slot was handed over in the same moment
                self.return_slot()
            turn.cancel()  # `_hand_over` drops it when it comes to the front
            raise
        return Slot(self)

    def return_slot(self) -> None:
        """Free one slot; call `Slot.release` instead."""
        self.busy -= 1
        self._hand_over()

    def resize(self, limit: int) -> None:
        """Change the size; slots already held are not affected."""
        self.limit = limit
        self._hand_over()

    def _hand_over(self) -> None:
        while self._waiting and self.busy < self.limit:
            turn = heappop(self._waiting)[2]
            if not turn.done():
                self.busy += 1
                turn.set_result(None)


class EndpointLimits:
    """Slots and rates of one model at one endpoint, shared by all components of the process that use it.

    Args:
        limits: the limits of the session.

    Attributes:
        slots: calls in flight.
        ready: calls in flight and calls prepared in advance, so that no slot waits for a request.
        concurrency: number of slots, which follows replies with HTTP 429.
        adaptive: rate that follows replies with HTTP 429; None if this process alone uses the limits.
        served: the highest order that has had a slot; a new batch starts after it, so none waits for ever.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.concurrency = AdaptiveConcurrency(limits.max_concurrency)
        self.slots = Slots(limits.max_concurrency)
        self.ready = Slots(_with_spare(limits.max_concurrency))
        self.requests = _limiter(limits.requests_per_minute)
        self.tokens = _limiter(limits.tokens_per_minute)
        self.adaptive: AdaptiveRate | None = None
        self.served = 0

    def update(self, limits: Limits, own_concurrency: int | None = None, *, adapt: bool = False) -> None:
        """Change the limits for all components; a rate that stays the same keeps its level.

        Args:
            limits: the limits of the session that starts now.
            own_concurrency: the most concurrent calls that the generator supports; None if unknown.
            adapt: whether to follow replies with HTTP 429, as other processes use the provider's limit.
        """
        rate = limits.requests_per_minute
        if adapt != (self.adaptive is not None) or rate != self.limits.requests_per_minute:
            self.adaptive = AdaptiveRate(rate and rate / 60) if adapt else None
        self.concurrency.resize(min(limits.max_concurrency, own_concurrency or limits.max_concurrency))
        self._resize_slots()
        if rate != self.limits.requests_per_minute:
            self.requests = _limiter(rate)
        if limits.tokens_per_minute != self.limits.tokens_per_minute:
            self.tokens = _limiter(limits.tokens_per_minute)
        self.limits = limits

    def accept(self) -> None:
        """Record an answer: after a decrease, the number of slots grows again."""
        self.concurrency.accept()
        self._resize_slots()

    def refuse(self, sent: float, now: float) -> None:
        """Record a reply with HTTP 429: decrease the number of slots.

        Args:
            sent: when the refused request was sent.
            now: the time, on the same clock.
        """
        self.concurrency.refuse(sent, now, self.slots.busy + 1)
        self._resize_slots()

    def _resize_slots(self) -> None:
        if self.slots.limit != self.concurrency.limit:
            self.slots.resize(self.concurrency.limit)
            self.ready.resize(_with_spare(self.slots.limit))

    async def pace(self, ask: Ask[Any]) -> int:
        """Wait until the rates admit the ask; return the tokens reserved for it."""
        if self.requests is not None:
            await self.requests.acquire(1)
        if self.adaptive is not None:
            await self.adaptive.acquire()
        if self.tokens is None:
            return 0
        expected = sum(expected_tokens(ask))
        await self.tokens.acquire(expected)
        return expected

    def settle(self, expected: int, answer: Answer) -> None:
        """Replace the reserved tokens by the number that the provider reports, if any."""
        used = answer.prompt_tokens + answer.completion_tokens
        if self.tokens is not None and used:
            self.tokens.settle(expected, used)


class SendPermit:
    """Permission to send one request, acquired right before sending and released after the reply's last byte.

    A request is built before its permit is acquired, so that a slot is never idle while one is built.

    Args:
        begin: waits until the request may be sent and returns its slot; None to send without waiting.

    Attributes:
        refusal: the exception that `begin` raised; some clients wrap exceptions raised while they send.
    """

    def __init__(self, begin: Callable[[], Awaitable[Slot]] | None = None) -> None:
        self._begin = begin
        self._slot: Slot | None = None
        self._since = time.perf_counter()
        self.refusal: BaseException | None = None

    async def acquire(self) -> None:
        """Wait for the slot; a redirected request has it already."""
        if self._begin is None or self._slot is not None:
            return
        try:
            self._slot = await self._begin()
        except BaseException as error:
            self.refusal = error
            raise
        self._since = time.perf_counter()

    def elapsed(self) -> float:
        """Seconds since the permit was acquired."""
        return time.perf_counter() - self._since

    def release(self) -> None:
        """Release the slot; further calls do nothing."""
        if self._slot is not None:
            self._slot.release()


def _limiter(per_minute: float | None) -> RateLimiter | None:
    return None if per_minute is None else RateLimiter(per_minute)


def _with_spare(slots: int) -> int:
    """Requests to prepare: enough that no slot waits, few enough that the first are sent early."""
    return slots + max(1, slots // 4)
