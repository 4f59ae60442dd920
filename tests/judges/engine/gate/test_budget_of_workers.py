"""How much of a small budget the workers of a run use, and never more."""

import asyncio
import random

import pytest

from judges.engine.gate.simulation import ASKS, DirectMember, SimulatedLoop
from thresher.judges.engine.account import Account
from thresher.judges.engine.batch import Batch, BatchItem
from thresher.judges.engine.budget import Budget
from thresher.judges.engine.gate import Gate, GateLimits
from thresher.judges.flow import Unanswered

CHUNKS = 1000
"""More than any budget here can pay for."""


class Run:
    """Workers that take chunks of items from one list until one of them has used up the budget.

    Args:
        workers: how many.
        calls: the budget.
        size: items of a chunk.
        needs: calls of an item, chosen by chance.
        seed: of everything random.
    """

    def __init__(self, workers, calls, size, needs, seed):
        self.calls, self.size, self.needs = calls, size, needs
        self.random = random.Random(seed)  # noqa: S311  # a simulation
        self.sent, self.scored, self.ended = 0, 0, False
        self.chunks = iter(range(CHUNKS))
        loop = SimulatedLoop()
        try:
            loop.run_until_complete(self.all(workers, Gate(GateLimits(max_calls=calls), loop.time)))
        finally:
            loop.close()

    async def all(self, workers, gate):
        await asyncio.gather(*(self.worker(gate) for _ in range(workers)))

    async def worker(self, gate):
        await asyncio.sleep(self.random.choice([0, 0.01, 3]))
        account = Account(max_calls=self.calls)
        member = DirectMember(gate, account)
        budget = Budget(account, member.extend)
        for _ in self.chunks:
            if self.ended or account.spent:
                break
            batch = Batch()
            async with member.asking():
                await asyncio.gather(*(self.item(budget, batch, place) for place in range(self.size)))
            self.ended |= account.spent
        member.leave()
        self.sent += account.calls

    async def item(self, budget, batch, place):
        item = BatchItem(batch, place)
        item.flows = item.metrics = 1
        await asyncio.sleep(self.random.random() / 100)  # a look-up in the cache: they end in any order
        try:
            await budget.admit(item, ASKS[0], "mock")
            for _ in range(self.random.choice(self.needs)):
                reserved = await budget.pay(item, ASKS[0], "mock")
                await asyncio.sleep(self.random.lognormvariate(-1, 0.5))
                budget.settle(reserved)
            self.scored += 1
        except Unanswered:
            pass
        budget.leave(item)


@pytest.mark.parametrize(
    ("workers", "calls", "size"), [(4, 7, 2), (4, 7, 4), (2, 3, 1), (3, 20, 3), (8, 100, 10)]
)
def test_every_call_is_used_and_none_more(workers, calls, size):
    for seed in range(20):
        run = Run(workers, calls, size, [1], seed)
        assert (run.sent, run.scored) == (calls, calls), seed


@pytest.mark.parametrize(("workers", "calls"), [(4, 7), (3, 20), (8, 60)])
def test_what_remains_is_less_than_an_item_needs(workers, calls):
    for seed in range(20):
        run = Run(workers, calls, 3, [2], seed)
        assert calls - 1 <= run.sent <= calls, seed
        # Each worker begins its first item before it knows what items need.
        assert calls // 2 - workers <= run.scored <= calls // 2, seed
