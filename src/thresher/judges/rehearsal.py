"""Walking a flow without a judge, for tests of flows."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from thresher.errors import InputError
from thresher.judges.flow import Answer, Ask, Flow, Outcome, Reply, Walk

T = TypeVar("T")
Script = Iterable[str | Answer | Exception | None] | Callable[[Ask[Any]], str | None]


def rehearse(flow: Flow[T], replies: Script) -> Outcome[T]:
    """Walk a flow with replies from a list, or from a function of the ask; no model is called.

    Args:
        flow: the flow.
        replies: raw reply texts in the order of asking; an exception stands for a call that failed.

    Raises:
        InputError: if the flow asks for more replies than there are, or leaves some over.
    """
    walk = Walk(flow)
    script = None if callable(replies) else iter(replies)
    while walk.outcome is None:
        walk.give([_scripted(ask, script, replies) for ask in walk.asks])
    left = list(script) if script is not None else []
    if left:
        raise InputError(f"{len(left)} replies were never asked for, the first: {left[0]!r}")
    return walk.outcome


_END = object()


def _scripted(ask: Ask[Any], script: Any, replies: Any) -> Reply[Any]:
    said: Any = replies(ask) if script is None else next(script, _END)
    if said is _END:
        raise InputError(f"the flow asks for more replies than the list holds; the next is for {ask.prompt}")
    if isinstance(said, Exception):
        return Reply.failed(ask, str(said))
    return Reply.read(ask, said if isinstance(said, Answer) else Answer(said))
