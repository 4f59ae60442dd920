"""One message in the layout of any framework; results are joined with calls by `join_results`."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from thresher.conversations.calls import ARGUMENTS, read_call
from thresher.conversations.layouts import is_item
from thresher.conversations.message import Message, ToolCall, ToolResult
from thresher.conversations.objects import OBJECT, as_mapping
from thresher.conversations.parts import RESPONSES, Content, read_content, read_result, result_text
from thresher.conversations.problem import ConversationError

_ROLES = {
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "ai", "model", "chatbot"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function"), "tool"),
}
_META = ("model", "finish_reason")
_FREE, _OUTPUTS = ("input", "queries", "code"), ("output", "results", "outputs")
"""Fields of calls in OpenAI's Responses that are no arguments in JSON, and what such calls returned."""


def read_messages(entry: Any, field: str) -> Iterator[Message]:
    """Read one message; several are returned if the layout puts calls and their results into one.

    Args:
        entry: the message.
        field: its place in messages, e.g. `messages[3]`.

    Raises:
        ConversationError: if it is not a message, naming the field.
    """
    message = as_mapping(entry)
    if not isinstance(message, OBJECT):
        raise ConversationError(field, entry, "a message: an object with `role` and `content`")
    if "role" not in message and is_item(message):
        yield from _item(message, field)
        return
    role = _role(message, field)
    inner = message.get("data")
    fields = inner if isinstance(inner, OBJECT) else message  # LangChain nests the fields in `data`
    key = next((key for key in ("content", "parts", "_content") if key in fields), "content")
    body = as_mapping(fields.get(key)) if role == "tool" else fields.get(key)
    plain = role == "tool" and not _has_results(body)  # what a tool returned, whatever it is
    content = Content() if plain else read_content(body, f"{field}.{key}")
    if role == "tool" and not content.results:
        yield Message("tool", results=(_tool_result(fields, body),))
        return
    calls = tuple(_calls(fields, content, field))
    name = fields.get("name", fields.get("_name"))
    if content.results and role != "tool":  # Anthropic: of the user's message, or of the one with the call
        if role == "assistant" and calls:
            yield Message(role, calls=calls)
            calls = ()
        yield Message("tool", results=tuple(content.results))
        if not (content.texts or content.media or calls):
            return
        content.results = []
    if turns := fields.get("tools_called"):  # DeepEval: a turn holds calls, their results and the reply
        yield from _called_tools([call._replace(output=None) for call in calls], turns)
        calls = ()
    if (refusal := _refusal(fields)) and refusal not in content.texts:
        content.texts = [*filter(None, content.texts), refusal]
    text = None if not content.text and (calls or content.results or content.media) else content.text
    media, results = tuple(content.media), tuple(content.results)
    yield Message(
        role, text, calls, results, media, name if isinstance(name, str) else None, read_meta(fields)
    )


def _item(item: Mapping[str, Any], field: str) -> Iterator[Message]:
    """An item of OpenAI's Responses: a call, with its output if it has one, or the output of a call.

    Reasoning is not part of what was said.
    """
    kind = item["type"]
    if kind.endswith("_output"):
        yield Message("tool", results=(read_result(item),))
    elif kind != "reasoning":
        name = item.get("name") or kind.removesuffix("_call")  # web_search_call has no name
        given = next((item[key] for key in (*ARGUMENTS, "action") if item.get(key) is not None), None)
        if kind == "custom_tool_call" or given is None:  # a plain text; fields of the provider's own tools
            given = {key: item[key] for key in _FREE if item.get(key) is not None}
        call = read_call(
            {"arguments": given, "call_id": item.get("call_id", item.get("id")), "name": name}, field
        )
        yield Message("assistant", calls=(call,))
        output = next((item[key] for key in _OUTPUTS if item.get(key) is not None), None)
        if output is not None or item.get("error") is not None:
            text = result_text(output if item.get("error") is None else item["error"])
            yield Message("tool", results=(ToolResult(text, call, item.get("error") is not None),))


def join_results(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Give each result its call: by the id, or in the order of the calls in layouts without ids."""
    by_id: dict[str, list[ToolCall]] = {}
    pending: deque[ToolCall] = deque()
    joined = []
    for message in messages:
        if message.calls:
            pending = deque(message.calls)
            for call in message.calls:
                if call.id is not None:
                    by_id.setdefault(call.id, []).append(call)
        if message.results:
            results = tuple(_joined(result, by_id, pending) for result in message.results)
            if results != message.results:
                message = message._replace(results=results)  # noqa: PLW2901  # the message with its calls
        joined.append(message)
    return tuple(joined)


def read_meta(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Model, tokens and reason of the end of a reply. Other entries are left out: they differ by layout."""
    meta = fields.get("meta", fields.get("_meta", fields))
    if not isinstance(meta, OBJECT):
        return {}
    known = {key: meta[key] for key in _META if isinstance(meta.get(key), str)}
    usage = as_mapping(meta.get("usage") or meta.get("usage_metadata"))
    if usage is not None and isinstance(usage, OBJECT):
        tokens = {key: value for key, value in usage.items() if type(value) is int and key.endswith("tokens")}
        known |= {"usage": tokens} if tokens else {}
    return known


def _role(message: Mapping[str, Any], field: str) -> str:
    given = message.get("role", message.get("_role", message.get("type")))
    role = _ROLES.get(str(getattr(given, "value", given)))
    if role is None:
        roles = "`user`, `assistant`, `system` or `tool`"
        raise ConversationError(f"{field}.role", given, roles)
    return role


def _refusal(fields: Mapping[str, Any]) -> str:
    """What OpenAI's models say instead of a content; LangChain and Haystack put it beside the message."""
    places = (fields, *(fields.get(key) for key in ("additional_kwargs", "meta", "_meta")))
    given = (place.get("refusal") for place in places if isinstance(place, OBJECT))
    return next((text for text in given if isinstance(text, str) and text), "")


def _calls(fields: Mapping[str, Any], content: Content, field: str) -> Iterator[ToolCall]:
    """The calls among the parts, and those in a field of their own; some frameworks write both."""
    yield from content.calls
    known = {call.id for call in content.calls if call.id is not None}
    for key in ("tool_calls", "invalid_tool_calls", "tools_called"):
        listed = fields.get(key)
        if listed is None:
            continue
        if not _is_list(listed):
            raise ConversationError(f"{field}.{key}", listed, "a list of calls")
        calls = (read_call(call, f"{field}.{key}[{number}]") for number, call in enumerate(listed))
        yield from (call for call in calls if call.id not in known or call.id is None)
    if fields.get("function_call") is not None:  # OpenAI until 2023
        yield read_call(fields["function_call"], f"{field}.function_call")


def _called_tools(calls: Sequence[ToolCall], entries: Sequence[Any]) -> Iterator[Message]:
    """DeepEval's called tools: one message with all calls, and one with their results."""
    yield Message("assistant", calls=tuple(calls))
    outputs = [as_mapping(entry).get("output") for entry in entries]
    results = [
        ToolResult(result_text(output), call)
        for call, output in zip(calls, outputs, strict=False)
        if output is not None
    ]
    if results:
        yield Message("tool", results=tuple(results))


def _has_results(body: Any) -> bool:
    """Whether the parts of a tool's message are results, which state their call."""
    marks = ("tool_call_result", "origin", *RESPONSES)
    return _is_list(body) and any(
        isinstance(part, OBJECT)
        and (str(part.get("type")).startswith("tool_") or any(m in part for m in marks))
        for part in map(as_mapping, body)
    )


def _tool_result(fields: Mapping[str, Any], body: Any) -> ToolResult:
    """A tool's message in the layout of OpenAI, ragas or LangChain."""
    identity = fields.get("tool_call_id")
    call = ToolCall(str(fields.get("name") or ""), {}, None if identity is None else str(identity))
    failed = fields.get("status") == "error" or bool(fields.get("is_error") or fields.get("error"))
    return ToolResult(result_text(body), call, failed)


def _joined(result: ToolResult, by_id: Mapping[str, list[ToolCall]], pending: deque[ToolCall]) -> ToolResult:
    call = result.call
    if call.id is not None and call.id in by_id:
        named = by_id[call.id]
        call = call if call in named else named[-1]  # some models use an id again: the latest call counts
    elif call.id is None and pending:
        call = next((one for one in pending if call.name in ("", one.name)), call)
    if call in pending:
        pending.remove(call)
    return result if call is result.call else result._replace(call=call)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)
