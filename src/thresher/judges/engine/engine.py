"""The engine that runs flows; the process has a single engine."""

import asyncio
import atexit
import contextlib
import os
import weakref
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from thresher.judges.engine.background import BackgroundLoop
from thresher.judges.engine.batch import Batch, BatchItem
from thresher.judges.engine.batches.pending import PendingAnswer
from thresher.judges.engine.breaker import Breaker
from thresher.judges.engine.client import Client, Clients, EstimatingClient
from thresher.judges.engine.endpoint_limits import EndpointLimits
from thresher.judges.engine.gate.lane import Lane
from thresher.judges.engine.gathering import gather_all
from thresher.judges.engine.generator import Generator
from thresher.judges.engine.identity import transport_of
from thresher.judges.engine.session_state import SessionState
from thresher.judges.flow import Ask, Flow, Outcome, Reply
from thresher.judges.panels.judge_panel import judges_of
from thresher.judges.walks import Walk
from thresher.results import Status

T = TypeVar("T")
_FLOWS_A_SLOT = 4
"""Concurrent flows for each slot: enough to keep all slots busy, and few enough for any data set.

420 calls of 60 items (first row of `benchmarks/judging.py --items 60`, a machine under load, medians):
5.7 s with one flow a slot, 5.2 s with four, 5.3 s with sixteen, which hold more texts in memory.
"""


class Engine:
    """Runs flows on a background loop; all sessions share endpoint limits and adopted generators."""

    def __init__(self) -> None:
        self._loop = BackgroundLoop()
        self._endpoints: dict[tuple[str, str], EndpointLimits] = {}
        self._shared: dict[str, Generator] = {}
        self._objects: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()

    def submit(
        self,
        flows: Iterable[Flow[T]],
        source: Any,
        session: SessionState,
        places: Sequence[int] | None = None,
        batch: Batch | None = None,
    ) -> "Future[list[Outcome[T]]]":
        """Start flows; the future holds their outcomes, in order.

        Args:
            flows: the flows of one metric.
            source: the judge, a ChatGenerator; or a panel of judges.
            session: limits, answer cache and budget.
            places: for each flow the position of the item that it judges; 0, 1, 2 and so on by default.
            batch: the batch to join; default: the batch of the metrics that run concurrently.
        """
        flows = list(flows)
        work = _Work(flows, range(len(flows)) if places is None else places, batch)
        return self._loop.submit(self._run_tracked(work, source, session))

    def end(self, session: SessionState) -> None:
        """Cancel a session's running flows and wait until all have ended.

        If one metric cannot be judged at all, the pipeline ends while the flows of other metrics run: they
        must neither send requests nor use the answer cache of a session that is over.
        """
        if self._loop.runs:
            self._loop.submit(_cancel_walks(session)).result()

    def close(self) -> None:
        """Close clients and end the thread; a later `submit` starts anew."""
        generators, self._shared, self._endpoints = [*self._shared.values()], {}, {}
        if generators:
            closing = self._loop.submit(_close_all(generators))
            try:
                closing.result(timeout=5)
            except TimeoutError:
                closing.cancel()
        self._loop.stop()

    async def _run_tracked(self, work: "_Work[T]", source: Any, session: SessionState) -> list[Outcome[T]]:
        task: asyncio.Task[Any] = asyncio.current_task()  # type: ignore[assignment]  # one is running this
        session.walks.add(task)
        try:
            return await self._run(work, source, session)
        finally:
            session.walks.discard(task)

    async def _run(self, work: "_Work[T]", source: Any, session: SessionState) -> list[Outcome[T]]:
        judges = [(judge, self._adopt(judge)) for judge in judges_of(source)]
        session.account.begun += len(work.flows)
        if session.estimate is not None:
            estimating = Clients([EstimatingClient(session, made.identity, made.model) for _, made in judges])
            return [await _estimated(flow, estimating) for flow in work.flows]
        endpoints = [self._endpoint_limits(generator, session) for _, generator in judges]
        if len(session.walks) == 1:
            session.breakers.renew()
        batch = session.open_batch() if work.batch is None else work.batch
        items = await batch.join(work.places, max(endpoint.served for endpoint in endpoints) + 1)
        queue = _FlowQueue(work.flows, items, session)
        try:
            async with contextlib.AsyncExitStack() as stack:
                clients = [
                    await _client(session, generator, judge, endpoint, stack)
                    for (judge, generator), endpoint in zip(judges, endpoints, strict=True)
                ]
                workers = len(work.flows)
                if session.rounds is None:
                    most = max(endpoint.concurrency.most for endpoint in endpoints)
                    workers = min(workers, _FLOWS_A_SLOT * most)
                live = session.rounds is None
                asking = Clients(clients)
                await gather_all((queue.work(asking) for _ in range(workers)), gradually=live)
        finally:
            queue.leave_all()
        return [queue.outcomes[place] for place in range(len(work.flows))]

    def _endpoint_limits(self, generator: Generator, session: SessionState) -> EndpointLimits:
        key = (generator.endpoint, generator.model)
        endpoint = self._endpoints.get(key)
        if endpoint is None:
            endpoint = self._endpoints[key] = EndpointLimits(session.limits)
        limits = session.limits if session.gate is None else session.gate.own_limits(session.limits)
        endpoint.update(limits, generator.max_concurrency, adapt=session.shards > 1)
        return endpoint

    def _adopt(self, source: Any) -> Generator:
        """Wrap a generator for the engine; equal generators share a client if they have one."""
        fresh = Generator(source)
        if not fresh.keepable:
            with contextlib.suppress(TypeError):  # without weak references, it gets a new identity each time
                fresh.identity = self._objects.setdefault(source, fresh.identity)
        if fresh.has_own_client:
            return self._shared.setdefault(fresh.identity + transport_of(source), fresh)
        return fresh


async def _client(
    session: SessionState,
    generator: Generator,
    judge: Any,
    endpoint: EndpointLimits,
    stack: contextlib.AsyncExitStack,
) -> Client:
    """The client of one judge, until the stack is closed."""
    breaker = session.breakers.of(_judge(generator, judge), session.account)
    lane = await stack.enter_async_context(_leases(session, generator, judge, endpoint, breaker))
    return Client(session, generator, endpoint, breaker, lane)


@contextlib.asynccontextmanager
async def _leases(
    session: SessionState, generator: Generator, source: Any, endpoint: EndpointLimits, breaker: Breaker
) -> AsyncIterator[Lane | None]:
    """Report to the session's gate within the block; yield the lane of the endpoint, None without a gate."""
    gate = session.gate
    if gate is None:
        yield None
        return

    def resize(concurrency: int) -> None:
        limits = replace(endpoint.limits, max_concurrency=min(concurrency, session.limits.max_concurrency))
        endpoint.update(limits, generator.max_concurrency)

    address = f"{generator.endpoint}\0{generator.model}"
    judge = f"{address}\0{transport_of(source) if generator.has_own_client else ''}"
    async with gate.asking():
        yield gate.lane(address, judge, breaker, resize)


def _judge(generator: Generator, source: Any) -> str:
    """Key of a circuit breaker: requests that share API key, model and address are rejected together."""
    if not generator.has_own_client:
        return generator.identity
    return "\0".join([generator.endpoint, generator.model, transport_of(source)])


@dataclass(frozen=True)
class _Work(Generic[T]):
    """The flows of one metric, the positions of their items, and the batch to join."""

    flows: Sequence[Flow[T]]
    places: Sequence[int]
    batch: Batch | None


class _FlowQueue(Generic[T]):
    """Flows of one metric that have not been started, by the order of their items, and outcomes."""

    def __init__(self, flows: Sequence[Flow[T]], items: Sequence[BatchItem], session: SessionState) -> None:
        self._left = deque(sorted(enumerate(flows), key=lambda numbered: items[numbered[0]].order))
        self._items = dict(enumerate(items))
        self._session = session
        self.outcomes: dict[int, Outcome[T]] = {}

    async def work(self, client: Clients) -> None:
        """Run one flow after another until none is left."""
        while self._left:
            place, flow = self._left.popleft()
            self.outcomes[place] = await _walk(Walk(flow), client, self._items[place])
            self._session.budget.leave(self._items.pop(place))
            self._session.account.ended += 1

    def leave_all(self) -> None:
        """Release the items of cancelled flows."""
        while self._items:
            self._session.budget.leave(self._items.popitem()[1])


async def _estimated(flow: Flow[T], client: Clients) -> Outcome[T]:
    walk = Walk(flow)
    outcome = await _walk(walk, client, None)
    client.ended(walk.steps)
    return outcome


async def _walk(walk: Walk[T], client: Any, item: BatchItem | None) -> Outcome[T]:
    while walk.outcome is None:
        try:
            walk.give(await _replies(walk.asks, client, item))
        except PendingAnswer as pending:  # a flow must not continue with some of its replies
            return Outcome(None, Status.FAILED, str(pending))
    if walk.outcome.unread:
        await client.forget(walk.outcome.unread)
    return walk.outcome


async def _replies(asks: Sequence[Ask[Any]], client: Any, item: BatchItem | None) -> list[Reply[Any]]:
    if len(asks) == 1:
        return [await client.reply(asks[0], item)]
    return await gather_all(client.reply(ask, item) for ask in asks)


async def _cancel_walks(session: SessionState) -> None:
    walks = list(session.walks)
    for task in walks:
        task.cancel()
    await asyncio.gather(*walks, return_exceptions=True)
    if session.rounds is not None:
        await session.rounds.close()


async def _close_all(generators: Iterable[Generator]) -> None:
    await asyncio.gather(*(generator.close() for generator in generators), return_exceptions=True)


_engine: Engine | None = None


def engine() -> Engine:
    """The process's engine, created on first use."""
    global _engine  # noqa: PLW0603  (one for the process is the point)
    if _engine is None:
        _engine = Engine()
        atexit.register(_engine.close)
    return _engine


def end(session: SessionState) -> None:
    """End a session's running flows; does nothing if no flow was ever started."""
    if _engine is not None:
        _engine.end(session)


def _forget_after_fork() -> None:
    global _engine  # noqa: PLW0603  (threads do not survive a fork, so the child starts anew)
    _engine = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
