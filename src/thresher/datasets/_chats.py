"""Convert chats to texts: the last question, or the only reply.

A chat must be text throughout: after calls of tools, its last message is not the question.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.conversations import ConversationError, read_conversation
from thresher.counted import counted
from thresher.datasets._unfit import UnfitError
from thresher.results.entry_kinds import MODELS, USERS, speaker_of

_SETTINGS = frozenset({"system", "developer"})


def last_question(chat: Any) -> str:
    """The text of the user's message that a chat ends with.

    Raises:
        UnfitError: if it ends with another role, or holds more than text.
    """
    expected = "a text, or a chat that ends with a text of the user"
    messages = [message for message in _messages(chat) if speaker_of(message) not in _SETTINGS]
    last = speaker_of(_messages(chat)[-1])
    if last not in USERS:
        raise UnfitError(f"a chat that ends with a message of {last!r}", expected)
    return [_text_of(message, expected) for message in messages][-1]


def single_reply(chat: Any) -> str | None:
    """The text of a chat that is one message of the model, a refusal too; None if it says nothing.

    Raises:
        UnfitError: for several messages, or one that is more than text.
    """
    expected = "a text, or one message of the assistant that is text"
    messages = _messages(chat)
    if len(messages) > 1 or speaker_of(messages[0]) not in MODELS:
        speakers = ", ".join(dict.fromkeys(map(speaker_of, messages)))
        raise UnfitError(f"a chat of {counted(len(messages), 'message')} ({speakers})", expected)
    try:
        read = read_conversation(messages).messages
    except ConversationError:
        read = ()
    if len(read) != 1 or read[0].calls or read[0].results or read[0].media_kinds:
        raise UnfitError(f"a message of {speaker_of(messages[0])!r} that is not only text", expected)
    return read[0].text


def earlier_messages(chat: Any) -> int:
    """Number of messages before the last one, system messages aside."""
    return sum(speaker_of(message) not in _SETTINGS for message in _messages(chat)[:-1])


def _messages(chat: Any) -> Sequence[Mapping[str, Any]]:
    return [chat] if isinstance(chat, Mapping) else chat


def _text_of(message: Mapping[str, Any], expected: str) -> str:
    """The text of a message, whose content is a text or a list of texts."""
    inner = message.get("data")
    fields = inner if isinstance(inner, Mapping) else message  # LangChain nests the content in `data`
    body = fields.get("content", fields.get("parts"))
    parts = [body] if isinstance(body, str) else body
    texts = [_text_of_part(part) for part in parts] if isinstance(parts, list) else [None]
    calls = any(fields.get(key) for key in ("tool_calls", "tools_called", "function_call"))
    if calls or speaker_of(message) not in USERS | MODELS or not texts or None in texts:
        raise UnfitError(f"a message of {speaker_of(message)!r} that is not only text", expected)
    return "\n".join(filter(None, texts))


def _text_of_part(part: Any) -> str | None:
    """The text of a part in the form of OpenAI, Haystack or OpenTelemetry; None for anything else."""
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or part.get("type", "text") not in ("text", "input_text", "output_text"):
        return None
    text = part.get("text", part.get("content"))
    return text if isinstance(text, str) else None
