"""The generators of a query pipeline: find them, record what they use, and answer from a cache of replies."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from inspect import signature
from threading import Lock
from typing import Any

from haystack import Pipeline

from thresher.judges.engine.account import Account
from thresher.judges.engine.identity import model_of
from thresher.pipelines.answering.replies import Reply, reply_key
from thresher.pipelines.answering.reply_cache import ReplyCache

_NO_CACHE = ReplyCache()
"""Cache for calls without a key; it stores nothing."""


@dataclass
class QuestionCalls:
    """Calls of generators for one question.

    Attributes:
        cache: stored replies; None to call always.
        repeat: which repeat of the question this is, from 1.
        account: usage of all questions, without stored replies.
        replies: the replies, in the order in which they arrived.
    """

    cache: ReplyCache | None
    repeat: int
    account: Account
    replies: list[Reply] = field(default_factory=list)

    def add(self, reply: Reply) -> None:
        """Record a reply."""
        with _counting:
            self.replies.append(reply)
            _count(self.account, reply)

    def usage(self) -> dict[str, Any]:
        """Tokens and cost of the question; None where a generator reports none, or a model has no price.

        A question for which no generator was called used no tokens.
        """
        sent = _total(reply.input_tokens for reply in self.replies)
        received = _total(reply.output_tokens for reply in self.replies)
        cost = (
            None
            if self.account.prices is None
            else _total(_cost(self.account, reply) for reply in self.replies)
        )
        return {"input_tokens": sent, "output_tokens": received, "cost": cost}

    def saved_seconds(self) -> float:
        """Time that stored replies took when they were made."""
        return sum(reply.seconds for reply in self.replies if reply.stored)


_counting = Lock()
_current: ContextVar[QuestionCalls | None] = ContextVar("thresher_question_calls", default=None)


@contextmanager
def answering(calls: QuestionCalls) -> Iterator[None]:
    """Record the calls of recorded generators within the block as those of one question."""
    token = _current.set(calls)
    try:
        yield
    finally:
        _current.reset(token)


def generators_of(pipeline: Pipeline) -> list[Any]:
    """Components of a pipeline that reply to messages or prompts, including those inside agents.

    Args:
        pipeline: a Haystack pipeline; the pipelines of its SuperComponents are searched, too.
    """
    parts = [pipeline.get_component(name) for name in pipeline.graph.nodes]
    return list({id(generator): generator for part in parts for generator in _generators_in(part)}.values())


@contextmanager
def recorded(generators: Sequence[Any]) -> Iterator[None]:
    """Make generators report their calls within the block; afterwards they are as before.

    Haystack calls `run` of the instance, so this attribute is replaced; the pipeline is not changed. Several
    blocks may share a generator: it is restored when the last one ends.
    """
    for generator in generators:
        _wrap(generator)
    try:
        yield
    finally:
        for generator in generators:
            _unwrap(generator)


def _generators_in(part: Any) -> Iterator[Any]:
    if _is_generator(part):
        yield part
        return
    for name, value in list(getattr(part, "__dict__", {}).items()):
        if name.startswith("__haystack"):  # the pipeline that the component belongs to
            continue
        if isinstance(value, Pipeline):
            yield from generators_of(value)
        elif _is_generator(value):
            yield value


def _is_generator(part: Any) -> bool:
    """Whether a component has a generator's output, and its messages or prompt as input."""
    sockets: Any = getattr(part, "__haystack_input__", None), getattr(part, "__haystack_output__", None)
    if None in sockets or isinstance(part, type):
        return False
    inputs, outputs = (known._sockets_dict for known in sockets)  # noqa: SLF001  # Haystack has no public reader
    return "replies" in outputs and bool({"messages", "prompt"} & set(inputs))


_wrapped: dict[int, tuple[int, dict[str, Any]]] = {}
"""Id of a recorded generator -> how many blocks record it, and its own attributes that were replaced."""
_wrapping = Lock()


def _wrap(part: Any) -> None:
    with _wrapping:
        blocks, own = _wrapped.get(id(part), (0, {}))
        if not blocks:
            own = {name: vars(part)[name] for name in ("run", "run_async") if name in vars(part)}
            part.run = _recording(part, part.run)
            if callable(getattr(part, "run_async", None)):
                part.run_async = _recording_async(part, part.run_async)
        _wrapped[id(part)] = blocks + 1, own


def _unwrap(part: Any) -> None:
    with _wrapping:
        blocks, own = _wrapped.pop(id(part))
        if blocks > 1:
            _wrapped[id(part)] = blocks - 1, own
            return
        for name in ("run", "run_async"):
            vars(part).pop(name, None)
        vars(part).update(own)


def _recording(part: Any, run: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(run)
    def recording(*args: Any, **options: Any) -> Mapping[str, Any]:
        calls = _current.get()
        if calls is None:
            return run(*args, **options)  # type: ignore[no-any-return]  # as the generator declares it
        cache, key = _key(calls, part, run, args, options)
        reply = cache.fetch(part, key, lambda: run(*args, **options))
        calls.add(reply)
        return reply.outputs

    return recording


def _recording_async(part: Any, run: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(run)
    async def recording(*args: Any, **options: Any) -> Mapping[str, Any]:
        calls = _current.get()
        if calls is None:
            return await run(*args, **options)  # type: ignore[no-any-return]  # as above
        cache, key = _key(calls, part, run, args, options)
        reply = await cache.fetch_async(part, key, lambda: run(*args, **options))
        calls.add(reply)
        return reply.outputs

    return recording


def _key(
    calls: QuestionCalls, part: Any, run: Callable[..., Any], args: Sequence[Any], options: Mapping[str, Any]
) -> tuple[ReplyCache, str | None]:
    if calls.cache is None:
        return _NO_CACHE, None
    inputs = signature(run).bind(*args, **options).arguments
    return calls.cache, reply_key(part, inputs, calls.repeat)


def _count(account: Account, reply: Reply) -> None:
    """Count a reply in the usage; a stored one cost nothing now."""
    if reply.stored:
        account.known += 1
        return
    account.calls += 1
    account.answers += 1
    account.models[reply.model] += 1
    account.prompt_tokens += reply.input_tokens or 0
    account.completion_tokens += reply.output_tokens or 0
    account.cached_tokens += reply.cached_tokens
    account.cache_write_tokens += reply.cache_write_tokens
    account.reasoning_tokens += reply.reasoning_tokens
    account.seconds += reply.seconds
    if account.cost is not None:
        account.cost += _cost(account, reply) or 0.0


def _cost(account: Account, reply: Reply) -> float | None:
    price = account.prices.of(reply.model) if account.prices else None
    if price is None or reply.input_tokens is None or reply.output_tokens is None:
        return None
    return price.cost(
        reply.input_tokens, reply.output_tokens, cached=reply.cached_tokens, written=reply.cache_write_tokens
    )


def _total(values: Any) -> Any:
    """The sum; None if one is unknown."""
    known = list(values)
    return None if None in known else sum(known)


def unpriced(generators: Sequence[Any], account: Account) -> list[str]:
    """Models of generators that have no price."""
    names = [model_of(generator) for generator in generators]
    return [name for name in names if account.prices is None or account.prices.of(name) is None]
