"""Budgets: start an item only if the rest of the budget suffices to finish it in all metrics."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from heapq import heappop, heappush
from itertools import count
from typing import Any

from thresher.judges.engine.account import Account
from thresher.judges.engine.batch import BatchItem
from thresher.judges.engine.gate.messages import GateLostError
from thresher.judges.flow import Ask

_CALLS = 4
"""Expected calls of a metric for an item until one item has ended. Most make one or two. Too low a number
starts items that a small budget cannot finish; too high a number only delays its first items."""
_CALLS_IN_BATCHES = 2
"""The same where asks are sent in batches. An item that starts too late costs a round of hours; the answers
of one that cannot be finished stay in the cache, for a run with a larger budget."""
_REMEMBERED = 50
"""Last items from which the need is estimated: enough for a 90 % quantile (five lie above it), and few enough
to follow data whose later items are longer."""
_HIGH = 0.9
"""Quantile of past needs that an item is expected to need: one item with five retries must not stop the run
while the budget suffices for several others."""

Extend = Callable[[float, float], Awaitable[bool]]


class Budget:
    """Admits items. Lives on the engine's loop.

    The need of an item is estimated from the last items that have ended, separately for each number of
    metrics. While earlier items, or others of its batch, are in progress, an item that lacks budget waits:
    they may need less than expected. (Look-ups in a cache may end in another order than that of the items.)

    Args:
        account: usage and limits.
        extend: asks the gate of the run for requests and money; returns False if the run's budget cannot
            cover them. None if the budget is this process's alone.
        batches: whether asks are sent in batches.
    """

    def __init__(self, account: Account, extend: Extend | None = None, *, batches: bool = False) -> None:
        self.account = account
        self._calls = _CALLS_IN_BATCHES if batches else _CALLS
        self._extend = extend
        self._extending: asyncio.Task[None] | None = None
        self._exhausted = False
        self._begun: set[BatchItem] = set()
        self._needed: dict[int, deque[tuple[float, float]]] = {}
        self._expected: dict[int, tuple[float, float]] = {}
        self._arrivals = count()
        self._waiting: list[tuple[int, int, BatchItem, asyncio.Future[bool]]] = []
        self._unsettled: list[asyncio.Future[None]] = []

    async def admit(self, item: BatchItem, ask: Ask[Any], model: str) -> None:
        """Wait until an item may be started; return at once if it has been.

        Raises:
            Unanswered: if the rest of the budget would not finish it.
        """
        if not self.account.limited or item.begun:
            return
        item.guess = self.account.guess(ask, model)
        admitted = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (item.order, next(self._arrivals), item, admitted))
        self._decide()
        if not await admitted:
            self.account.refuse_item()

    def begin_round(self, asks: Iterable[tuple[BatchItem, Ask[Any], str]]) -> None:
        """Begin the items of a round of batches, in their order, while the budget suffices to finish them.

        One pass over the round, where `admit` would compute the needs of all begun items for each of them.
        An item that is neither begun nor refused afterwards waits: items in progress may need less than
        expected.

        Args:
            asks: item, ask and model of each line.
        """
        if not self.account.limited:
            return
        waits, first = bool(self._begun), not self._needed and not self._begun
        calls, money = self.account.left()
        for other in self._begun:
            expected = self._forecast(other)
            calls -= max(expected[0] - other.calls, 0)
            money -= max(expected[1] - other.cost, 0.0)
        for item, ask, model in asks:
            if item.begun or item.batch.refused:
                continue
            item.guess = self.account.guess(ask, model, batch=True)
            expected = self._forecast(item)
            if first or (expected[0] <= calls and expected[1] + item.guess <= money):
                calls, money, first = calls - expected[0], money - expected[1], False
                item.begun = waits = True
                self._begun.add(item)
            elif not waits:
                item.batch.refused = True

    def reserve(self, item: BatchItem, ask: Ask[Any], model: str) -> float | None:
        """Count a line that is about to be submitted; return the money reserved for it.

        None if only the estimated cost of lines in flight exceeds the budget: then it waits for their
        answers.

        Raises:
            Unanswered: if the line would exceed the budget.
        """
        if self.account.must_wait(ask, model, batch=True):
            return None
        reserved = self.account.admit(ask, model, batch=True)
        item.calls += 1
        return reserved

    async def pay(self, item: BatchItem, ask: Ask[Any], model: str) -> float:
        """Count a request that is about to be sent; return the money reserved for it.

        The cost of requests in flight is usually overestimated. If only that exceeds the budget, wait for
        their answers.

        Raises:
            Unanswered: if the request would exceed the budget.
            GateLostError: if the gate of the run is gone.
        """
        while max(self.account.lacking(ask, model)) > 0:
            if self._extend is not None:
                self.account.give_back()  # less than one request's money, which other workers may lack
                calls, money = self.account.lacking(ask, model)
                if await self._extend(max(calls, 0.0), max(money, 0.0)):
                    continue
            if not self.account.must_wait(ask, model):
                break
            settled = asyncio.get_running_loop().create_future()
            self._unsettled.append(settled)
            await settled
        reserved = self.account.admit(ask, model)
        item.calls += 1
        return reserved

    def settle(self, reserved: float) -> None:
        """Release the money reserved for a request that has ended."""
        self.account.settle(reserved)
        settled, self._unsettled = self._unsettled, []
        for future in settled:
            if not future.done():
                future.set_result(None)

    def leave(self, item: BatchItem) -> None:
        """Record that one metric's flow of an item has ended."""
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
        self._exhausted = False
        self._decide()

    def _decide(self) -> None:
        """Admit or refuse waiting items in their order, until one must wait longer."""
        while self._waiting:
            _, _, item, admitted = self._waiting[0]
            if not (admitted.done() or item.begun or item.batch.refused):
                if self._fits(item):
                    item.begun = True
                    self._begun.add(item)
                elif self._extend is not None and not self._exhausted:
                    self._start_extending(item)
                    return
                elif any(other.order < item.order or other.batch is item.batch for other in self._begun):
                    return
                else:
                    item.batch.refused = True
            heappop(self._waiting)
            if not admitted.done():
                admitted.set_result(item.begun)

    def _fits(self, item: BatchItem) -> bool:
        """Whether the budget covers the items in progress and one more."""
        return all(lacking <= 0 for lacking in self._lacking(item))

    def _lacking(self, item: BatchItem) -> tuple[float, float]:
        """Requests and money that are lacking to start one more item; the first item needs one call."""
        calls, money = self.account.left()
        if not self._needed and not self._begun:
            return 1 - calls, 0.0
        for other in self._begun:
            expected = self._forecast(other)
            calls -= max(expected[0] - other.calls, 1)
            money -= max(expected[1] - other.cost, 0.0)
        expected = self._forecast(item)
        return expected[0] - calls, expected[1] + item.guess - money

    def _start_extending(self, item: BatchItem) -> None:
        """Ask the gate for what is lacking; meanwhile no later item is started."""
        if self._extending is None:
            if not self._begun:  # other workers may need what is left over from items that needed less
                self.account.give_back()
            calls, money = self._lacking(item)
            self._extending = asyncio.create_task(self._ask_gate(max(calls, 0.0), max(money, 0.0)))

    async def _ask_gate(self, calls: float, money: float) -> None:
        granted = False
        with suppress(GateLostError):  # then the item is admitted, and no request of it is sent
            granted = self._extend is not None and await self._extend(calls, money)
        self._extending = None
        self._exhausted = not granted
        self._decide()

    def _forecast(self, item: BatchItem) -> tuple[float, float]:
        """Total requests and money that an item is expected to need."""
        calls = self._calls * item.metrics
        return self._expected.get(item.metrics, (calls, calls * item.guess))


def _high(values: Sequence[float]) -> float:
    return sorted(values)[int(_HIGH * (len(values) - 1))]
