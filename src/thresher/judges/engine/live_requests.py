"""Live requests: slots, rates, time-out and retries of one ask."""

import asyncio
import time
from dataclasses import dataclass, replace
from typing import Any, Protocol

from thresher.errors import InputError
from thresher.judges.engine.batch import BatchItem
from thresher.judges.engine.breaker import Breaker
from thresher.judges.engine.endpoint_limits import EndpointLimits, SendPermit, Slot
from thresher.judges.engine.gate.lane import Lane
from thresher.judges.engine.gate.messages import GateLostError
from thresher.judges.engine.generator import Generator
from thresher.judges.engine.recovery import Recovery, Tries
from thresher.judges.engine.session_state import SessionState
from thresher.judges.engine.shared_prefixes import first_alone
from thresher.judges.engine.transport import TOO_MANY, Trouble, backoff, longest, trouble
from thresher.judges.flow import Answer, Ask, Unanswered
from thresher.judges.prompt_order import WARMED
from thresher.judges.settings import TIMEOUT


class Requests(Protocol):
    """The transport of asks: live, or in batches."""

    async def answer(self, key: str, ask: Ask[Any], item: BatchItem) -> Answer:
        """Return the answer to an ask that the cache lacks.

        Args:
            key: cache key of the ask.
            ask: the question.
            item: the item that is judged.

        Raises:
            Unanswered: if the ask gets no answer.
            InputError: if the judge cannot be used at all.
        """


class LiveRequests:
    """Sends each ask as a request of its own.

    Args:
        session: limits, answer cache and account.
        generator: the judge.
        endpoint: slots and rates of the judge's endpoint.
        breaker: the judge's circuit breaker.
        lane: leases of the run's gate, instead of the endpoint's rates.

    Attributes:
        breaker: the judge's circuit breaker.
        recovery: decides what follows a failed request.
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
        self.breaker = breaker
        self._rates = endpoint if lane is None else lane
        self._timeout = session.limits.timeout or generator.timeout or TIMEOUT
        self.recovery = Recovery(generator, session.account, session.limits, breaker)

    async def answer(self, key: str, ask: Ask[Any], item: BatchItem) -> Answer:
        """Return the answer to an ask, after as many tries as it takes.

        Raises:
            Unanswered: if the ask gets no answer.
            InputError: if the judge cannot be used at all.
        """
        await self._generator.warm_up()
        self._session.account.check_price(self._generator.model)
        warmed = self._session.prompt_order == WARMED and ask.prefix
        async with first_alone(item, f"{self._generator.identity}\0{ask.prefix}" if warmed else ""):
            return await self._answer(key, ask, item)

    async def _answer(self, key: str, ask: Ask[Any], item: BatchItem) -> Answer:
        await self._admit(key, ask, item)
        tries, answer = Tries(), None
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
        except BaseException as error:
            self._session.answers.release(key)
            if isinstance(error, Exception):
                self._slow_down(self._trouble(error), terms.sent)
            raise
        finally:
            if terms.reserved is not None:
                self._session.budget.settle(terms.reserved)
        self.breaker.answered(terms.sent)
        self._endpoint.accept()
        self._rates.settle(terms.expected, answer)
        return answer

    async def _begin(self, ask: Ask[Any], item: BatchItem, terms: "_Terms", clock: asyncio.Timeout) -> Slot:
        """Wait for a slot, the rates and the budget; then start the time-out."""
        slot = await self._endpoint.slots.acquire(item.order)
        try:
            self._endpoint.served = max(self._endpoint.served, item.order)
            self.recovery.check_breaker()
            terms.expected = await self._rates.pace(ask)
            self.recovery.check_breaker()  # it may have opened while this request waited for the rates
            terms.reserved = await self._session.budget.pay(item, ask, self._generator.model)
        except GateLostError:
            slot.release()
            self.recovery.check_breaker()
            raise
        except BaseException:
            slot.release()
            raise
        terms.sent = asyncio.get_running_loop().time()
        clock.reschedule(terms.sent + self._timeout)
        return slot

    async def _recover(self, error: Exception, tries: Tries, version: int, item: BatchItem) -> None:
        """Wait before the next try, or give up."""
        fault = self._trouble(error)
        if self.recovery.consider(fault, error, tries, version, self._endpoint.concurrency.most):
            await self._pause(fault, backoff(tries.failures, fault.wait), item)

    def _slow_down(self, fault: Trouble, sent: float) -> None:
        """Have fewer calls in flight after HTTP 429; a shard also sends fewer requests a second.

        Args:
            fault: why the request failed.
            sent: when it was sent.
        """
        if fault.status != TOO_MANY or fault.spent:
            return
        self._endpoint.refuse(sent, asyncio.get_running_loop().time())
        if self._endpoint.adaptive is not None:
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
            self.recovery.check_breaker()
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
