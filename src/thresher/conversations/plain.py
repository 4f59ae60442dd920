"""Messages in the form that runs store: a shortcut for what `Message.plain` has written.

It reads such a message in a fifth of the time; anything that deviates is left to the general reader.
"""

from typing import Any

from thresher.conversations.message import INVALID_ARGUMENTS, Message, ToolCall, ToolResult
from thresher.conversations.messages import read_meta

_CALL = {"tool_name", "arguments", "id", "extra"}
_ROLES = frozenset({"system", "user", "assistant", "tool"})


def message_of_plain(message: Any) -> Message | None:
    """The message that a dict is the plain form of; None for anything else."""
    if type(message) is not dict or len(message) != 4 or "meta" not in message:  # noqa: PLR2004  # the fields
        return None
    content, role, name = message.get("content"), message.get("role"), message.get("name", "")
    if type(content) is not list or not (type(role) is str and role in _ROLES):
        return None
    text: str | None = None
    calls: list[ToolCall] = []
    results: list[ToolResult] = []
    for part in content:
        if type(part) is not dict or len(part) != 1:
            return None
        ((kind, value),) = part.items()
        if kind == "text" and type(value) is str and text is None:
            text = value
        elif kind == "tool_call" and (call := call_of_plain(value)) is not None:
            calls.append(call)
        elif kind == "tool_call_result" and (result := _result(value)) is not None:
            results.append(result)
        else:
            return None
    meta = message["meta"]
    is_refusal = isinstance(meta, dict) and "refusal" in meta  # Haystack's messages of OpenAI
    if name is not None or is_refusal or (role == "tool") != bool(results):
        return None
    read = read_meta(message) if meta else {}
    return Message(role, text, tuple(calls), tuple(results), meta=read)


def calls_of_plain(messages: Any, *, last_turn: bool = False) -> list[ToolCall] | None:
    """The calls of messages in plain form, without reading the rest; None if a message has another form.

    Args:
        messages: the entry of a column.
        last_turn: whether only calls after the user's last message count.
    """
    calls: list[ToolCall] = []
    for message in messages if type(messages) is list else (None,):
        if type(message) is not dict or len(message) != 4 or "meta" not in message:  # noqa: PLR2004  # the fields
            return None
        role, content = message.get("role"), message.get("content")
        if type(content) is not list or type(role) is not str or role not in _ROLES:
            return None
        if role == "user" and last_turn:
            calls = []
        for part in content if role == "assistant" else ():
            if type(part) is not dict or len(part) != 1:
                return None
            if "tool_call" in part:
                if (call := call_of_plain(part["tool_call"])) is None:
                    return None
                calls.append(call)
    return calls


def call_of_plain(call: Any) -> ToolCall | None:
    """The call that a dict is the plain form of; None for anything else."""
    if type(call) is not dict or call.keys() != _CALL:
        return None
    name, arguments, identity, extra = call["tool_name"], call["arguments"], call["id"], call["extra"]
    if (
        type(name) is not str
        or type(arguments) is not dict
        or not (identity is None or type(identity) is str)
    ):
        return None
    if extra is None:
        return ToolCall(name, arguments, identity)
    invalid = extra.get(INVALID_ARGUMENTS) if type(extra) is dict else None
    return ToolCall(name, arguments, identity, invalid) if type(invalid) is str and not arguments else None


def _result(value: Any) -> ToolResult | None:
    if type(value) is not dict or len(value) != 3:  # noqa: PLR2004  # the fields
        return None
    call, text, failed = call_of_plain(value.get("origin")), value.get("result"), value.get("error")
    if call is None or type(text) is not str or type(failed) is not bool:
        return None
    return ToolResult(text, call, failed)
