"""One ask's way: known, in flight, or asked; tried again while that can help."""

import asyncio
import hashlib
import time
from dataclasses import dataclass, replace
from typing import Any

from thresher.errors import InputError
from thresher.judges.engine.batch import Item
from thresher.judges.engine.breaker import Breaker
from thresher.judges.engine.generator import Generator
from thresher.judges.engine.lane import Lane
from thresher.judges.engine.session import Session
from thresher.judges.engine.slots import Slot
from thresher.judges.engine.transport import Trouble, backoff, trouble
from thresher.judges.engine.turn import Turn
from thresher.judges.flow import Answer, Ask, Reply, Unanswered
from thresher.judges.settings import TIMEOUT
from thresher.results import Status


class Asker:
    """Answers the asks of one component's run. Lives on the engine's loop.

    Args:
        session: limits, answers and account.
        generator: who is asked.
        lane: what may be used of it.
        breaker: whether it is asked at all.
    """

    def __init__(self, session: Session, generator: Generator, lane: Lane, breaker: Breaker) -> None:
        self._session = session
        self._generator = generator
        self._lane = lane
        self._breaker = breaker
        self._timeout = session.limits.timeout or generator.timeout or TIMEOUT

    async def reply(self, ask: Ask[Any], item: Item) -> Reply[Any]:
        """The reply to an ask; one that failed tells why.

        Args:
            ask: the question.
            item: on whose behalf it is asked.

        Raises:
            InputError: if the judge cannot be used at all.
        """
        key = self.key(ask)
        try:
            answer = await self._known_or_asked(key, ask, item)
        except Unanswered as end:
            return Reply.failed(ask, end.reason)
        if self._session.listener is not None:
            self._session.listener(ask, answer)
        return Reply.read(ask, answer)

    def key(self, ask: Ask[Any]) -> str:
        """What makes two asks equal: generator, model and all parameters, messages, form, sample, options."""
        whole = "\0".join(
            [self._generator.identity, ask.digest, ask.schema.form, str(ask.sample), *map(str, ask.options)]
        )
        return hashlib.sha256(whole.encode()).hexdigest()

    async def forget(self, replies: tuple[Reply[Any], ...]) -> None:
        """Drop answers that could not be read, so that the next run asks again; the others stay."""
        unread = [self.key(reply.ask) for reply in replies if reply.answer and reply.problem]
        await self._session.answers.forget(unread)

    async def _known_or_asked(self, key: str, ask: Ask[Any], item: Item) -> Answer:
        session = self._session
        if self._generator.replays:
            session.account.note(f"nobody was asked: replies are replayed from {self._generator.model}")
            answer = await self._replayed(ask)
            session.account.known += 1
            return replace(answer, cached=True)
        known = session.answers.get(key)
        if known is not None:
            session.account.known += 1
            return replace(known, cached=True)
        answer, joined = await session.flight.join(key, lambda: self._asked(key, ask, item))
        if joined:
            session.account.known += 1
            return replace(answer, cached=True)
        return answer

    async def _replayed(self, ask: Ask[Any]) -> Answer:
        """The answer of a judge that only repeats what was said before: no call, no cost, nothing to keep."""
        try:
            return await self._generator.ask(ask, Turn())
        except LookupError as error:
            self._session.account.failures["the recording has no reply to the prompt"] += 1
            raise Unanswered(Status.FAILED, str(error)) from error

    async def _asked(self, key: str, ask: Ask[Any], item: Item) -> Answer:
        await self._generator.warm_up()
        self._session.account.check_price(self._generator.model)
        await self._admit(key, ask, item)
        tries, answer = _Tries(), None
        while answer is None:
            version = self._generator.version
            try:
                answer = await self._tried(key, ask, item)
            except (InputError, Unanswered):
                raise
            except Exception as error:  # noqa: BLE001  (generators raise what they like; it is judged here)
                tries.fail()
                await self._recover(error, tries, version, item)
        if answer.cached:
            self._session.account.known += 1
            return answer
        answer = replace(answer, tries=tries.failures + 1)
        item.cost += self._session.account.received(ask, answer, self._generator.model)
        await self._session.answers.put(key, ask.prompt, answer)
        return answer

    async def _admit(self, key: str, ask: Ask[Any], item: Item) -> None:
        """Wait until the budget admits the item; an answer that has arrived meanwhile costs nothing."""
        try:
            await self._session.budget.admit(item, ask, self._generator.model)
        except Unanswered:
            if self._session.answers.get(key) is None:
                raise

    async def _tried(self, key: str, ask: Ask[Any], item: Item) -> Answer:
        """One request; or an answer that has arrived since the ask was queued, which is `cached`.

        While another process asks, this one waits without holding anything up, twice the time-out at most.
        """
        answers, end = self._session.answers, time.monotonic() + 2 * self._timeout
        while True:
            place = await self._lane.ready.acquire(item.order)
            try:
                claim = await answers.claim(key, force=time.monotonic() >= end)
                if claim == "ask":
                    return await self._sent(key, ask, item)
            finally:
                place.release()
            known = claim if claim != "wait" else await answers.arrival(key, end - time.monotonic())
            if known is not None:
                return replace(known, cached=True)

    async def _sent(self, key: str, ask: Ask[Any], item: Item) -> Answer:
        """Send a request that this process has leave for; waiting for its turn does not count as its time."""
        terms = _Terms()
        try:
            async with asyncio.timeout(None) as clock:
                answer = await self._generator.ask(ask, Turn(lambda: self._begun(ask, item, terms, clock)))
        except BaseException:
            self._session.answers.release(key)
            raise
        finally:
            if terms.reserved is not None:
                self._session.budget.settle(terms.reserved)
        self._breaker.answered(terms.sent)
        self._lane.settle(terms.expected, answer)
        return answer

    async def _begun(self, ask: Ask[Any], item: Item, terms: "_Terms", clock: asyncio.Timeout) -> Slot:
        """Wait for a slot, the rates and the budget; then the request's time runs."""
        slot = await self._lane.slots.acquire(item.order)
        try:
            self._lane.served = max(self._lane.served, item.order)
            self._check_breaker()
            terms.expected = await self._lane.pace(ask)
            self._check_breaker()  # others may have been rejected while this one waited for the rates
            terms.reserved = await self._session.budget.pay(item, ask, self._generator.model)
        except BaseException:
            slot.release()
            raise
        terms.sent = asyncio.get_running_loop().time()
        clock.reschedule(terms.sent + self._timeout)
        return slot

    def _check_breaker(self) -> None:
        """Fail fast: once the judge is lost, drop the requests that are still queued for it."""
        if self._breaker.refusal:
            self._breaker.drop()
            raise Unanswered(Status.FAILED, self._breaker.refusal)

    async def _recover(self, error: Exception, tries: "_Tries", version: int, item: Item) -> None:
        """Wait before the next try, or give up."""
        fault = self._trouble(error)
        self._session.account.failures[fault.cause] += 1
        adapted = self._generator.adapt(error, version)
        if adapted is not None:
            self._session.account.note(adapted and f"{self._generator.model}: {adapted}")
            return
        if fault.hopeless:
            self._breaker.reject(fault)
        elif not fault.passing or tries.failures >= self._session.limits.max_tries:
            if fault.passing:
                self._breaker.give_up(fault, tries.since, self._lane.slots.limit)
        else:
            await self._pause(fault, backoff(tries.failures, fault.wait), item)
            return
        after = f", after {tries.failures} tries" if tries.failures > 1 else ""
        raise Unanswered(Status.FAILED, f"{fault.text}{after}") from error

    async def _pause(self, fault: Trouble, seconds: float, item: Item) -> None:
        """Wait before the next try; in the slot, where no connection could be made.

        A slot that is free meanwhile would send the next ask to an address that does not listen: all asks of
        a run would be tried while the first ones still wait.
        """
        if not fault.unreachable:
            await asyncio.sleep(seconds)
            return
        slot = await self._lane.slots.acquire(item.order)
        try:
            self._check_breaker()
            await asyncio.sleep(seconds)
        finally:
            slot.release()

    def _trouble(self, error: Exception) -> Trouble:
        if isinstance(error, TimeoutError) and not str(error):
            return Trouble(f"no answer within {self._timeout:g} s", passing=True)
        return trouble(error)


@dataclass
class _Terms:
    """What was set aside for a request, and when it was sent; no money before it is admitted."""

    expected: int = 0
    reserved: float | None = None
    sent: float = 0.0


@dataclass
class _Tries:
    """How often an ask has failed, and since when, on the event loop's clock."""

    failures: int = 0
    since: float = 0.0

    def fail(self) -> None:
        """Count one more failure."""
        self.failures += 1
        self.since = self.since or asyncio.get_running_loop().time()


class Estimator:
    """Answers every ask with an imagined reply and counts it."""

    def __init__(self, session: Session, identity: str, model: str) -> None:
        if session.estimate is None:
            raise TypeError("the session estimates nothing")
        self._estimate = session.estimate
        self._identity = identity
        self._model = model

    async def reply(self, ask: Ask[Any], item: Item | None) -> Reply[Any]:  # noqa: ARG002
        """An imagined reply."""
        imagined = ask.schema.imagine(ask.subject)
        key = f"{self._identity}\0{ask.digest}\0{ask.schema.form}\0{ask.sample}\0{ask.options}"
        self._estimate.add(key, self._model, ask.prompt, ask.text, imagined)
        return Reply.read(ask, Answer(imagined, model=self._model))

    async def forget(self, replies: tuple[Reply[Any], ...]) -> None:
        """Nothing was kept."""
