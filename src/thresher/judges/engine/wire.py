"""Direct path to OpenAI's chat API for Haystack's own OpenAIChatGenerator.

It posts the body that the generator would post, with the same client: address, key, headers, proxies and
errors stay. It skips the construction of typed requests and replies, which takes more processor time than
everything else. The permit is acquired when the request is ready to be sent, so no slot is idle meanwhile.
"""

import asyncio
import contextlib
import json
from contextvars import ContextVar
from typing import Any

from thresher.judges.engine.endpoint_limits import SendPermit
from thresher.judges.engine.identity import class_name

_OWN = "haystack.components.generators.chat.openai"
_NOT_IN_THE_BODY = frozenset({"extra_headers", "extra_query", "timeout", "stream", "response_format", "n"})
"""Generation settings that the client or the generator handles specially."""
_permit: ContextVar[SendPermit | None] = ContextVar("thresher_judges_permit", default=None)


def is_plain(target: Any) -> bool:
    """Whether a generator only sends messages and settings, so that the direct path is equivalent."""
    settings = getattr(target, "generation_kwargs", None) or {}
    run = getattr(type(target), "run_async", None)
    return (
        class_name(target) == f"{_OWN}.OpenAIChatGenerator"
        and getattr(run, "__globals__", {}).get("__name__") == _OWN  # the method has not been replaced
        and not getattr(target, "tools", None)
        and getattr(target, "streaming_callback", None) is None
        and not _NOT_IN_THE_BODY & settings.keys()
    )


def install_hooks(target: Any) -> bool:
    """Make a generator's HTTP client acquire the permit right before sending.

    Returns:
        Whether the client has hooks; if not, the generator cannot use the direct path.
    """
    http: Any = getattr(target.async_client, "_client", None)
    if not hasattr(http, "event_hooks"):
        return False
    http.event_hooks = {
        "request": [*http.event_hooks["request"], _before_sending],
        "response": [*http.event_hooks["response"], _after_the_head],
    }
    return True


async def post(
    target: Any, permit: SendPermit, messages: list[dict[str, Any]], settings: dict[str, Any]
) -> Any:
    """Post messages with a generator's client.

    Args:
        target: a warm generator that `is_plain` and has the hooks.
        permit: acquired right before sending.
        messages: role and content of each.
        settings: generation settings that override the generator's.

    Returns:
        The reply's data.

    Raises:
        Exception: what the permit or OpenAI's client raises.
    """
    body = body_of(target, messages, settings)
    token = _permit.set(permit)
    try:
        data = await target.async_client.post("/chat/completions", cast_to=object, body=body)
    except Exception:
        if permit.refusal is not None:
            raise permit.refusal from None
        raise
    finally:
        _permit.reset(token)
        permit.release()
    return _parse(data) if isinstance(data, str) else data


def body_of(target: Any, messages: list[dict[str, Any]], settings: dict[str, Any]) -> dict[str, Any]:
    """The body of a request with a generator's settings and those that override them."""
    merged = {**target.generation_kwargs, **settings}
    extra = merged.pop("extra_body", None) or {}
    return {"messages": messages, "model": target.model, "n": 1, **merged, "stream": False, **extra}


def _parse(text: str) -> Any:
    """Parse the body as JSON whatever its Content-Type; otherwise return the text."""
    with contextlib.suppress(ValueError):
        return json.loads(text)
    return text


async def _before_sending(_: Any) -> None:
    permit = _permit.get()
    if permit is not None:
        await permit.acquire()


async def _after_the_head(response: Any) -> None:
    permit = _permit.get()
    if permit is not None and response.is_success:  # after an error, the next request may not be sent at all
        await response.aread()
        permit.release()
        await asyncio.sleep(0)  # the next request is sent before this reply is parsed
