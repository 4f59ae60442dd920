"""Workers of a gate on an event loop whose time is simulated: hours of asking in seconds."""

import asyncio
import random
from bisect import bisect_left
from dataclasses import replace

from thresher.judges import Answer, Ask, Message, Prices, Texts
from thresher.judges.engine.account import Account, expected_tokens
from thresher.judges.engine.breaker import Breaker
from thresher.judges.engine.gate import Gate, GateLimits
from thresher.judges.engine.gate.member import GateMember

ASKS = [Ask("p", (Message("user", "What is claimed? " * size),), Texts("t")) for size in (10, 40, 80)]


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop that skips the time in which nothing happens."""

    def __init__(self):
        super().__init__()
        self._now = 1000.0

    def time(self):
        return self._now

    def _run_once(self):
        # Not the first one: the loop drops it if it is cancelled, and waits in real time for the next.
        moments = [timer._when for timer in self._scheduled if not timer._cancelled]
        if not self._ready and moments:
            self._now = max(self._now, min(moments))
        super()._run_once()


class DirectMember(GateMember):
    """A member that calls its gate without a thread, which would take real time."""

    async def _call(self, wishes, ledger=None):
        return self._gate.lease(replace(self._request(), **wishes, ledger=ledger))


class Replaceable:
    """A gate that can be killed: another one takes its place and knows nothing."""

    def __init__(self, limits, clock):
        self.limits, self.clock = limits, clock
        self.kill()

    def kill(self):
        self.gate = Gate(self.limits, self.clock)

    def lease(self, request):
        return self.gate.lease(request)


class Simulation:
    """Workers with slots that ask all the time.

    Args:
        limits: limits of the run.
        workers: how many.
        slots: concurrent asks of each.
        latency: mean seconds of an ask.
    """

    def __init__(self, limits, workers=3, slots=16, latency=1.0, seed=1):
        self.limits, self.workers, self.slots, self.latency = limits, workers, slots, latency
        self.random = random.Random(seed)  # noqa: S311  # a simulation
        self.sent, self.tokens, self.leases = [], [], 0
        self.members = []

    def run(self, seconds, events=()):
        """Simulate; `events` are (second, function of the simulation)."""
        loop = SimulatedLoop()
        try:
            loop.run_until_complete(self._all(loop, seconds, events))
        finally:
            loop.close()
        return self

    async def _all(self, loop, seconds, events):
        self.start = loop.time()
        self.keeper = Replaceable(self.limits, loop.time)
        tasks = [asyncio.create_task(self.worker()) for _ in range(self.workers)]
        self.tasks = tasks
        for second, event in events:
            await asyncio.sleep(self.start + second - loop.time())
            event(self)
        await asyncio.sleep(self.start + seconds - loop.time())
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        errors = [end for end in ends if isinstance(end, Exception)]
        if errors:
            raise errors[0]

    async def worker(self):
        account = Account(Prices.parse("in=1,out=1"))
        member = DirectMember(self, account)
        self.members.append(member)
        breaker = Breaker(account)
        async with member.asking():
            lane = member.lane("endpoint", "judge", breaker, lambda _: None)
            await asyncio.gather(*(self.ask(lane) for _ in range(self.slots)))

    def lease(self, request):
        self.leases += bool(request.asks)
        return self.keeper.lease(request)

    async def ask(self, lane):
        loop = asyncio.get_running_loop()
        while True:
            ask = self.random.choice(ASKS)
            expected = await lane.pace(ask)
            self.sent.append(loop.time() - self.start)
            self.tokens.append(expected)
            await asyncio.sleep(self.latency * self.random.lognormvariate(-0.125, 0.5))
            lane.settle(expected, Answer("", prompt_tokens=expected, completion_tokens=0))

    def most(self, amounts=None):
        """The most requests, or the highest sum of amounts, in any sixty seconds."""
        amounts = amounts or [1] * len(self.sent)
        sums = [0.0]
        for amount in amounts:
            sums.append(sums[-1] + amount)
        first = [bisect_left(self.sent, moment - 60 + 1e-9) for moment in self.sent]
        return max(sums[last + 1] - sums[start] for last, start in enumerate(first))

    def used(self, begin, end, amounts=None):
        """Requests, or amounts, a minute between two moments."""
        amounts = amounts or [1] * len(self.sent)
        chosen = (amount for moment, amount in zip(self.sent, amounts, strict=True) if begin <= moment < end)
        return sum(chosen) * 60 / (end - begin)


TOKENS = sum(sum(expected_tokens(ask)) for ask in ASKS) / len(ASKS)
__all__ = ["ASKS", "TOKENS", "GateLimits", "Simulation"]
