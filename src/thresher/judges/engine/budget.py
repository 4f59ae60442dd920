"""Budgets: an item is begun only while the rest of the budget suffices to finish it in all metrics."""

import asyncio
from collections import deque
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Any

from thresher.judges.engine.account import Account
from thresher.judges.engine.batch import BatchItem
from thresher.judges.flow import Ask

_CALLS = 4
"""Calls that a metric is expected to make for an item until one has ended. Most make one or two. Expecting
too few begins items that a small budget cannot finish; too many only makes the first items of one wait."""
_REMEMBERED = 50
"""Items from which the need is learned: enough for a nine-of-ten quantile (five lie above it), and few
enough to follow data whose later items are longer."""
_HIGH = 0.9
"""An item is expected to need what nine of ten items needed: one that was asked again five times must not
stop the run while the budget would do for several others."""


class Budget:
    """Decides which items are begun. Lives on the engine's loop.

    What an item needs is learned from the last items that have ended, apart for each number of metrics.
    While items are under way that come first, a later one waits: they may need less than expected.

    Args:
        account: what was used, and what may be.
    """

    def __init__(self, account: Account) -> None:
        self.account = account
        self._begun: set[BatchItem] = set()
        self._needed: dict[int, deque[tuple[float, float]]] = {}
        self._expected: dict[int, tuple[float, float]] = {}
        self._arrivals = count()
        self._waiting: list[tuple[int, int, BatchItem, asyncio.Future[bool]]] = []
        self._unsettled: list[asyncio.Future[None]] = []

    async def admit(self, item: BatchItem, ask: Ask[Any], model: str) -> None:
        """Wait until an item may be begun; returns at once for one that is.

        Raises:
            Unanswered: if what is left would not finish it.
        """
        if not self.account.limited or item.begun:
            return
        item.guess = self.account.guess(ask, model)
        admitted = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (item.order, next(self._arrivals), item, admitted))
        self._decide()
        if not await admitted:
            self.account.refuse_item()

    async def pay(self, item: BatchItem, ask: Ask[Any], model: str) -> float:
        """Count a request that is about to be sent; returns the money set aside for it.

        What requests in flight cost is guessed, mostly too high. Where only that stands in the way, wait for
        their answers.

        Raises:
            Unanswered: if it would go beyond the budget.
        """
        while self.account.must_wait(ask, model):
            settled = asyncio.get_running_loop().create_future()
            self._unsettled.append(settled)
            await settled
        reserved = self.account.admit(ask, model)
        item.calls += 1
        return reserved

    def settle(self, reserved: float) -> None:
        """Return what was set aside for a request that has ended."""
        self.account.settle(reserved)
        settled, self._unsettled = self._unsettled, []
        for future in settled:
            if not future.done():
                future.set_result(None)

    def leave(self, item: BatchItem) -> None:
        """One metric's flow of an item has ended."""
        item.flows -= 1
        item.batch.under_way = True
        if item.flows:
            return
        if item.calls:
            known = self._needed.setdefault(item.metrics, deque(maxlen=_REMEMBERED))
            known.append((float(item.calls), item.cost))
            self._expected[item.metrics] = (
                _high([calls for calls, _ in known]),
                _high([cost for _, cost in known]),
            )
        item.begun = False
        self._begun.discard(item)
        self._decide()

    def _decide(self) -> None:
        """Admit or refuse those who wait, in their order, until one has to wait on."""
        while self._waiting:
            _, _, item, admitted = self._waiting[0]
            if not (admitted.done() or item.begun or item.batch.refused):
                if self._fits(item):
                    item.begun = True
                    self._begun.add(item)
                elif any(other.order < item.order for other in self._begun):
                    return
                else:
                    item.batch.refused = True
            heappop(self._waiting)
            if not admitted.done():
                admitted.set_result(item.begun)

    def _fits(self, item: BatchItem) -> bool:
        """Whether the rest suffices for one more item beside those begun; the very first is tried anyway."""
        calls, money = self.account.left()
        if not self._needed and not self._begun:
            return calls >= 1
        for other in self._begun:
            expected = self._forecast(other)
            calls -= max(expected[0] - other.calls, 1)
            money -= max(expected[1] - other.cost, 0.0)
        expected = self._forecast(item)
        return calls >= expected[0] and money >= expected[1] + item.guess

    def _forecast(self, item: BatchItem) -> tuple[float, float]:
        """Requests and money that an item will need in all."""
        calls = _CALLS * item.metrics
        return self._expected.get(item.metrics, (calls, calls * item.guess))


def _high(values: Sequence[float]) -> float:
    return sorted(values)[int(_HIGH * (len(values) - 1))]
