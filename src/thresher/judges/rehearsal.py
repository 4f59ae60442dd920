"""Running a flow without a judge, for tests."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from thresher.errors import InputError
from thresher.judges.flow import Answer, Ask, Flow, Outcome, Reply
from thresher.judges.walks import Walk

T = TypeVar("T")
Script = Iterable[str | Answer | Exception | None] | Callable[[Ask[Any]], str | None]


def rehearse(flow: Flow[T], replies: Script) -> Outcome[T]:
    """Run a flow with replies from a list, or from a function of the ask; no model is called.

    Args:
        flow: the flow.
        replies: raw reply texts in the order of asking; an exception means a failed call.

    Raises:
        InputError: if the flow asks for more replies than given, or for fewer.
    """
    walk = Walk(flow)
    script = None if callable(replies) else iter(replies)
    while walk.outcome is None:
        walk.give([_next_reply(ask, script, replies) for ask in walk.asks])
    unused = list(script) if script is not None else []
    if unused:
        raise InputError(f"the flow did not ask for {len(unused)} of the replies, the first: {unused[0]!r}")
    return walk.outcome


_END = object()


def _next_reply(ask: Ask[Any], script: Any, replies: Any) -> Reply[Any]:
    reply: Any = replies(ask) if script is None else next(script, _END)
    if reply is _END:
        raise InputError(f"the flow asks for more replies than the list holds; the next is for {ask.prompt}")
    if isinstance(reply, Exception):
        return Reply.failed(ask, str(reply))
    return Reply.read(ask, reply if isinstance(reply, Answer) else Answer(reply))
