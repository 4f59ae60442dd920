"""Conversations and lists of calls, in the layout of any framework."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.conversations.calls import is_call, read_call
from thresher.conversations.layouts import INSTRUCTIONS, LISTS, SPAN_MESSAGES, is_span, layout_of
from thresher.conversations.message import Conversation, Message, ToolCall
from thresher.conversations.messages import join_results, read_messages
from thresher.conversations.objects import OBJECT, as_mapping
from thresher.conversations.parts import read_content
from thresher.conversations.plain import call_of_plain, calls_of_plain, message_of_plain
from thresher.conversations.problem import ConversationError
from thresher.errors import InputError
from thresher.files.parsing import parse_json

_EXPECTED = "a list of messages"


def read_conversation(entry: Any) -> Conversation:
    """Read a conversation.

    Layouts are recognised by their fields: messages of OpenAI (also items of its Responses), Haystack (dicts
    and objects), LangChain, ragas, Anthropic, Gemini and OpenTelemetry's GenAI conventions, turns of
    DeepEval, objects around such a list (requests with instructions, outputs of a Haystack Agent, samples
    and test cases, spans), JSON of any of them, and a bare list of calls.

    Raises:
        ConversationError: if it is something else, naming the message and the field.
    """
    entry = opened_entry(entry)
    if isinstance(entry, OBJECT):
        if is_span(entry):
            return _span(entry)
        key = next((key for key in LISTS if isinstance(entry.get(key), list | tuple)), None)
        if key is not None:
            given = next((entry[name] for name in INSTRUCTIONS if entry.get(name) is not None), None)
            return _conversation(entry[key], key, _system(given))
        entry = [entry]
    return _conversation(entry, "messages")


def read_tool_calls(entry: Any) -> list[ToolCall]:
    """Read a list of calls, or a conversation, whose calls count.

    Raises:
        ConversationError: if it is neither, naming the field.
    """
    if entry and (calls := calls_of_plain(entry)) is not None:
        return calls
    entry = opened_entry(entry)
    if isinstance(entry, list | tuple) and all(map(is_call, map(as_mapping, entry))):
        return [call_of_plain(call) or read_call(call, f"[{number}]") for number, call in enumerate(entry)]
    return read_conversation(entry).calls


def opened_entry(entry: Any) -> Any:
    """The value of JSON text; the fields of an object; the attributes of a span; else the entry itself."""
    if isinstance(entry, str) and entry.lstrip().startswith(("[", "{")):
        try:
            return opened_entry(parse_json(entry, "the conversation"))
        except InputError:
            raise ConversationError("", entry, _EXPECTED) from None
    if isinstance(entry, list | tuple):
        return entry
    opened = as_mapping(entry)
    attributes = opened.get("attributes") if isinstance(opened, OBJECT) else None
    return attributes if isinstance(attributes, OBJECT) and is_span(attributes) else opened


def _conversation(entries: Any, key: str, before: Sequence[Message] = ()) -> Conversation:
    if not isinstance(entries, list | tuple):
        raise ConversationError("", entries, _EXPECTED)
    if entries and all(map(is_call, map(as_mapping, entries))):
        entries = [{"role": "assistant", "tools_called": entries}]
    messages = [*before]
    for number, message in enumerate(entries):
        if (plain := message_of_plain(message)) is not None:
            messages.append(plain)
        else:
            messages += read_messages(message, f"{key}[{number}]")
    return Conversation(join_results(messages), "deepeval" if key == "turns" else layout_of(entries))


def _system(instructions: Any) -> list[Message]:
    if isinstance(instructions, OBJECT):  # Gemini's
        instructions = instructions.get("parts")
    content = read_content(instructions, "system")
    if not (content.text or content.media or content.calls):
        return []
    return [Message("system", content.text, tuple(content.calls), media=tuple(content.media))]


def _span(attributes: Mapping[str, Any]) -> Conversation:
    """The messages of a span of OpenTelemetry's GenAI conventions."""
    system, asked, replied = (_value(attributes.get(key)) for key in SPAN_MESSAGES)
    if not asked and not replied:
        expected = (
            "`gen_ai.input.messages` or `gen_ai.output.messages`; switch on the capture of message content "
            "in the instrumentation"
        )
        raise ConversationError("a span without messages, gen_ai.input.messages", asked, expected)
    lists = [messages or [] for messages in (asked, replied)]
    for key, messages in zip(SPAN_MESSAGES[1:], lists, strict=True):
        if not isinstance(messages, list | tuple):
            raise ConversationError(key, messages, _EXPECTED)
    joined = [*lists[0], *lists[1]]
    return _conversation(joined, "messages", _system(system))._replace(layout="opentelemetry")


def _value(attribute: Any) -> Any:
    return (
        opened_entry(attribute)
        if isinstance(attribute, str) and attribute.lstrip()[:1] in "[{"
        else attribute
    )
