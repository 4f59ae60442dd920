"""The content of a message: a text, or a list of parts in the layout of any framework."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from thresher.conversations.calls import as_text, read_call
from thresher.conversations.message import KIND, ToolCall, ToolResult
from thresher.conversations.objects import OBJECT, as_mapping
from thresher.conversations.problem import ConversationError

# Tuples: in data of others a `type` can be a list, which no set can look up.
_TEXTS = ("text", "input_text", "output_text", "refusal")
_CALLS = ("tool_call", "tool_use", "function_call")
_RESULTS = ("tool_call_response", "tool_result", "function_call_output")
_REASONING = ("thinking", "reasoning")
CALLS = ("functionCall", "function_call")
RESPONSES = ("functionResponse", "function_response")
_FILES = (
    *("inlineData", "inline_data", "fileData", "file_data"),
    *("executableCode", "executable_code", "codeExecutionResult", "code_execution_result"),
)
"""Fields of Gemini's parts, which have no `type`: a call, its result, and what is shown by its kind."""
_FROM_HAYSTACK = {"base64_image": "image", "base64_data": "file", "reasoning_text": "reasoning"}
"""Field of a part of Haystack's `ChatMessage` without its kind -> the kind."""


@dataclass
class Content:
    """The parts of one message; results have calls that hold only the id and name that the part states."""

    texts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    results: list[ToolResult] = field(default_factory=list)
    media: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def text(self) -> str | None:
        """The texts, one a line; None without one."""
        return "\n".join(self.texts) if self.texts else None


def read_content(body: Any, place: str) -> Content:
    """Read the content of a message.

    Args:
        body: None, a text or a list of parts.
        place: its place in messages.

    Raises:
        ConversationError: for other objects, naming the part.
    """
    content = Content()
    if body is None:
        return content
    if isinstance(body, str):
        content.texts.append(body)
        return content
    if not isinstance(body, list | tuple):
        raise ConversationError(place, body, "a text or a list of parts")
    for number, part in enumerate(body):
        _add(content, part, f"{place}[{number}]")
    return content


def result_text(result: Any) -> str:
    """What a tool returned as a text: the texts of a list of parts, and JSON for other values."""
    if result is None or isinstance(result, str):
        return result or ""
    if isinstance(result, list | tuple) and result and all(_part_text(part) is not None for part in result):
        return "\n".join(_part_text(part) or "" for part in result)
    return as_text(result)


def _add(content: Content, part: Any, place: str) -> None:
    part = as_mapping(part)
    text = _part_text(part)
    if text is not None and isinstance(part, OBJECT) and part.get("thought") is True:  # Gemini's reasoning
        content.media.append({"reasoning": {"reasoning_text": text, "extra": {}}})
        return
    if text is not None:
        content.texts.append(text)
        return
    if not isinstance(part, OBJECT):
        raise ConversationError(place, part, "a part: a text, or an object such as {'text': 'Hello'}")
    kind = part.get("type")
    call = next((key for key in (*CALLS, "tool_call") if isinstance(part.get(key), OBJECT)), "")
    response = next((key for key in RESPONSES if isinstance(part.get(key), OBJECT)), "")
    if call:
        content.calls.append(read_call(part[call], f"{place}.{call}"))
    elif response:
        content.results.append(read_result(part[response]))
    elif _ends(kind, _CALLS) or "tool_name" in part:
        content.calls.append(read_call(part, place))
    elif isinstance(part.get("tool_call_result"), OBJECT):
        content.results.append(_haystack_result(part["tool_call_result"], f"{place}.tool_call_result"))
    elif "origin" in part:
        content.results.append(_haystack_result(part, place))
    elif _ends(kind, _RESULTS):
        content.results.append(read_result(part))
    else:
        _add_media(content, part, place)


def _ends(kind: Any, kinds: tuple[str, ...]) -> bool:
    """Whether a part is of one of the kinds, which tools that run at the provider put a word before."""
    return isinstance(kind, str) and kind.endswith(kinds)


def _part_text(part: Any) -> str | None:
    if isinstance(part, str):
        return part
    if not isinstance(part, OBJECT) or part.get("type", "text") not in _TEXTS:
        return None
    text = part.get("text", part.get("content", part.get("refusal")))
    return text if isinstance(text, str) else None


def _haystack_result(part: Mapping[str, Any], place: str) -> ToolResult:
    origin = part.get("origin")
    call = read_call(origin, f"{place}.origin") if origin is not None else ToolCall("", {})
    return ToolResult(result_text(part.get("result")), call, bool(part.get("error")))


def read_result(part: Mapping[str, Any]) -> ToolResult:
    """Read a result in the layout of OpenTelemetry, Anthropic, Gemini or OpenAI's Responses."""
    keys = ("response", "result", "content", "output")
    value = next((part[key] for key in keys if part.get(key) is not None), None)
    identity = next((part[key] for key in ("tool_use_id", "call_id", "id") if part.get(key)), None)
    call = ToolCall(str(part.get("name") or ""), {}, None if identity is None else str(identity))
    return ToolResult(result_text(value), call, bool(part.get("is_error")))


def _add_media(content: Content, part: Mapping[str, Any], place: str) -> None:
    """Add an image, a file or reasoning; of another part only the kind is stored, as a file without data.

    Raises:
        ConversationError: for a part without a kind, so that nothing of a message is lost unnoticed.
    """
    kind = part.get("type")
    plain = next((name for key, name in _FROM_HAYSTACK.items() if key in part), None)
    if kind is None and any(isinstance(part.get(name), OBJECT) for name in _FROM_HAYSTACK.values()):
        content.media.append(part)
    elif plain is not None:
        content.media.append({plain: part})
    elif kind in _REASONING:
        text = part.get("thinking", part.get("text", part.get("content")))
        content.media.append({"reasoning": {"reasoning_text": str(text or ""), "extra": {}}})
    elif (image := _image(part)) is not None:
        content.media.append({"image": image})
    elif kind in _TEXTS:
        raise ConversationError(place, part, "a part with a `text`")
    elif shown := kind if isinstance(kind, str) else next((key for key in _FILES if key in part), ""):
        file = {"base64_data": "", "mime_type": None, "filename": None, "extra": {KIND: shown}}
        content.media.append({"file": file | {"validation": False}})
    else:
        raise ConversationError(place, part, "a part with a `text`, a call, a result, or a `type`")


def _image(part: Mapping[str, Any]) -> dict[str, Any] | None:
    """The image of a part that contains its data, as OpenAI and Anthropic write it; None for others."""
    url = part.get("image_url")
    url = url.get("url") if isinstance(url, OBJECT) else url
    source = part.get("source")
    if isinstance(url, str) and url.startswith("data:") and ";base64," in url:
        kind, _, data = url.removeprefix("data:").partition(";base64,")
        return _image_part(kind or None, data)
    if isinstance(source, OBJECT) and isinstance(source.get("data"), str):
        return _image_part(source.get("media_type"), source["data"])
    return None


def _image_part(kind: Any, data: str) -> dict[str, Any]:
    return {"base64_image": data, "mime_type": kind, "detail": None, "meta": {}, "validation": False}
