"""Answering one ask: from the cache, from an equal ask in flight, or by a request, live or in a batch."""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from thresher.errors import InputError
from thresher.judges.engine.background import run_in_thread
from thresher.judges.engine.batch import BatchItem
from thresher.judges.engine.batches.requests import BatchedRequests
from thresher.judges.engine.breaker import Breaker
from thresher.judges.engine.endpoint_limits import EndpointLimits, SendPermit
from thresher.judges.engine.gate.lane import Lane
from thresher.judges.engine.generator import Generator
from thresher.judges.engine.live_requests import LiveRequests, Requests
from thresher.judges.engine.session_state import SessionState
from thresher.judges.flow import Answer, Ask, Reply, Unanswered
from thresher.judges.prompt_order import INSTRUCTIONS_FIRST
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
        live = LiveRequests(session, generator, endpoint, breaker, lane)
        self._requests: Requests = live
        if session.rounds is not None:
            self._requests = BatchedRequests(session.rounds, session.answers, generator, live)
        self._reading = asyncio.Lock()

    async def reply(self, ask: Ask[Any], item: BatchItem) -> Reply[Any]:
        """Return the reply to an ask; a failed one holds the reason.

        Args:
            ask: the question.
            item: the item that is judged.

        Raises:
            InputError: if the judge cannot be used at all.
        """
        if self._session.prompt_order != INSTRUCTIONS_FIRST:
            ask = ask.contexts_first()
        ask = ask.with_detail(self._session.image_detail)
        if ask.images and not self._generator.reads_images:
            raise InputError(f"the judge {self._generator.model} cannot read images; choose one that can")
        reply = await self._reply(ask, item)
        raised = self._generator.with_raised_limit(ask) if reply.spent else None
        if raised is None:
            return reply
        more, change = raised
        self._session.account.note(f"{self._generator.model}: empty replies at the token limit: {change}")
        again = await self._reply(more, item)
        problem = f"{again.problem} ({change})" if again.spent else again.problem
        return replace(again, problem=problem, earlier=(reply,))

    async def _reply(self, ask: Ask[Any], item: BatchItem) -> Reply[Any]:
        try:
            answer = await self._answer(self.key(ask), ask, item)
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
        answer, joined = await session.flight.join(key, lambda: self._requests.answer(key, ask, item))
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


class Clients:
    """The clients of a metric's judges; each ask goes to the judge that it names.

    Args:
        clients: one client per judge.
    """

    def __init__(self, clients: "Sequence[Client | EstimatingClient]") -> None:
        self._clients = clients

    async def reply(self, ask: Ask[Any], item: BatchItem | None) -> Reply[Any]:
        """Return the reply of the ask's judge."""
        reply: Reply[Any] = await self._clients[ask.judge].reply(ask, item)  # type: ignore[arg-type]  # estimates have no item
        return reply

    async def forget(self, replies: tuple[Reply[Any], ...]) -> None:
        """Drop unreadable answers from the cache, so that the next run asks again."""
        for place, client in enumerate(self._clients):
            await client.forget(tuple(reply for reply in replies if reply.ask.judge == place))

    def ended(self, steps: int) -> None:
        """Count the rounds that a flow of so many steps takes, if they are estimated."""
        for client in self._clients:
            if isinstance(client, EstimatingClient):
                client.ended(steps)


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
        self._estimate.add(key, self._model, ask.prompt, ask.text, imagined, images=len(ask.images))
        return Reply.read(ask, Answer(imagined, model=self._model))

    def ended(self, steps: int) -> None:
        """Count the rounds that a flow of so many steps takes."""
        self._estimate.rounds = max(self._estimate.rounds, steps)

    async def forget(self, replies: tuple[Reply[Any], ...]) -> None:
        """Do nothing: imagined replies are not cached."""
