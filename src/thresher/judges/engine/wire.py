"""The short way to OpenAI's chat API, for Haystack's own OpenAIChatGenerator.

It sends what the generator would send, by the same client: its address, key, headers, proxies and errors.
What is left out is the building of typed requests and replies, which takes more of the processor than all
the rest. And a request waits for its turn when it is ready to be sent, so no slot is idle while one is built.
"""

import asyncio
import contextlib
import json
from contextvars import ContextVar
from typing import Any

from thresher.judges.engine.identity import class_name
from thresher.judges.engine.turn import Turn

_OWN = "haystack.components.generators.chat.openai"
_NOT_IN_THE_BODY = frozenset({"extra_headers", "extra_query", "timeout", "stream", "response_format", "n"})
"""Generation settings that the client or the generator treats in its own way."""
_turn: ContextVar[Turn | None] = ContextVar("thresher_judges_turn", default=None)


def is_plain(target: Any) -> bool:
    """Whether a generator only sends messages and settings, so that the short way does the same."""
    settings = getattr(target, "generation_kwargs", None) or {}
    run = getattr(type(target), "run_async", None)
    return (
        class_name(target) == f"{_OWN}.OpenAIChatGenerator"
        and getattr(run, "__globals__", {}).get("__name__") == _OWN  # nobody has put another in its place
        and not getattr(target, "tools", None)
        and getattr(target, "streaming_callback", None) is None
        and not _NOT_IN_THE_BODY & settings.keys()
    )


def take_turns(target: Any) -> bool:
    """Have the requests of a generator's client wait for their turns right before they are sent.

    Returns:
        Whether that can be done: if not, the generator cannot go the short way.
    """
    http: Any = getattr(target.async_client, "_client", None)
    if not hasattr(http, "event_hooks"):
        return False
    http.event_hooks = {
        "request": [*http.event_hooks["request"], _before_sending],
        "response": [*http.event_hooks["response"], _after_the_head],
    }
    return True


async def post(target: Any, turn: Turn, messages: list[dict[str, str]], settings: dict[str, Any]) -> Any:
    """Send messages by a generator's client.

    Args:
        target: a generator that `is_plain`, is warm, and takes turns.
        turn: when it may be sent.
        messages: role and content of each.
        settings: generation settings that stand above the generator's.

    Returns:
        The reply's data.

    Raises:
        Exception: what the turn or OpenAI's client raises.
    """
    merged = {**target.generation_kwargs, **settings}
    extra = merged.pop("extra_body", None) or {}
    body = {"messages": messages, "model": target.model, "n": 1, **merged, "stream": False, **extra}
    token = _turn.set(turn)
    try:
        data = await target.async_client.post("/chat/completions", cast_to=object, body=body)
    except Exception:
        if turn.refusal is not None:
            raise turn.refusal from None
        raise
    finally:
        _turn.reset(token)
        turn.give_back()
    return _parsed(data) if isinstance(data, str) else data


def _parsed(text: str) -> Any:
    """JSON that came under the name of another kind; the text itself where it is none."""
    with contextlib.suppress(ValueError):
        return json.loads(text)
    return text


async def _before_sending(_: Any) -> None:
    turn = _turn.get()
    if turn is not None:
        await turn.take()


async def _after_the_head(response: Any) -> None:
    turn = _turn.get()
    if turn is not None and response.is_success:  # after an error, the next one may not be sent at all
        await response.aread()
        turn.give_back()
        await asyncio.sleep(0)  # the next request goes out before this reply is looked at
