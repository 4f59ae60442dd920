"""Answering one ask: from the cache, from an equal ask in flight, or by requests with retries."""

import asyncio
import hashlib
import time
from dataclasses import dataclass, replace
from typing import Any

from thresher.errors import InputError
from thresher.judges.engine.background import run_in_thread
from thresher.judges.engine.batch import BatchItem
from thresher.judges.engine.breaker import Breaker
from thresher.judges.engine.endpoint_limits import EndpointLimits, SendPermit, Slot
from thresher.judges.engine.gate.lane import Lane
from thresher.judges.engine.gate.messages import GateLostError
from thresher.judges.engine.generator import Generator
from thresher.judges.engine.session_state import SessionState
from thresher.judges.engine.transport import TOO_MANY, Trouble, backoff, longest, trouble
from thresher.judges.flow import Answer, Ask, Reply, Unanswered
from thresher.judges.settings import TIMEOUT
from thresher.results import Status

_MOST_ON_LOOP = 50_000
"""Characters of data searched on the event loop, in 0.2 s at worst. Longer data are searched in a thread, so
that 10 MB of planted verdicts delay no other request and no lease."""


class Client:
    """Answers the asks of one metric's run. Lives on the engine's loop.

    Args:
        session: limits, answer cache and account.
        generator: the judge.
        endpoint: slots and rates of the judge's endpoint.
        breaker: the judge's circuit breaker.
        lane: leases of the run's gate, instead of the endpoint's rates.
    """

    def __init__(
        self,
        session: SessionState,
        generator: Generator,
        endpoint: EndpointLimits,
        breaker: Breaker,
        lane: Lane | None = None,
    ) -> None:
        self._session = session
        self._generator = generator
        self._endpoint = endpoint
        self._breaker = breaker
        self._rates = endpoint if lane is None else lane
        self._reading = asyncio.Lock()
        self._timeout = session.limits.timeout or generator.timeout or TIMEOUT

    async def reply(self, ask: Ask[Any], item: BatchItem) -> Reply[Any]:
        """Return the reply to an ask; a failed one holds the reason.

        Args:
            ask: the question.
            item: the item that is judged.

        Raises:
            InputError: if the judge cannot be used at all.
        """
        key = self.key(ask)
        try:
            answer = await self._answer(key, ask, item)
        except Unanswered as end:
            return Reply.failed(ask, end.reason)
        if self._session.listener is not None:
            self._session.listener(ask, answer)
        return await self._read(ask, answer)

    async def _read(self, ask: Ask[Any], answer: Answer) -> Reply[Any]:
        """Read an answer: in a thread if the data are long, one at a time, as threads share one core here."""
        if ask.shown.size <= _MOST_ON_LOOP:
            return Reply.read(ask, answer)
        async with self._reading:
            reply: Reply[Any] = await run_in_thread(lambda: Reply.read(ask, answer), lambda: None)
        return reply

    def key(self, ask: Ask[Any]) -> str:
        """Cache key: generator, model and all parameters, messages, form, sample and options."""
        sampling = (ask.digest, ask.schema.form, str(ask.sample), *map(str, ask.options))
        return hashlib.sha256("\0".join((self._generator.identity, *sampling)).encode()).hexdigest()

    async def forget(self, replies: tuple[Reply[Any], ...]) -> None:
        """Drop unreadable answers from the cache, so that the next run asks again."""
        unread = [self.key(reply.ask) for reply in replies if reply.answer and reply.problem]
        await self._session.answers.forget(unread)

    async def _answer(self, key: str, ask: Ask[Any], item: BatchItem) -> Answer:
        session = self._session
        if self._generator.replays:
            session.account.note(f"no model was called: replies are replayed from {self._generator.model}")
            answer = await self._replay(ask)
            session.account.known += 1
            return replace(answer, cached=True)
        known = session.answers.get(key)
        if known is not None:
            session.account.known += 1
            return replace(known, cached=True)
        answer, joined = await session.flight.join(key, lambda: self._request(key, ask, item))
        if joined:
            session.account.known += 1
            return replace(answer, cached=True)
        return answer

    async def _replay(self, ask: Ask[Any]) -> Answer:
        """Return a recorded answer: no call, no cost, not cached."""
        try:
            return await self._generator.ask(ask, SendPermit())
        except LookupError as error:
            self._session.account.failures["the recording has no reply to the prompt"] += 1
            raise Unanswered(Status.FAILED, str(error)) from error

    async def _request(self, key: str, ask: Ask[Any], item: BatchItem) -> Answer:
        await self._generator.warm_up()
        self._session.account.check_price(self._generator.model)
        await self._admit(key, ask, item)
        tries, answer = _Tries(), None
        while answer is None:
            version = self._generator.version
            try:
                answer = await self._try_once(key, ask, item)
            except (InputError, Unanswered):
                raise
            except Exception as error:  # noqa: BLE001  (generators may raise anything; `_recover` decides)
                tries.fail()
                await self._recover(error, tries, version, item)
        if answer.cached:
            self._session.account.known += 1
            return answer
        answer = replace(answer, tries=tries.failures + 1)
        item.cost += self._session.account.received(ask, answer, self._generator.model)
        await self._session.answers.put(key, ask.prompt, answer)
        return answer

    async def _admit(self, key: str, ask: Ask[Any], item: BatchItem) -> None:
        """Wait until the budget admits the item, unless the answer has been cached meanwhile."""
        try:
            await self._session.budget.admit(item, ask, self._generator.model)
        except Unanswered:
            if self._session.answers.get(key) is None:
                raise

    async def _try_once(self, key: str, ask: Ask[Any], item: BatchItem) -> Answer:
        """Send one request, or return an answer (`cached`) that arrived since the ask was queued.

        While another process has the lease, wait without a slot, for at most twice the time-out.
        """
        answers, end = self._session.answers, time.monotonic() + 2 * self._timeout
        while True:
            place = await self._endpoint.ready.acquire(item.order)
            try:
                claim = await answers.claim(key, force=time.monotonic() >= end)
                if claim == "ask":
                    return await self._send(key, ask, item)
            finally:
                place.release()
            known = claim if claim != "wait" else await answers.arrival(key, end - time.monotonic())
            if known is not None:
                return replace(known, cached=True)

    async def _send(self, key: str, ask: Ask[Any], item: BatchItem) -> Answer:
        """Send a request under this process's lease; the time-out starts when it is sent."""
        terms = _Terms()
        try:
            async with asyncio.timeout(None) as clock:
                permit = SendPermit(lambda: self._begin(ask, item, terms, clock))
                answer = await self._generator.ask(ask, permit)
        except BaseException:
            self._session.answers.release(key)
            raise
        finally:
            if terms.reserved is not None:
                self._session.budget.settle(terms.reserved)
        self._breaker.answered(terms.sent)
        self._rates.settle(terms.expected, answer)
        return answer

    async def _begin(self, ask: Ask[Any], item: BatchItem, terms: "_Terms", clock: asyncio.Timeout) -> Slot:
        """Wait for a slot, the rates and the budget; then start the time-out."""
        slot = await self._endpoint.slots.acquire(item.order)
        try:
            self._endpoint.served = max(self._endpoint.served, item.order)
            self._check_breaker()
            terms.expected = await self._rates.pace(ask)
            self._check_breaker()  # it may have opened while this request waited for the rates
            terms.reserved = await self._session.budget.pay(item, ask, self._generator.model)
        except GateLostError:
            slot.release()
            self._check_breaker()
            raise
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

    async def _recover(self, error: Exception, tries: "_Tries", version: int, item: BatchItem) -> None:
        """Wait before the next try, or give up."""
        fault = self._trouble(error)
        self._session.account.failures[fault.cause] += 1
        self._slow_down(fault)
        adapted = self._generator.adapt(error, version)
        if adapted is not None:
            self._session.account.note(adapted and f"{self._generator.model}: {adapted}")
            return
        if fault.hopeless:
            self._breaker.reject(fault)
        elif not fault.passing or tries.failures >= self._session.limits.max_tries:
            if fault.passing:
                self._breaker.give_up(fault, tries.since, self._endpoint.slots.limit)
        else:
            await self._pause(fault, backoff(tries.failures, fault.wait), item)
            return
        after = f", after {tries.failures} tries" if tries.failures > 1 else ""
        raise Unanswered(Status.FAILED, f"{fault.text}{after}") from error

    def _slow_down(self, fault: Trouble) -> None:
        """Send fewer requests after HTTP 429 if other processes use the provider's limit as well."""
        if self._endpoint.adaptive is not None and fault.status == TOO_MANY and not fault.spent:
            self._endpoint.adaptive.refuse(longest(fault.wait))
            self._session.account.note(
                "HTTP 429: this shard sent fewer requests until the provider accepted them again"
            )

    async def _pause(self, fault: Trouble, seconds: float, item: BatchItem) -> None:
        """Wait before the next try; if no connection could be made, hold a slot meanwhile.

        A free slot would send the next ask to an address that does not listen, so all asks of a run would
        be tried while the first calls still wait.
        """
        if not fault.unreachable:
            await asyncio.sleep(seconds)
            return
        slot = await self._endpoint.slots.acquire(item.order)
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
    """Tokens expected and money reserved for a request (None until admitted), and when it was sent."""

    expected: int = 0
    reserved: float | None = None
    sent: float = 0.0


@dataclass
class _Tries:
    """Failures of an ask, and the time of the first on the event loop's clock."""

    failures: int = 0
    since: float = 0.0

    def fail(self) -> None:
        """Count one more failure."""
        self.failures += 1
        self.since = self.since or asyncio.get_running_loop().time()


class EstimatingClient:
    """Counts every ask and answers it with an imagined reply."""

    def __init__(self, session: SessionState, identity: str, model: str) -> None:
        if session.estimate is None:
            raise TypeError("the session estimates nothing")
        self._estimate = session.estimate
        self._identity = identity
        self._model = model

    async def reply(self, ask: Ask[Any], item: BatchItem | None) -> Reply[Any]:  # noqa: ARG002
        """Return an imagined reply."""
        imagined = ask.schema.imagine(ask.subject)
        key = f"{self._identity}\0{ask.digest}\0{ask.schema.form}\0{ask.sample}\0{ask.options}"
        self._estimate.add(key, self._model, ask.prompt, ask.text, imagined)
        return Reply.read(ask, Answer(imagined, model=self._model))

    async def forget(self, replies: tuple[Reply[Any], ...]) -> None:
        """Do nothing: imagined replies are not cached."""
