"""Flows: the questions of a metric, independent of how and when they are sent.

A flow is a generator. It yields one `Ask`, or a list of asks to be sent concurrently, receives a `Reply` for
each, and returns its value. `drive`, `drive_async` and `rehearse` run the same generator, so they cannot
disagree, and a test needs no mocks.
"""

import hashlib
import json
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Generic, Literal, TypeVar

from thresher.files.image_texts import Image
from thresher.judges.blindness import BLIND, is_blind
from thresher.judges.planted import Material
from thresher.judges.prompt_order import Layout
from thresher.judges.reply import DISAGREE, SPENT, read_reply
from thresher.judges.schema import ReplySchema
from thresher.results import Status

T = TypeVar("T")
Flow = Generator["Ask[Any] | list[Ask[Any]]", Any, T]


@dataclass(frozen=True)
class Message:
    """One message to a judge.

    Attributes:
        role: its author.
        text: the text, which names a slot for each image.
        images: the images, which follow the text.
    """

    role: Literal["system", "user"]
    text: str
    images: tuple[Image, ...] = field(default=(), repr=False)

    @property
    def parts(self) -> list[Any]:
        """Role, text and identities of the images, for hashes."""
        return [self.role, self.text, *([[image.identity for image in self.images]] if self.images else [])]


@dataclass(frozen=True)
class Ask(Generic[T]):
    """One question to a judge.

    Attributes:
        prompt: name of its prompt, e.g. `valor/faithfulness`.
        messages: the messages to send.
        schema: the form of the reply.
        subject: the text that an extraction is about; used by estimates only.
        sample: distinguishes asks that are repeated on purpose; equal asks are sent once.
        options: generation settings of this ask, e.g. `(("temperature", 1.0),)`, sent to judges with OpenAI's
            API only.
        judge: position of the judge in a panel; 0 for a metric with a single judge.
        material: the data under test in the messages; a verdict quoted from them does not count. None if they
            cannot be separated from the instructions.
        layout: makes the last message with the contexts first; None if the prompt has no contexts.
        prefix: beginning of the messages that other asks share, if the contexts are first.
        data: value of each variable of the prompt, from which own words are filled in.
        notes: notes at the end, e.g. why the reply before could not be read.
    """

    prompt: str
    messages: tuple[Message, ...]
    schema: ReplySchema[T]
    subject: str = field(default="", repr=False)
    sample: int = 0
    options: tuple[tuple[str, Any], ...] = ()
    judge: int = 0
    material: Material | None = field(default=None, repr=False, compare=False)
    layout: Callable[[], Layout] | None = field(default=None, repr=False, compare=False)
    prefix: str = field(default="", repr=False, compare=False)
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    notes: tuple[str, ...] = field(default=(), repr=False, compare=False)

    @property
    def shown(self) -> Material:
        """The data in the messages: `material`, or the whole last message."""
        return self.material or Material((self.messages[-1].text,))

    @cached_property
    def digest(self) -> str:
        """Hash of the messages, the key in recordings."""
        return digest(message.parts for message in self.messages)

    @property
    def images(self) -> tuple[Image, ...]:
        """The images of all messages."""
        return tuple(image for message in self.messages for image in message.images)

    @property
    def text(self) -> str:
        """All messages in one text, without images."""
        return "\n".join(message.text for message in self.messages)

    def noted(self, note: str, schema: ReplySchema[T] | None = None) -> "Ask[T]":
        """The same ask with a note at its end and, optionally, another form."""
        layout = None if self.layout is None else partial(_noted, self.layout, note)
        messages = self._ending(f"{self.messages[-1].text}\n\n{note}")
        notes = (*self.notes, note)
        return replace(self, messages=messages, schema=schema or self.schema, layout=layout, notes=notes)

    def contexts_first(self) -> "Ask[T]":
        """The same ask with the contexts before the instructions, if it has contexts."""
        if self.layout is None:
            return self
        layout = self.layout()
        prefix = "\n".join([*(message.text for message in self.messages[:-1]), layout.prefix])
        return replace(self, messages=self._ending(layout.text), layout=None, prefix=prefix)

    def with_detail(self, detail: str | None) -> "Ask[T]":
        """The same ask with this detail of the images that have none."""
        if not detail or not self.images:
            return self
        messages = tuple(
            replace(message, images=tuple(image.with_detail(detail) for image in message.images))
            for message in self.messages
        )
        return replace(self, messages=messages)

    def _ending(self, text: str) -> tuple[Message, ...]:
        """The messages with another text in the last one."""
        return (*self.messages[:-1], replace(self.messages[-1], text=text))


def _noted(layout: Callable[[], Layout], note: str) -> Layout:
    made = layout()
    return replace(made, text=f"{made.text}\n\n{note}")


def digest(messages: Iterable[Sequence[Any]]) -> str:
    """Hash of messages, each a role and a text, and the identities of its images if it has any."""
    plain = json.dumps([list(message) for message in messages], ensure_ascii=False)
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Answer:
    """A raw answer of a judge.

    Attributes:
        text: the reply; None if the judge refused or returned nothing.
        model: the model, as the provider names it.
        finish: the provider's finish reason.
        prompt_tokens: tokens sent, as the provider counts them; 0 if it does not.
        completion_tokens: tokens received, as the provider counts them; 0 if it does not.
        latency: seconds from sending to receiving in the successful try, without queueing.
        tries: number of requests.
        cached: whether it came without a separate request.
        logprobs: alternatives of each token, as `read_logprobs` returns them; None if unavailable.
        cached_tokens: those of the tokens sent that the provider's prompt cache supplied.
        cache_write_tokens: those of the tokens sent that the provider's prompt cache stored.
        reasoning_tokens: those of the tokens received that are reasoning.
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
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0


class Unanswered(Exception):  # noqa: N818  (an outcome of items, not an error)
    """The item has no value: its status (unreadable, failed or undefined) and the reason."""

    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass(frozen=True)
class Reply(Generic[T]):
    """An answer and the value read from it.

    Attributes:
        ask: the question.
        answer: the raw answer; None if there is none.
        value: the value; None if the answer cannot be read.
        problem: why there is no value.
        doubts: id -> why its verdict does not count, if the reply repeats the data or contradicts itself.
        remarks: notes on values that were read leniently, such as 1 for yes.
        earlier: empty replies to the same ask with a lower token limit, which the engine then raised.
        status: status of an item whose ask has no answer.
    """

    ask: Ask[T]
    answer: Answer | None
    value: T | None
    problem: str = ""
    doubts: Mapping[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    earlier: tuple["Reply[T]", ...] = ()
    status: Status = Status.FAILED

    @classmethod
    def read(cls, ask: Ask[T], answer: Answer) -> "Reply[T]":
        """Read an answer in the form of the ask.

        An answer of a judge that cannot see the images has no value, whatever its verdict.
        """
        if ask.images and is_blind(answer.text):
            return cls(ask, answer, None, BLIND)
        reading = read_reply(answer.text, ask.schema, answer.finish, ask.shown)
        return cls(ask, answer, reading.value, reading.problem, reading.doubts, reading.remarks)

    @classmethod
    def failed(cls, ask: Ask[T], reason: str, status: Status = Status.FAILED) -> "Reply[T]":
        """Make the reply to an ask without an answer."""
        return cls(ask, None, None, reason, status=status)

    @property
    def spent(self) -> bool:
        """Whether the reply is empty because it reached the token limit, e.g. by reasoning."""
        return self.problem.startswith(SPENT)

    @property
    def found_in_data(self) -> dict[str, str]:
        """The doubts about ids on which the reply repeats the data."""
        return {thing: doubt for thing, doubt in self.doubts.items() if doubt != DISAGREE}

    def evidence(self) -> dict[str, Any]:
        """The reply as plain data, for the item's evidence."""
        evidence: dict[str, Any] = {"prompt": self.ask.prompt}
        if self.ask.images:
            evidence["images"] = [image.reference() for image in self.ask.images]
        if self.problem:
            evidence["problem"] = self.problem
        if self.found_in_data:
            evidence["found_in_data"] = self.found_in_data
        if disagreed := [thing for thing, doubt in self.doubts.items() if doubt == DISAGREE]:
            evidence["disagreed"] = disagreed
        if self.remarks:
            evidence["remarks"] = list(self.remarks)
        if self.answer is None:
            return evidence
        answer = self.answer
        return evidence | {
            "reply": answer.text,
            "model": answer.model,
            "finish": answer.finish,
            "tokens": [answer.prompt_tokens, answer.completion_tokens],
            **{
                name: count
                for name in ("cached_tokens", "reasoning_tokens")
                if (count := getattr(answer, name))
            },
            "latency": round(answer.latency, 4),
            "cached": answer.cached,
        }


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """Outcome of a flow: a value, or a status and a reason; and all its replies."""

    value: T | None
    status: Status = Status.SCORED
    reason: str = ""
    replies: tuple[Reply[Any], ...] = ()

    def result(self) -> T:
        """The value.

        Raises:
            Unanswered: if there is none.
        """
        if self.status is not Status.SCORED:
            raise Unanswered(self.status, self.reason)
        return self.value  # type: ignore[return-value]  # scored outcomes have a value

    @property
    def unread(self) -> tuple[Reply[Any], ...]:
        """Replies of an unreadable item, or of a panel's judges whose votes are unreadable."""
        if self.status is Status.UNREADABLE:
            return self.replies
        lost: tuple[Reply[Any], ...] = getattr(self.value, "unread", ())
        return lost
