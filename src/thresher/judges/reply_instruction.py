"""Instruction for the form of a reply, which own words may leave to the library."""

import re
from typing import Any

from thresher.judges.reply_schema import Json, ReplySchema

_REFERENCE = "$ref"
_MOST_LISTED = 12
"""Ids that the instruction lists one by one; a longer list repeats what the prompt shows."""


def reply_instruction(schema: ReplySchema[Any]) -> str:
    r"""The form of a reply in words; empty for a form without a JSON schema.

    >>> from thresher.judges import Rating, Verdicts
    >>> print(reply_instruction(Rating(1, 5)))
    Reply with one JSON object of this form: {"reason": "...", "rating": 1 | 2 | 3 | 4 | 5}
    >>> print(reply_instruction(Verdicts(("1", "2"), ("A", "B"))))
    Reply with one JSON object of this form: {"1": {"reason": "...", "verdict": "A" | "B"}, "2": (the same)}
    """
    whole = schema.json_schema()
    if not whole:
        return ""
    written = f"Reply with one JSON object of this form: {_written(whole, whole.get('$defs', {}))}"
    ends = (getattr(schema, "low", None), getattr(schema, "high", None))
    if None in ends or "a number" not in written:
        return written
    return f"{written}. Numbers are from {ends[0]:g} to {ends[1]:g}."


def states_form(source: str, schema: ReplySchema[Any]) -> bool:
    """Whether a template asks for the form of its replies itself: it has every key in quotes and every label.

    >>> from thresher.judges import Rating
    >>> states_form('Give a "reason" and a "rating".', Rating(1, 5)), states_form("Rate it.", Rating(1, 5))
    (True, False)
    """
    keys, labels = _words(schema.json_schema())
    named = all(f'"{key}"' in source for key in keys)
    return named and all(re.search(rf"(?<!\w){re.escape(label)}(?!\w)", source) for label in labels)


def labels_of(schema: ReplySchema[Any]) -> set[str]:
    """The labels of a form, e.g. yes and no."""
    return _words(schema.json_schema())[1]


def _words(node: Any) -> tuple[set[str], set[str]]:
    """Keys and labels of a JSON schema; keys that refer to a common definition are ids."""
    if not isinstance(node, dict):
        return set(), set()
    properties = node.get("properties", {})
    keys = {key for key, value in properties.items() if _REFERENCE not in value}
    labels = {label for label in node.get("enum", ()) if isinstance(label, str)}
    parts = [*properties.values(), *node.get("$defs", {}).values(), node.get("items")]
    for more_keys, more_labels in map(_words, parts):
        keys |= more_keys
        labels |= more_labels
    return keys, labels


def _written(node: Json, definitions: Json) -> str:
    if _REFERENCE in node:
        return _written(definitions[node[_REFERENCE].rpartition("/")[2]], definitions)
    if "enum" in node:
        return " | ".join(f'"{label}"' if isinstance(label, str) else str(label) for label in node["enum"])
    if node["type"] == "array":
        return f"[{_written(node['items'], definitions)}, ...]"
    if node["type"] == "object":
        return f"{{{', '.join(_entries(node['properties'], definitions))}}}"
    return '"..."' if node["type"] == "string" else "a number"


def _entries(properties: Json, definitions: Json) -> list[str]:
    """The entries of an object; those with the form of the first are not written again."""
    items = list(properties.items())
    alike = len(items) > 1 and all(_REFERENCE in node and node == items[0][1] for _, node in items)
    if not alike:
        return [f'"{key}": {_written(node, definitions)}' for key, node in items]
    others = [f'"{key}": (the same)' for key, _ in items[1:_MOST_LISTED]]
    more = ["and so on for each id"] if len(items) > _MOST_LISTED else []
    return [f'"{items[0][0]}": {_written(items[0][1], definitions)}', *others, *more]
