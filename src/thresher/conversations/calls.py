"""Calls of tools, in the layout of any framework."""

import json
from collections.abc import Mapping
from typing import Any

from thresher.conversations.message import INVALID_ARGUMENTS, OUTPUT, ToolCall
from thresher.conversations.objects import OBJECT, as_mapping
from thresher.conversations.problem import ConversationError
from thresher.errors import InputError
from thresher.files.parsing import decode_json, parse_json

_SHORT = 200  # characters, too few for numbers and levels of objects beyond the default limits
NAMES = ("name", "tool_name")
ARGUMENTS = ("arguments", "args", "input_parameters", "input", "parameters")
"""Keys of the arguments: OpenAI and Haystack; ragas and LangChain; DeepEval; Anthropic; Cohere."""


def read_call(entry: Any, field: str) -> ToolCall:
    """Read one call.

    Arguments that are not a JSON object do not raise an error: models write such calls, and they count as
    calls with invalid arguments.

    Args:
        entry: the call.
        field: its place in messages.

    Raises:
        ConversationError: for anything but an object with the name of a tool.
    """
    call = as_mapping(entry)
    if not isinstance(call, OBJECT):
        raise ConversationError(field, entry, "a call: an object with `name` and `arguments`")
    function = call.get("function")
    fields = function if isinstance(function, OBJECT) else call
    name = next((fields[key] for key in NAMES if fields.get(key) is not None), None)
    if not isinstance(name, str):
        raise ConversationError(f"{field}.name", name, "the name of a tool, a text")
    given = next((fields[key] for key in ARGUMENTS if fields.get(key) is not None), None)
    arguments, invalid = read_arguments(given)
    extra = call.get("extra")
    extra = extra if isinstance(extra, OBJECT) else {}
    if isinstance(extra.get(INVALID_ARGUMENTS), str):
        arguments, invalid = {}, extra[INVALID_ARGUMENTS]
    output = extra.get(OUTPUT, call.get(OUTPUT))
    identity = call.get("call_id", call.get("id"))  # items of OpenAI's Responses have both
    return ToolCall(
        name,
        arguments,
        None if identity is None else str(identity),
        invalid,
        None if output is None else as_text(output),
    )


def as_text(value: Any) -> str:
    """A text, or the JSON of another value."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def is_call(entry: Any) -> bool:
    """Whether an entry is a call rather than a message."""
    if not isinstance(entry, OBJECT) or entry.get("role") is not None:
        return False
    function = entry.get("function")
    fields = function if isinstance(function, OBJECT) else entry
    return any(isinstance(fields.get(key), str) for key in NAMES)


def read_arguments(given: Any) -> tuple[Mapping[str, Any], str | None]:
    """The arguments, and what was written if they are not a JSON object; else None."""
    if isinstance(given, OBJECT):
        plain = given if all(type(key) is str for key in given) else {str(key): given[key] for key in given}
        return plain, None
    if given is None or given == "":  # what models write for a tool without parameters
        return {}, None
    if not isinstance(given, str):
        return {}, as_text(given)
    try:
        parsed = _parsed(given)
    except (InputError, ValueError):
        return {}, given
    return (parsed, None) if isinstance(parsed, dict) else ({}, given)


def _parsed(text: str) -> Any:
    """The value of JSON text. Checks of depth and numbers cost more than parsing; short texts need none.

    Raises:
        InputError: if it is not JSON, is nested too deeply, or has numbers that are too long.
        ValueError: for NaN and infinite numbers, which Python reads and JSON does not allow.
    """
    value = (parse_json if len(text) > _SHORT else decode_json)(text, "arguments")
    if "NaN" in text or "Infinity" in text:
        json.dumps(value, allow_nan=False)
    return value
