"""Flows: what a metric wants asked, apart from how and when it is asked.

A flow is a generator. It yields one `Ask`, or a list of them to be asked at once, receives a `Reply` for
each, and returns its value. The blocking driver, the asynchronous one and `rehearse` walk the same
generator, so they cannot disagree, and a test needs no mocks.
"""

import hashlib
import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar

from thresher.judges.planted import Material
from thresher.judges.reply import read_reply
from thresher.judges.schema import ReplySchema
from thresher.results import Status

T = TypeVar("T")
Flow = Generator["Ask[Any] | list[Ask[Any]]", Any, T]


@dataclass(frozen=True)
class Message:
    """One message to a judge."""

    role: Literal["system", "user"]
    text: str


@dataclass(frozen=True)
class Ask(Generic[T]):
    """One question to a judge.

    Attributes:
        prompt: name of the prompt it was made from, e.g. `valor/faithfulness`.
        messages: what is sent.
        schema: the form of the reply.
        subject: the text that an extraction is about; only estimates look at it.
        sample: tells asks apart that are repeated on purpose; equal asks are asked once.
        options: generation settings of this ask alone, e.g. `(("temperature", 1.0),)`, for judges that speak
            OpenAI's language; any other judge is asked as it is set up.
        material: the data under test that the messages show; a reply may not take its verdict from them. None
            where they cannot be told from the instructions.
    """

    prompt: str
    messages: tuple[Message, ...]
    schema: ReplySchema[T]
    subject: str = field(default="", repr=False)
    sample: int = 0
    options: tuple[tuple[str, Any], ...] = ()
    material: Material | None = field(default=None, repr=False, compare=False)

    @property
    def shown(self) -> Material:
        """The data in the messages: `material`, or all that the last message says."""
        return self.material or Material((self.messages[-1].text,))

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the messages, as recordings know them."""
        return digest([(message.role, message.text) for message in self.messages])

    @property
    def text(self) -> str:
        """All messages in one text."""
        return "\n".join(message.text for message in self.messages)

    def noted(self, note: str, schema: ReplySchema[T] | None = None) -> "Ask[T]":
        """The same ask with a note at its end, and a narrower form if one is given."""
        last = self.messages[-1]
        messages = (*self.messages[:-1], Message(last.role, f"{last.text}\n\n{note}"))
        return replace(self, messages=messages, schema=schema or self.schema)


def digest(messages: Iterable[tuple[str, str | None]]) -> str:
    """A fingerprint of messages given as (role, text)."""
    plain = json.dumps([list(message) for message in messages], ensure_ascii=False)
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Answer:
    """What came back over the wire.

    Attributes:
        text: the reply; None where the judge refused or said nothing.
        model: the model, as the provider names it.
        finish: why it stopped, as the provider says.
        prompt_tokens: tokens sent, as the provider counted them; 0 if it does not count.
        completion_tokens: tokens received, the same.
        latency: seconds from sending to receiving, of the try that succeeded; no queueing.
        tries: requests that it took.
        cached: whether it was known already, so that nothing was asked.
        logprobs: alternatives of each token, as `read_logprobs` gives them; None where there are none.
    """

    text: str | None
    model: str = ""
    finish: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    latency: float = 0.0
    tries: int = 1
    cached: bool = False
    logprobs: list[Any] | None = None


class Unanswered(Exception):  # noqa: N818  (an outcome that items have, not an error)
    """There is no value: the item is unreadable, failed or undefined, and why."""

    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass(frozen=True)
class Reply(Generic[T]):
    """An answer, read.

    Attributes:
        ask: the question.
        answer: what came back; None if nothing did.
        value: what it says; None if it cannot be read.
        problem: why there is no value.
        doubts: thing -> why what was said of it does not count, where the reply repeats the data.
        remarks: what was read all the same, such as 1 for yes.
    """

    ask: Ask[T]
    answer: Answer | None
    value: T | None
    problem: str = ""
    doubts: Mapping[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()

    @classmethod
    def read(cls, ask: Ask[T], answer: Answer) -> "Reply[T]":
        """Read an answer in the form that was asked for."""
        reading = read_reply(answer.text, ask.schema, answer.finish, ask.shown)
        return cls(ask, answer, reading.value, reading.problem, reading.doubts, reading.remarks)

    @classmethod
    def failed(cls, ask: Ask[T], reason: str) -> "Reply[T]":
        """No answer came."""
        return cls(ask, None, None, reason)

    def evidence(self) -> dict[str, Any]:
        """The reply as plain data, for the item's evidence."""
        told: dict[str, Any] = {"prompt": self.ask.prompt}
        if self.problem:
            told["problem"] = self.problem
        if self.doubts:
            told["found_in_data"] = dict(self.doubts)
        if self.remarks:
            told["remarks"] = list(self.remarks)
        if self.answer is None:
            return told
        answer = self.answer
        return told | {
            "reply": answer.text,
            "model": answer.model,
            "finish": answer.finish,
            "tokens": [answer.prompt_tokens, answer.completion_tokens],
            "latency": round(answer.latency, 4),
            "cached": answer.cached,
        }


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """Where a flow ended: a value, or a status and a reason; and every reply on the way."""

    value: T | None
    status: Status = Status.SCORED
    reason: str = ""
    replies: tuple[Reply[Any], ...] = ()


class Walk(Generic[T]):
    """One flow under way, free of any waiting: look at `asks`, give replies, until there is an `outcome`."""

    def __init__(self, flow: Flow[T]) -> None:
        self._flow = flow
        self._replies: list[Reply[Any]] = []
        self._one = False
        self.asks: list[Ask[Any]] = []
        self.outcome: Outcome[T] | None = None
        self._step(None)

    def give(self, replies: Sequence[Reply[Any]]) -> None:
        """Hand over one reply for each of `asks`, in their order."""
        self._replies += replies
        self._step(replies[0] if self._one else list(replies))

    def _step(self, sent: Any) -> None:
        try:
            wanted = self._flow.send(sent)
            while wanted == []:
                wanted = self._flow.send([])
        except StopIteration as stop:
            self.asks, self.outcome = [], Outcome(stop.value, replies=tuple(self._replies))
        except Unanswered as end:
            self.asks, self.outcome = [], Outcome(None, end.status, end.reason, tuple(self._replies))
        else:
            self._one = isinstance(wanted, Ask)
            self.asks = [wanted] if isinstance(wanted, Ask) else wanted


def together(*flows: Flow[T]) -> Flow[list[T]]:
    """Walk several flows side by side: what they want at the same step is asked at once.

    Raises:
        Unanswered: as soon as one of them ends without a value.
    """
    walks = [Walk(flow) for flow in flows]
    while True:
        for walk in walks:
            if walk.outcome is not None and walk.outcome.status is not Status.SCORED:
                raise Unanswered(walk.outcome.status, walk.outcome.reason)
        asks = [ask for walk in walks for ask in walk.asks]
        if not asks:
            return [walk.outcome.value for walk in walks]  # type: ignore[union-attr,misc]  # all have ended scored
        replies = iter((yield asks))
        for walk in walks:
            if walk.asks:
                walk.give([next(replies) for _ in walk.asks])
