"""Chats where a text is wanted: the question that was asked last, or the one reply.

A chat is read only if it is text from end to end: after calls of tools, its last message is not the question.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.datasets._unfit import UnfitError
from thresher.results.entry_kinds import MODELS, USERS, speaker_of

_SETTINGS = frozenset({"system", "developer"})


def asked(chat: Any) -> str:
    """The text of the user's message that a chat ends with.

    Raises:
        UnfitError: if it ends otherwise, or holds more than text.
    """
    wanted = "a text, or a chat that ends with a text of the user"
    messages = [message for message in _listed(chat) if speaker_of(message) not in _SETTINGS]
    last = speaker_of(_listed(chat)[-1])
    if last not in USERS:
        raise UnfitError(f"a chat that ends with a message of {last!r}", wanted)
    return [_text_of(message, wanted) for message in messages][-1]


def replied(chat: Any) -> str:
    """The text of a chat that is one message of the model.

    Raises:
        UnfitError: for several messages, or one that is more than text.
    """
    wanted = "a text, or one message of the assistant that is text"
    messages = _listed(chat)
    if len(messages) > 1 or speaker_of(messages[0]) not in MODELS:
        speakers = ", ".join(dict.fromkeys(map(speaker_of, messages)))
        raise UnfitError(f"a chat of {len(messages)} messages ({speakers})", wanted)
    return _text_of(messages[0], wanted)


def earlier_messages(chat: Any) -> int:
    """How many messages, settings aside, come before the last one."""
    return sum(speaker_of(message) not in _SETTINGS for message in _listed(chat)[:-1])


def _listed(chat: Any) -> Sequence[Mapping[str, Any]]:
    return [chat] if isinstance(chat, Mapping) else chat


def _text_of(message: Mapping[str, Any], wanted: str) -> str:
    """The text of a message: as it is, or as parts that are all texts."""
    inner = message.get("data")
    said = inner if isinstance(inner, Mapping) else message  # LangChain's messages have their content inside
    body = said.get("content", said.get("parts"))
    parts = [body] if isinstance(body, str) else body
    texts = [_text_of_part(part) for part in parts] if isinstance(parts, list) else [None]
    calls = any(said.get(key) for key in ("tool_calls", "tools_called", "function_call"))
    if calls or speaker_of(message) not in USERS | MODELS or not texts or None in texts:
        raise UnfitError(f"a message of {speaker_of(message)!r} that is not only text", wanted)
    return "\n".join(filter(None, texts))


def _text_of_part(part: Any) -> str | None:
    """The text of a part in the form of OpenAI, Haystack or OpenTelemetry; None for anything else."""
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or part.get("type", "text") not in ("text", "input_text", "output_text"):
        return None
    text = part.get("text", part.get("content"))
    return text if isinstance(text, str) else None
