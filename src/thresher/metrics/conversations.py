"""Columns of conversations and of expected calls, read once for all metrics of a pipeline."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeVar
from weakref import WeakKeyDictionary

from thresher.conversations import (
    Conversation,
    ConversationError,
    Message,
    ToolCall,
    read_conversation,
    read_tool_calls,
)
from thresher.conversations.message import calls_of
from thresher.conversations.plain import calls_of_plain
from thresher.errors import InputError
from thresher.files.nesting import explain_recursion
from thresher.results import FrozenColumn

T = TypeVar("T")
Turns = Literal["all", "last"]
"""The messages that count: all, or those after the user's last message."""
_known: WeakKeyDictionary[FrozenColumn, dict[Callable[[Any], Any], list[Any]]] = WeakKeyDictionary()
"""Column -> reader -> what it has read. All components of a pipeline get the same columns."""


def read_conversations(socket: str, column: Iterable[Any]) -> list[Conversation | None]:
    """Read a column of conversations; None for missing ones.

    Args:
        socket: name of the input, for messages.
        column: one conversation per item, in any layout that `read_conversation` reads.

    Raises:
        InputError: for an entry that is not a conversation; names the item, the message and the field.
    """
    return _read(socket, column, read_conversation)


def read_expected_calls(socket: str, column: Iterable[Any]) -> list[list[ToolCall] | None]:
    """Read a column of lists of calls; None for missing ones.

    Raises:
        InputError: for an entry that is not a list of calls; names the item and the field.
    """
    return _read(socket, column, read_tool_calls)


def map_conversations(
    socket: str, column: Iterable[Any], measure: Callable[[Conversation], T]
) -> list[T | None]:
    """Measure each conversation, with one in memory at a time; None for missing ones.

    Raises:
        InputError: as `read_conversations`.
    """
    return _entries(socket, column, lambda entry: measure(read_conversation(entry)))


def read_calls(socket: str, column: Iterable[Any], turns: Turns) -> list[list[ToolCall] | None]:
    """Read the calls in a column of conversations; None for missing conversations.

    Args:
        socket: name of the input, for messages.
        column: one conversation per item.
        turns: the messages that count.

    Raises:
        InputError: as `read_conversations`.
    """
    return _read(socket, column, _all_calls if turns == "all" else _last_calls)


def chosen_messages(conversation: Conversation, turns: Turns) -> Sequence[Message]:
    """The messages that count."""
    if turns == "all":
        return conversation.messages
    asked = [place for place, message in enumerate(conversation.messages) if message.role == "user"]
    return conversation.messages[asked[-1] + 1 :] if asked else conversation.messages


def _all_calls(entry: Any) -> list[ToolCall]:
    calls = calls_of_plain(entry)
    return read_conversation(entry).calls if calls is None else calls


def _last_calls(entry: Any) -> list[ToolCall]:
    calls = calls_of_plain(entry, last_turn=True)
    return calls_of(chosen_messages(read_conversation(entry), "last")) if calls is None else calls


def _read(socket: str, column: Iterable[Any], reader: Callable[[Any], T]) -> list[T | None]:
    if not isinstance(column, FrozenColumn):
        return _entries(socket, column, reader)
    known = _known.setdefault(column, {})
    if reader not in known:
        known[reader] = _entries(socket, column, reader)
    return known[reader]


def _entries(socket: str, column: Iterable[Any], reader: Callable[[Any], T]) -> list[T | None]:
    return [
        None if entry is None else _entry(socket, item, entry, reader) for item, entry in enumerate(column)
    ]


def _entry(socket: str, item: int, entry: Any, reader: Callable[[Any], T]) -> T:
    try:
        with explain_recursion(f"{socket}[{item}]"):
            return reader(entry)
    except ConversationError as error:
        raise InputError(f"{socket}[{item}] holds {error.actual}; give {error.expected}") from None
