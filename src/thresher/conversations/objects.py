"""Messages and calls that are objects of a framework, as dicts; recognised without importing any."""

from collections.abc import Mapping
from typing import Any

OBJECT = (dict, Mapping)
"""Types of objects; the check of a `dict` is ten times as fast as that of the abstract class."""


def as_mapping(value: Any) -> Any:
    """Return an object's fields as a dict; a dict, and anything without fields, is returned unchanged."""
    if isinstance(value, OBJECT):
        return value
    for method in ("to_dict", "model_dump"):  # Haystack's objects; pydantic's: OpenAI, LangChain, ragas
        if callable(convert := getattr(value, method, None)) and not isinstance(value, type):
            return convert()
    if hasattr(value, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    return value
