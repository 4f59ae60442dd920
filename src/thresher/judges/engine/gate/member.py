"""A worker's side of the gate: its leases, its totals, and what it does when the gate is gone."""

import asyncio
import hashlib
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

from thresher.judges.engine.account import Account
from thresher.judges.engine.background import run_in_thread
from thresher.judges.engine.breaker import Breaker
from thresher.judges.engine.gate.bucket import BEAT
from thresher.judges.engine.gate.lane import Lane
from thresher.judges.engine.gate.messages import (
    Gatekeeper,
    GateLostError,
    JudgeState,
    Lease,
    LeaseRequest,
    Money,
    Usage,
)
from thresher.judges.settings import Limits
from thresher.results.reasons import not_asked

_AGAIN = 0.5
"""Seconds until a worker asks for budget again that other workers may give back."""


class GateMember:
    """One session's part in a run with a gate. Lives on the engine's loop.

    Args:
        gate: the gate, or a connection to it.
        account: usage of the session.

    Attributes:
        lost: why no request is sent any more: the gate is gone; empty otherwise.
        concurrency: calls that this worker may have in flight; None before the first lease.
    """

    def __init__(self, gate: Gatekeeper, account: Account) -> None:
        self.lost = ""
        self.concurrency: int | None = None
        self._gate = gate
        self._account = account
        self._worker = uuid.uuid4().hex
        self._epoch = ""
        self._ledger: dict[str, Usage] = {}
        self._lanes: dict[str, Lane] = {}
        self._breakers: dict[str, Breaker] = {}
        self._turn = asyncio.Lock()
        self._running = 0
        self._beat: asyncio.Task[None] | None = None
        if account.limited:
            account.allowed = (0.0, 0.0)

    def lane(self, endpoint: str, judge: str, breaker: Breaker, resize: Callable[[int], None]) -> Lane:
        """The leases for one endpoint.

        Args:
            endpoint: what identifies the model and its endpoint in all workers.
            judge: what identifies the judge, with its key, in all workers.
            breaker: the judge's circuit breaker in this session.
            resize: called with the calls that this worker may have in flight.
        """
        key = _digest(endpoint)
        self._breakers[_digest(judge)] = breaker
        lane = self._lanes.setdefault(key, Lane(key, self))
        lane.resize = resize
        if self.lost:
            breaker.silence(self.lost)
        return lane

    def own_limits(self, limits: Limits) -> Limits:
        """Limits of this worker alone: its part of the concurrency; the gate has the rates."""
        concurrency = min(limits.max_concurrency, self.concurrency or limits.max_concurrency)
        return replace(limits, max_concurrency=concurrency, requests_per_minute=None, tokens_per_minute=None)

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[None]:
        """Report every two seconds while a metric asks; give back the rest of the budget afterwards."""
        self._running += 1
        self._beat = self._beat or asyncio.create_task(self._beat_on())
        try:
            yield
        finally:
            self._running -= 1
            if not self._running:
                self._beat.cancel()
                self._beat = None
                self._account.give_back()
                with suppress(GateLostError):
                    await self.report()

    async def extend(self, calls: float, money: float) -> bool:
        """Ask for budget; if other workers may give some back, wait for a moment.

        Returns:
            False if the budget of the run cannot cover the need any more; otherwise the caller tries again.

        Raises:
            GateLostError: if the gate is gone.
        """
        lease = await self.report(need=Money(calls, money))
        if lease.allowance == Money() and not lease.spent:
            await asyncio.sleep(_AGAIN)
        return not lease.spent

    async def report(self, **wishes: Any) -> Lease:
        """Call the gate once, with this worker's totals.

        Args:
            wishes: fields of the request.

        Raises:
            GateLostError: if the gate is gone; all circuits of the session are open then.
        """
        async with self._turn:
            if self.lost:
                raise GateLostError(self.lost)
            try:
                lease = await self._call(wishes)
                if not lease.known:
                    for lane in self._lanes.values():
                        lane.forget()
                    lease = await self._call(wishes, self._ledger)
            except GateLostError as error:
                self._lose(str(error))
                raise
            self._apply(lease)
            return lease

    def leave(self) -> None:
        """Report the last totals from outside the loop, at the end of the session."""
        self._account.give_back()
        if not self.lost:
            with suppress(GateLostError):
                self._gate.lease(replace(self._request(), ledger=self._ledger))

    async def _call(self, wishes: Mapping[str, Any], ledger: Mapping[str, Usage] | None = None) -> Lease:
        request = replace(self._request(), **wishes, ledger=ledger)
        lease: Lease = await run_in_thread(lambda: self._gate.lease(request), lambda: None)
        return lease

    def _request(self) -> LeaseRequest:
        judges = {
            judge: JudgeState(breaker.answers, breaker.row, breaker.reason, breaker.rejected)
            for judge, breaker in self._breakers.items()
        }
        return LeaseRequest(self._worker, self._epoch, usage=self._usage(), judges=judges)

    def _usage(self) -> Usage:
        spent = Money(self._account.calls, self._account.cost or 0.0)
        return Usage(spent, spent if self._account.allowed is None else Money(*self._account.allowed))

    def _apply(self, lease: Lease) -> None:
        self._epoch = lease.epoch
        self._ledger = dict(lease.ledger) if lease.ledger is not None else self._ledger
        if self._account.allowed is not None:
            calls, cost = self._account.allowed
            self._account.allowed = (calls + lease.allowance.calls, cost + lease.allowance.cost)
        if lease.short and lease.allowance == Money():  # its items in progress ask again for what they need
            self._account.give_back()
        if lease.concurrency != self.concurrency:
            self.concurrency = lease.concurrency
            for lane in self._lanes.values():
                lane.resize(lease.concurrency)
        for judge, breaker in self._breakers.items():
            breaker.silence(lease.silent.get(judge, ""))

    def _lose(self, why: str) -> None:
        """Open all circuits: without the gate nobody counts what is spent."""
        self.lost = not_asked(why)
        self._account.allowed = None
        self._account.note(f"{why}: this worker sent no further request")
        for breaker in self._breakers.values():
            breaker.silence(self.lost)

    async def _beat_on(self) -> None:
        with suppress(GateLostError):
            while True:
                await asyncio.sleep(BEAT)
                await self.report()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
