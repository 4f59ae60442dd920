"""The layouts of conversations, recognised by the fields of their messages."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.conversations.objects import OBJECT

LISTS = ("messages", "turns", "user_input", "contents", "output")
"""Keys of the messages in objects around them: Anthropic and Haystack's agents, DeepEval, ragas, Gemini, and
OpenAI's Responses."""
INSTRUCTIONS = ("system", "systemInstruction", "system_instruction", "instructions")
"""Keys of the instructions beside them."""
SPAN_MESSAGES = ("gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages")
"""Attributes of a GenAI span with messages."""
_LIBRARIES = {"langchain_core": "langchain", "thresher": "haystack"}
"""Package of a message that is an object -> layout, if it is not the name of the package."""
_OPENAI = ("tool_calls", "tool_call_id", "function_call")
_BLOCKS = ("tool_use", "tool_result", "thinking")


def conversation_layout(entry: Any) -> str:
    """The layout of a conversation, e.g. `openai`; "" if its messages do not show it, or for other data."""
    if isinstance(entry, OBJECT):
        if is_span(entry):
            return "opentelemetry"
        if isinstance(entry.get("turns"), list | tuple):
            return "deepeval"
        entry = next((entry[key] for key in LISTS if key in entry), None)
    return layout_of(entry) if isinstance(entry, list | tuple) else ""


def layout_of(messages: Sequence[Any]) -> str:
    """The first layout that a message shows, `openai` last; "" if all have just a role and a text."""
    shown = [name for name in map(_layout_of_message, messages) if name]
    return next((name for name in shown if name != "openai"), shown[0] if shown else "")


def is_item(message: Mapping[Any, Any]) -> bool:
    """Whether an object is an item of OpenAI's Responses: a call, its output, or reasoning."""
    kind = message.get("type")
    return isinstance(kind, str) and (kind == "reasoning" or kind.endswith(("_call", "_call_output")))


def is_span(entry: Mapping[Any, Any]) -> bool:
    """Whether an object has attributes of a GenAI span."""
    return any(isinstance(key, str) and key.startswith("gen_ai.") for key in entry)


def _layout_of_message(message: Any) -> str:
    if not isinstance(message, OBJECT):
        package = type(message).__module__.partition(".")[0]
        return _LIBRARIES.get(package, package)
    if "tools_called" in message:
        return "deepeval"
    if "parts" in message:
        return _layout_of_parts(message["parts"])
    untitled = "type" in message and "role" not in message
    if isinstance(message.get("data"), OBJECT) or (
        untitled and any(key in message for key in ("additional_kwargs", "tool_call_id"))
    ):
        return "langchain"
    if untitled and not is_item(message):
        return "ragas"
    in_openai = "openai" if untitled or any(key in message for key in _OPENAI) else ""
    return _layout_of_content(message.get("content", message.get("_content"))) or in_openai


def _layout_of_parts(parts: Any) -> str:
    """Parts of OpenTelemetry have a `type`, those of Gemini have none."""
    parts = parts if isinstance(parts, list | tuple) else ()
    is_typed = any(isinstance(part, OBJECT) and "type" in part for part in parts)
    return "opentelemetry" if is_typed or not parts else "gemini"


def _layout_of_content(content: Any) -> str:
    parts = content if isinstance(content, list | tuple) else ()
    kinds = [part.get("type") for part in parts if isinstance(part, OBJECT)]
    if None in kinds:
        return "haystack"
    return "anthropic" if any(kind in kinds for kind in _BLOCKS) else ""
