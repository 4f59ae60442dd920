"""Entries of any column as a prompt shows them: texts, numbers, lists of them, conversations."""

from collections.abc import Mapping, Sequence
from datetime import date, time
from decimal import Decimal
from numbers import Real
from typing import Any, get_args

import numpy as np
from haystack.dataclasses import ChatMessage

from thresher.components.judged.conversations._transcript import Transcript
from thresher.conversations import Conversation
from thresher.conversations.objects import OBJECT, as_mapping
from thresher.metrics import ShownSocket, column_type, read_text, read_texts, text_column_type
from thresher.metrics.conversations import read_conversations

_CONVERSATIONS = frozenset({"conversations", "reference_conversations"})


def entry_type(socket: str) -> Any:
    """The type of an input; columns with unknown names hold anything that a prompt can show."""
    if socket in get_args(ShownSocket):
        return text_column_type(socket)
    if socket in _CONVERSATIONS:
        return column_type(socket, list[Any])
    texts = list[str] | list[list[str]] | list[dict[Any, Any]]
    numbers = list[int] | list[float] | list[bool] | list[list[int]] | list[list[float]]
    turns = list[list[ChatMessage]] | list[list[dict[Any, Any]]]
    return column_type(socket, texts | numbers | turns)


def shown_entry(item: int, socket: str, entry: Any) -> Any:
    """The entry as the prompt shows it: a text, a list of texts, or texts by name or by turn.

    Inputs that all metrics share, such as answers and contexts, are texts; other columns hold anything.

    Raises:
        InputError: for an entry other than a text, number, date, conversation, or list or mapping of such.
    """
    if socket not in get_args(ShownSocket):
        entry = entry.tolist() if isinstance(entry, np.ndarray | np.generic) else entry
        if socket in _CONVERSATIONS or _is_conversation(entry):
            return _turns(item, socket, entry)
        entry = _written(entry)
    if isinstance(entry, Mapping):
        return {str(key): read_text(item, f"{socket}[{item}]", value) for key, value in entry.items()}
    listed = isinstance(entry, Sequence | np.ndarray) and not isinstance(entry, str | bytes)
    return (read_texts if listed else read_text)(item, socket, entry)


def _written(entry: Any) -> Any:
    """Numbers, truth values and dates as texts, also in lists and mappings; anything else as it is."""
    if isinstance(entry, Mapping):
        return {key: _text_of(value) for key, value in entry.items()}
    return [*map(_text_of, entry)] if isinstance(entry, list | tuple) else _text_of(entry)


def _text_of(value: Any) -> Any:
    """One number, truth value or date as text; NaN is not a number."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value) if isinstance(value, Real | Decimal) and value == value else value  # noqa: PLR0124


def _is_conversation(entry: Any) -> bool:
    """Whether an entry is a message of a framework, or a list of messages, which have a role."""
    if isinstance(entry, OBJECT):
        return False
    messages = entry if isinstance(entry, list | tuple) else [entry]
    return bool(messages) and all(_has_role(message) for message in messages)


def _has_role(message: Any) -> bool:
    if not isinstance(message, OBJECT) and not hasattr(message, "role"):
        return False
    fields = as_mapping(message)
    return isinstance(fields, OBJECT) and "role" in fields


def _turns(item: int, socket: str, entry: Any) -> dict[str, dict[str, Any]]:
    """Turn number with the role -> the turn."""
    before = [None] * item  # so that a message names the item
    conversation = read_conversations(socket, [*before, entry])[item]
    return Transcript(conversation.messages if isinstance(conversation, Conversation) else ()).shown
