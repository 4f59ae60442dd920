"""The engine: one for the process."""

import asyncio
import atexit
import contextlib
import os
import weakref
from collections import deque
from collections.abc import Coroutine, Iterable
from concurrent.futures import Future
from typing import Any, TypeVar

from thresher.judges.engine.account import Account
from thresher.judges.engine.asker import Asker, Estimator
from thresher.judges.engine.generator import Generator
from thresher.judges.engine.identity import transport_of
from thresher.judges.engine.lane import Lane
from thresher.judges.engine.loop import BackgroundLoop
from thresher.judges.engine.session import Session
from thresher.judges.flow import Flow, Outcome, Walk
from thresher.results import Status

T = TypeVar("T")
_FLOWS_A_SLOT = 4
"""Flows under way for each slot: enough to keep all slots busy, and few enough for any data set."""
_AT_A_TIME = 4
_PAUSE = 0.004
"""Seconds between starting a few flows and the next: about what it takes to write their prompts."""


class Engine:
    """Walks flows on a background loop; lanes and adopted generators are shared by all who ask."""

    def __init__(self) -> None:
        self._loop = BackgroundLoop()
        self._lanes: dict[tuple[str, str], Lane] = {}
        self._shared: dict[str, Generator] = {}
        self._objects: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()

    def submit(self, flows: Iterable[Flow[T]], source: Any, session: Session) -> "Future[list[Outcome[T]]]":
        """Start walking flows; the future holds their outcomes, in order."""
        return self._loop.submit(self._walked(list(flows), source, session))

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

    async def _walked(self, flows: list[Flow[T]], source: Any, session: Session) -> list[Outcome[T]]:
        task: asyncio.Task[Any] = asyncio.current_task()  # type: ignore[assignment]  # one is running this
        session.walks.add(task)
        try:
            return await self._all(flows, source, session)
        finally:
            session.walks.discard(task)

    async def _all(self, flows: list[Flow[T]], source: Any, session: Session) -> list[Outcome[T]]:
        generator = self._adopted(source)
        if session.estimate is not None:
            asker: Asker | Estimator = Estimator(session, generator.identity, generator.model)
            workers = 1
        else:
            lane = self._lane(generator, session)
            asker = Asker(session, generator, lane)
            workers = _FLOWS_A_SLOT * lane.slots.limit
        outcomes: dict[int, Outcome[T]] = {}
        session.account.begun += len(flows)
        left = deque(enumerate(flows))
        walkers = (_work(left, asker, outcomes, session.account) for _ in range(workers) if left)
        await _together(walkers, gently=True)
        return [outcomes[place] for place in range(len(flows))]

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


async def _work(
    left: deque[tuple[int, Flow[T]]],
    asker: Asker | Estimator,
    outcomes: dict[int, Outcome[T]],
    account: Account,
) -> None:
    while left:
        place, flow = left.popleft()
        outcomes[place] = await _walk(flow, asker)
        account.ended += 1


async def _walk(flow: Flow[T], asker: Asker | Estimator) -> Outcome[T]:
    walk = Walk(flow)
    while walk.outcome is None:
        if len(walk.asks) == 1:
            walk.give([await asker.reply(walk.asks[0])])
        else:
            walk.give(await _together(asker.reply(ask) for ask in walk.asks))
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
