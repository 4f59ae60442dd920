"""The engine: one for the process."""

import asyncio
import atexit
import contextlib
import os
import weakref
from collections import deque
from collections.abc import Coroutine, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from thresher.judges.engine.asker import Asker, Estimator
from thresher.judges.engine.batch import Batch, Item
from thresher.judges.engine.generator import Generator
from thresher.judges.engine.identity import transport_of
from thresher.judges.engine.lane import Lane
from thresher.judges.engine.loop import BackgroundLoop
from thresher.judges.engine.session import Session
from thresher.judges.flow import Flow, Outcome, Walk
from thresher.results import Status

T = TypeVar("T")
_FLOWS_A_SLOT = 4
"""Flows under way for each slot: enough to keep all slots busy, and few enough for any data set.

420 calls of 60 items (first row of `benchmarks/judging.py --items 60`, a machine under load, medians):
5.7 s with one flow a slot, 5.2 s with four, 5.3 s with sixteen, which hold more texts in memory.
"""
_AT_A_TIME = 4
_PAUSE = 0.004
"""Seconds between starting a few flows and the next: about what it takes to write their prompts.

Without it the first request waits until the prompts of all are written: 6.2 s instead of 5.2 s in the same
runs.
"""


class Engine:
    """Walks flows on a background loop; lanes and adopted generators are shared by all who ask."""

    def __init__(self) -> None:
        self._loop = BackgroundLoop()
        self._lanes: dict[tuple[str, str], Lane] = {}
        self._shared: dict[str, Generator] = {}
        self._objects: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()

    def submit(
        self,
        flows: Iterable[Flow[T]],
        source: Any,
        session: Session,
        places: Sequence[int] | None = None,
        batch: Batch | None = None,
    ) -> "Future[list[Outcome[T]]]":
        """Start walking flows; the future holds their outcomes, in order.

        Args:
            flows: what to ask.
            source: who is asked.
            session: limits, answers and budget.
            places: for each flow the position of the item that it judges; in order from 0 by default.
            batch: the items that other metrics judge too; by default those that run side by side.
        """
        walked = list(flows)
        work = _Work(walked, range(len(walked)) if places is None else places, batch)
        return self._loop.submit(self._walked(work, source, session))

    def end(self, session: Session) -> None:
        """Cancel what is left of a session's flows and wait until none of them is under way.

        Where one metric cannot be judged at all, the pipeline ends while the flows of the others go on: they
        must neither ask for more nor use the answers of a session that is over.
        """
        if self._loop.runs:
            self._loop.submit(_ended(session)).result()

    def close(self) -> None:
        """Close clients and end the thread; asking again starts anew."""
        generators, self._shared, self._lanes = [*self._shared.values()], {}, {}
        if generators:
            closing = self._loop.submit(_closed(generators))
            try:
                closing.result(timeout=5)
            except TimeoutError:
                closing.cancel()
        self._loop.stop()

    async def _walked(self, work: "_Work[T]", source: Any, session: Session) -> list[Outcome[T]]:
        task: asyncio.Task[Any] = asyncio.current_task()  # type: ignore[assignment]  # one is running this
        session.walks.add(task)
        try:
            return await self._all(work, source, session)
        finally:
            session.walks.discard(task)

    async def _all(self, work: "_Work[T]", source: Any, session: Session) -> list[Outcome[T]]:
        generator = self._adopted(source)
        session.account.begun += len(work.flows)
        if session.estimate is not None:
            return await _estimated(work, Estimator(session, generator.identity, generator.model))
        lane = self._lane(generator, session)
        if len(session.walks) == 1:
            session.breakers.renew()
        batch = session.open_batch() if work.batch is None else work.batch
        items = await batch.join(work.places, lane.served + 1)
        walking = _Walking(work.flows, items, session)
        try:
            breaker = session.breakers.of(_judge(generator, source), session.account)
            asker = Asker(session, generator, lane, breaker)
            workers = min(_FLOWS_A_SLOT * lane.slots.limit, len(work.flows))
            await _together((walking.work(asker) for _ in range(workers)), gently=True)
        finally:
            walking.leave_all()
        return [walking.outcomes[place] for place in range(len(work.flows))]

    def _lane(self, generator: Generator, session: Session) -> Lane:
        key = (generator.endpoint, generator.model)
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = Lane(session.limits)
        lane.set(session.limits, generator.max_concurrency)
        return lane

    def _adopted(self, source: Any) -> Generator:
        """The generator as the engine uses it; equal ones that have a client share it."""
        fresh = Generator(source)
        if not fresh.keepable:
            with contextlib.suppress(TypeError):  # where it takes no weak reference, it is new each time
                fresh.identity = self._objects.setdefault(source, fresh.identity)
        if fresh.has_own_client:
            return self._shared.setdefault(fresh.identity + transport_of(source), fresh)
        return fresh


def _judge(generator: Generator, source: Any) -> str:
    """What a key, a model and an address have in common: where one request is rejected, all are."""
    if not generator.has_own_client:
        return generator.identity
    return "\0".join([generator.endpoint, generator.model, transport_of(source)])


@dataclass(frozen=True)
class _Work(Generic[T]):
    """The flows of one metric, the positions of their items, and the batch that these belong to."""

    flows: Sequence[Flow[T]]
    places: Sequence[int]
    batch: Batch | None


class _Walking(Generic[T]):
    """The flows of one metric under way."""

    def __init__(self, flows: Sequence[Flow[T]], items: Sequence[Item], session: Session) -> None:
        self._left = deque(sorted(enumerate(flows), key=lambda numbered: items[numbered[0]].order))
        self._items = dict(enumerate(items))
        self._session = session
        self.outcomes: dict[int, Outcome[T]] = {}

    async def work(self, asker: Asker) -> None:
        """Walk one flow after the other until none is left."""
        while self._left:
            place, flow = self._left.popleft()
            self.outcomes[place] = await _walk(flow, asker, self._items[place])
            self._session.budget.leave(self._items.pop(place))
            self._session.account.ended += 1

    def leave_all(self) -> None:
        """No item waits for flows that were cancelled."""
        while self._items:
            self._session.budget.leave(self._items.popitem()[1])


async def _estimated(work: _Work[T], estimator: Estimator) -> list[Outcome[T]]:
    return [await _walk(flow, estimator, None) for flow in work.flows]


async def _walk(flow: Flow[T], asker: Any, item: Item | None) -> Outcome[T]:
    walk = Walk(flow)
    while walk.outcome is None:
        if len(walk.asks) == 1:
            walk.give([await asker.reply(walk.asks[0], item)])
        else:
            walk.give(await _together(asker.reply(ask, item) for ask in walk.asks))
    if walk.outcome.status is Status.UNREADABLE:
        await asker.forget(walk.outcome.replies)
    return walk.outcome


async def _together(work: Iterable[Coroutine[Any, Any, T]], *, gently: bool = False) -> list[T]:
    """All results; if one raises, the others are cancelled first.

    Args:
        work: what to do.
        gently: start a few at a time: the first calls are on their way while the prompts of the last are
            still to be written.
    """
    tasks = []
    try:
        for place, coroutine in enumerate(work, 1):
            tasks.append(asyncio.create_task(coroutine))
            if gently and not place % _AT_A_TIME:
                await asyncio.sleep(_PAUSE)
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


async def _ended(session: Session) -> None:
    left = list(session.walks)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


async def _closed(generators: Iterable[Generator]) -> None:
    await asyncio.gather(*(generator.close() for generator in generators), return_exceptions=True)


_engine: Engine | None = None


def engine() -> Engine:
    """The process's engine, made when it is first needed."""
    global _engine  # noqa: PLW0603  (one for the process is the point)
    if _engine is None:
        _engine = Engine()
        atexit.register(_engine.close)
    return _engine


def end(session: Session) -> None:
    """Leave nothing of a session under way; costs nothing where nobody was asked."""
    if _engine is not None:
        _engine.end(session)


def _forget_after_fork() -> None:
    global _engine  # noqa: PLW0603  (threads do not survive a fork, so the child starts anew)
    _engine = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
