"""A conversation in one form for all layouts, and as the dicts of Haystack's `ChatMessage`."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

KIND = "kind"
"""Key of the `extra` of a file of which only the kind is stored, such as audio."""
INVALID_ARGUMENTS, OUTPUT = "invalid_arguments", "output"
"""Keys of a call's `extra`: the text of arguments that are not a JSON object, and the expected output."""


class ToolCall(NamedTuple):
    """A call of a tool that a model asks for.

    Attributes:
        name: the tool.
        arguments: its arguments by name; empty if they cannot be read.
        id: joins the call and its result; None in layouts without ids.
        invalid: arguments that are not a JSON object, as the model wrote them; None for readable ones.
        output: of an expected call, what the tool should return; None if that is not stated.
    """

    name: str
    arguments: Mapping[str, Any]
    id: str | None = None
    invalid: str | None = None
    output: str | None = None

    def plain(self) -> dict[str, Any]:
        """The dict of Haystack's `ToolCall`."""
        extra = None
        if self.invalid is not None or self.output is not None:
            both = {INVALID_ARGUMENTS: self.invalid, OUTPUT: self.output}
            extra = {key: value for key, value in both.items() if value is not None}
        return {"tool_name": self.name, "arguments": dict(self.arguments), "id": self.id, "extra": extra}

    def __str__(self) -> str:
        """The call as code, e.g. `weather(city="Lyon")`."""
        pairs = (
            f"{key}={json.dumps(value, ensure_ascii=False, default=str)}"
            for key, value in self.arguments.items()
        )
        return f"{self.name}({', '.join(pairs) if self.invalid is None else self.invalid})"


class ToolResult(NamedTuple):
    """What a tool returned.

    Attributes:
        text: the result; other values than texts are JSON.
        call: the call that it answers; its name is "" if the conversation lacks that call.
        failed: whether the tool reported an error.
    """

    text: str
    call: ToolCall
    failed: bool = False

    def plain(self) -> dict[str, Any]:
        """The dict of Haystack's `ToolCallResult`."""
        return {"result": self.text, "origin": self.call.plain(), "error": self.failed}


class Message(NamedTuple):
    """One message of a conversation.

    Attributes:
        role: `system`, `user`, `assistant` or `tool`.
        text: its text; None without one.
        calls: the calls of tools that an assistant's message asks for.
        results: results of calls.
        media: images, files and reasoning, as the content parts of Haystack's `ChatMessage`.
        name: name of the author.
        meta: further data, such as `usage`, the tokens of a reply.
    """

    role: str
    text: str | None = None
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    media: tuple[Mapping[str, Any], ...] = ()
    name: str | None = None
    meta: Mapping[str, Any] = {}

    @property
    def media_kinds(self) -> list[str]:
        """Kinds of the images, files and other parts; reasoning is not part of what is said."""
        return [_stated_kind(part) or kind for part in self.media for kind in part if kind != "reasoning"]

    def plain(self) -> dict[str, Any]:
        """The dict of Haystack's `ChatMessage`."""
        content: list[dict[str, Any]] = [] if self.text is None else [{"text": self.text}]
        content += [{"tool_call": call.plain()} for call in self.calls]
        content += [{"tool_call_result": result.plain()} for result in self.results]
        content += map(dict, self.media)
        return {"role": self.role, "meta": dict(self.meta), "name": self.name, "content": content}


def _stated_kind(part: Mapping[str, Any]) -> str:
    file = part.get("file")
    extra = file.get("extra") if isinstance(file, Mapping) else None
    kind = extra.get(KIND) if isinstance(extra, Mapping) else None
    return kind if isinstance(kind, str) else ""


class Conversation(NamedTuple):
    """The messages of one conversation, in order.

    Attributes:
        messages: the messages.
        layout: the layout that they were read from, e.g. `openai`; "" if they do not show it.
    """

    messages: tuple[Message, ...]
    layout: str

    def plain(self) -> list[dict[str, Any]]:
        """The dicts of Haystack's `ChatMessage`s."""
        return [message.plain() for message in self.messages]

    @property
    def calls(self) -> list[ToolCall]:
        """The calls of all messages, in order."""
        return calls_of(self.messages)


def calls_of(messages: Iterable[Message]) -> list[ToolCall]:
    """The calls of messages, in order."""
    return [call for message in messages for call in message.calls]
