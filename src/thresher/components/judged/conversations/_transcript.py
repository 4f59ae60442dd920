"""Conversations as judges read them: numbered turns, calls of tools, and units."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from thresher.conversations import Conversation, Message, ToolCall, ToolResult, turn_units
from thresher.judges import Flow
from thresher.metrics import Conversations, Items, JudgedItem, JudgeJob
from thresher.metrics.conversations import read_conversations


@dataclass(frozen=True)
class Transcript:
    """The turns of one conversation; a turn is a message, and its id is the message's number from 1.

    In prompts a turn is an object, in which calls and results have places of their own: a text that looks
    like a call, a result or a turn stays a text.
    """

    messages: tuple[Message, ...]

    @cached_property
    def turns(self) -> dict[str, str]:
        """Turn id -> what the message says, calls and returns, in words for reports."""
        return {str(place): _written(message) for place, message in enumerate(self.messages, 1)}

    @cached_property
    def shown(self) -> dict[str, dict[str, Any]]:
        """Turn id with the role -> the turn: `conversation` in prompts."""
        return {
            f"{turn} {message.role}": _turn(message)
            for turn, message in zip(self.turns, self.messages, strict=True)
        }

    @cached_property
    def calls(self) -> dict[str, dict[str, Any]]:
        """Call id, from 1 -> the turn and the call: `calls` in prompts."""
        calls = [{"turn": turn, **_call(call)} for turn, call in self._calls]
        return {str(place): call for place, call in enumerate(calls, 1)}

    @property
    def written_calls(self) -> dict[str, str]:
        """Call id -> the turn and the call, in words for reports."""
        return {str(place): f"turn {turn}: {call}" for place, (turn, call) in enumerate(self._calls, 1)}

    @property
    def _calls(self) -> list[tuple[int, ToolCall]]:
        return [(turn, call) for turn, message in enumerate(self.messages, 1) for call in message.calls]

    @cached_property
    def units(self) -> list[list[str]]:
        """Turn ids of the units: turns of the user and the following turns of the assistant."""
        units = turn_units([message.role for message in self.messages])
        return [[str(place + 1) for place in unit] for unit in units]

    def said_by(self, role: str) -> dict[str, str]:
        """Turn id -> turn in words, of the messages of a role that have a text, images or files."""
        return {
            turn: self.turns[turn]
            for turn, message in zip(self.turns, self.messages, strict=True)
            if message.role == role and ((message.text or "").strip() or message.media_kinds)
        }

    def window(self, first: str, last: str) -> dict[str, dict[str, Any]]:
        """The turns from one id to another with their roles, without the system's."""
        turns = list(self.shown.items())[int(first) - 1 : int(last)]
        return {key: turn for key, turn in turns if not key.endswith(" system")}


def _turn(message: Message) -> dict[str, Any]:
    """A message as an object. Different messages give different objects, reasoning and names aside."""
    turn: dict[str, Any] = {} if message.text is None else {"text": message.text}
    parts = {
        "calls": [_call(call) for call in message.calls],
        "results": [
            {"tool": result.call.name, "error" if result.failed else "result": result.text}
            for result in message.results
        ],
        "media": message.media_kinds,
    }
    return turn | {name: part for name, part in parts.items() if part}


def _call(call: ToolCall) -> dict[str, Any]:
    if call.invalid is not None:
        return {"tool": call.name, "invalid_arguments": call.invalid}
    return {"tool": call.name, "arguments": dict(call.arguments)}


def _written(message: Message) -> str:
    """A message in words: its text, the calls that it asks for, and what tools returned."""
    parts = [message.text or "", *(f"calls {call}" for call in message.calls)]
    parts += map(_returned, message.results)
    parts += (f"[{kind}]" for kind in message.media_kinds)
    return "\n".join(filter(None, parts))


def transcripts(items: Items, conversations: Conversations) -> list[Transcript]:
    """The conversations of the present items."""
    column = read_conversations("conversations", conversations)
    return [_transcript(column[item]) for item in items.present]


def conversation_job(
    conversations: Conversations, flow: Callable[[Transcript], Flow[JudgedItem]], **job: Any
) -> JudgeJob:
    """Return the job of a metric whose only input is the conversation.

    Args:
        conversations: one conversation per item.
        flow: makes the flow of one item.
        job: further arguments of `JudgeJob`.
    """
    items = Items(conversations=conversations)
    return JudgeJob(items, [flow(chat) for chat in transcripts(items, conversations)], **job)


def _transcript(conversation: Conversation | None) -> Transcript:
    return Transcript(conversation.messages if conversation is not None else ())


def _returned(result: ToolResult) -> str:
    verb = "failed with" if result.failed else "returned"
    return f"{result.call.name or 'the tool'} {verb}: {result.text}"
