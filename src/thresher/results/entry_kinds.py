"""The kind of entries that a column holds, as far as it decides what the column's name means."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

Kind = Literal["empty", "text", "number", "texts", "asking", "reply", "conversation", "other"]
"""`asking` is a chat that ends with the user's message, `reply` one message of the model, `conversation`
any other chat."""

_NUMBER = re.compile(r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
USERS = frozenset({"user", "human"})
MODELS = frozenset({"assistant", "ai", "model", "chatbot"})
_SPEAKERS = USERS | MODELS | {"system", "developer", "tool", "function"}
_CALLS = ("function_call", "custom_tool_call", "mcp_approval_request")
"""Items of OpenAI's Responses with which a model asks the caller for something."""
_BODIES = ("content", "parts", "tool_calls", "data")


def kind_of_entries(column: Iterable[Any], *, text_only: bool = False) -> Kind:
    """The kind of a whole column; missing entries and empty strings do not count.

    Args:
        column: one entry per item.
        text_only: the source has no numbers, such as CSV: a column of numerals only is of kind `number`.

    >>> kind_of_entries(["a", None]), kind_of_entries([1, "a"]), kind_of_entries([["a"], "b"])
    ('text', 'text', 'texts')
    >>> kind_of_entries(["1", "2.5"], text_only=True), kind_of_entries(["1", "2.5"])
    ('number', 'text')
    """
    filled = [entry for entry in column if not is_missing(entry)]
    kinds = {_kind(entry) for entry in filled}
    if not kinds:
        return "empty"
    if kinds == {"text"} and text_only and all(_NUMBER.fullmatch(entry.strip()) for entry in filled):
        return "number"
    for members, kind in _MIXTURES:
        if kinds <= members:
            return kind
    return "other"


_MIXTURES: tuple[tuple[set[Kind], Kind], ...] = (
    ({"number"}, "number"),
    ({"text", "number"}, "text"),
    ({"asking", "text"}, "asking"),
    ({"reply", "text"}, "reply"),
    ({"conversation", "asking", "reply"}, "conversation"),
    ({"texts", "text", "number"}, "texts"),
)
"""Kinds of entries in one column -> the kind of the column; the first that contains them all counts."""


def is_message(entry: Any) -> bool:
    """Whether an object is a chat message of OpenAI, Haystack, ragas or LangChain."""
    return (
        isinstance(entry, Mapping) and speaker_of(entry) in _SPEAKERS and any(key in entry for key in _BODIES)
    )


def completion_messages(entry: Any) -> list[Mapping[str, Any]]:
    """The messages in what an API returned: OpenAI's chat completions and Responses, Gemini's; else none.

    >>> completion_messages({"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}}]})
    [{'role': 'assistant', 'content': 'Hi'}]
    """
    if not isinstance(entry, Mapping):
        return []
    for key, inner in (("choices", "message"), ("candidates", "content")):
        listed = entry.get(key)
        if isinstance(listed, list) and all(isinstance(one, Mapping) for one in listed):
            messages = [one.get(inner) for one in listed]
            if all(isinstance(message, Mapping) for message in messages):
                return [{"role": "assistant", **message} for message in messages]
    items = entry.get("output")
    if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
        return []
    said = [item for item in items if item.get("type") == "message" and "content" in item]
    calls = [item for item in items if item.get("type") in _CALLS]  # other items are the provider's own steps
    return [*calls, *({"role": "assistant", **item} for item in said)] if said else []


def speaker_of(message: Mapping[str, Any]) -> str:
    """The role of a chat message's author, e.g. `user`."""
    return str(message.get("role") or message.get("type"))


def is_chat(entry: Any) -> bool:
    """Whether an entry is a list of messages."""
    return isinstance(entry, list | tuple) and bool(entry) and all(map(is_message, entry))


def _kind(entry: Any) -> Kind:
    if isinstance(entry, str):
        return "text"
    if isinstance(entry, int | float):
        return "number"
    if is_message(entry) or is_chat(entry):
        return _kind_of_chat([entry] if isinstance(entry, Mapping) else entry)
    if isinstance(entry, Mapping):
        return _kind_of_object(entry)
    if isinstance(entry, Sequence) and not isinstance(entry, bytes):
        return "texts" if all(part is None or _kind(part) == "text" for part in entry) else "other"
    return "other"


def _kind_of_object(entry: Mapping[str, Any]) -> Kind:
    """SQuAD has answers in {"text": [...], "answer_start": [...]}, Anthropic has chats next to `system`."""
    if is_chat(entry.get("messages")):
        return "conversation"
    if completion_messages(entry):
        return "reply"
    return _kind(entry["text"]) if isinstance(entry.get("text"), str | list) else "other"


def _kind_of_chat(messages: Sequence[Mapping[str, Any]]) -> Kind:
    last = speaker_of(messages[-1])
    if last in USERS:
        return "asking"
    return "reply" if last in MODELS and len(messages) == 1 else "conversation"


def is_missing(entry: Any) -> bool:
    """Whether an entry is None, NaN or an empty string."""
    if isinstance(entry, float):
        return math.isnan(entry)
    return entry is None or (isinstance(entry, str) and not entry)
