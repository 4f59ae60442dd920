"""Conversations as judges read them: numbered turns, calls of tools, and units."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from thresher.conversations import Conversation, Message, ToolResult, turn_units
from thresher.judges import Flow
from thresher.metrics import Conversations, Items, JudgedItem, JudgeJob
from thresher.metrics.conversations import read_conversations


@dataclass(frozen=True)
class Transcript:
    """The turns of one conversation; a turn is a message, and its id is the message's number from 1."""

    messages: tuple[Message, ...]

    @cached_property
    def turns(self) -> dict[str, str]:
        """Turn id -> what the message says, calls and returns."""
        return {str(place): written(message) for place, message in enumerate(self.messages, 1)}

    @cached_property
    def shown(self) -> dict[str, str]:
        """Turn id with the role -> the turn: `conversation` in prompts."""
        return self._with_roles(self.turns)

    @cached_property
    def calls(self) -> dict[str, str]:
        """Call id, from 1 -> the turn and the call."""
        calls = [
            f"turn {turn}: {call}" for turn, message in enumerate(self.messages, 1) for call in message.calls
        ]
        return {str(place): call for place, call in enumerate(calls, 1)}

    @cached_property
    def units(self) -> list[list[str]]:
        """Turn ids of the units: turns of the user and the following turns of the assistant."""
        units = turn_units([message.role for message in self.messages])
        return [[str(place + 1) for place in unit] for unit in units]

    def said_by(self, role: str) -> dict[str, str]:
        """Turn id -> turn, of the messages of a role that have a text."""
        return {
            turn: self.turns[turn]
            for turn, message in zip(self.turns, self.messages, strict=True)
            if message.role == role and (message.text or "").strip()
        }

    def window(self, first: str, last: str) -> dict[str, str]:
        """The turns from one id to another with their roles, without the system's."""
        turns = [str(place) for place in range(int(first), int(last) + 1)]
        return self._with_roles({turn: self.turns[turn] for turn in turns if self._role(turn) != "system"})

    def _with_roles(self, turns: Mapping[str, str]) -> dict[str, str]:
        return {f"{turn} {self._role(turn)}": text for turn, text in turns.items()}

    def _role(self, turn: str) -> str:
        return self.messages[int(turn) - 1].role


def written(message: Message) -> str:
    """A message in words: its text, the calls that it asks for, and what tools returned."""
    parts = [message.text or "", *(f"calls {call}" for call in message.calls)]
    parts += map(_returned, message.results)
    parts += (f"[{kind}]" for part in message.media for kind in part if kind != "reasoning")
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
