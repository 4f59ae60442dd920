"""Objects as rows: dataclasses, pydantic, attrs and msgspec objects, named tuples, other objects."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.results.column_roles import sure_socket


def is_record(value: Any) -> bool:
    """Whether a value is an object with named fields."""
    return not isinstance(value, type) and not _is_from_haystack(value) and _fields(value) is not None


def as_plain(value: Any) -> Any:
    """Convert a record to a dict of its public fields, recursively; return other values unchanged."""
    if isinstance(value, list):
        return [as_plain(part) for part in value]
    if not is_record(value):
        return value
    return as_plain_parts(_fields(value) or {})


def as_plain_parts(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields with records within them as dicts."""
    return {name: as_plain(part) for name, part in fields.items()}


def plain_rows(rows: Sequence[Any]) -> list[Any]:
    """Rows with objects as dicts, without fields that no object fills unless they are sockets.

    Other objects than records have their public attributes as fields, but only as rows: within a cell, an
    image or a tensor has attributes too.
    """
    if set(map(type, rows)) <= {dict} or not any(is_record(row) or _attributes(row) for row in rows):
        return list(rows)
    plain = [as_plain(row) if is_record(row) else as_plain_parts(_attributes(row)) or row for row in rows]
    named = [row for row in plain if isinstance(row, Mapping)]
    filled = {name for row in named for name, value in row.items() if value is not None}
    return [
        {name: value for name, value in row.items() if name in filled or sure_socket(name)}
        if isinstance(row, Mapping)
        else row
        for row in plain
    ]


def _is_from_haystack(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "haystack"


def _fields(value: Any) -> dict[str, Any] | None:
    """The public fields of a record; None for anything else."""
    if callable(getattr(value, "model_dump", None)):
        fields = value.model_dump()
    elif hasattr(value, "__dataclass_fields__"):
        fields = {name: getattr(value, name, None) for name in value.__dataclass_fields__}
    elif hasattr(value, "__attrs_attrs__"):
        fields = {field.name: getattr(value, field.name, None) for field in value.__attrs_attrs__}
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        fields = dict(zip(value._fields, value, strict=True))
    elif hasattr(value, "__struct_fields__"):  # msgspec's
        fields = {name: getattr(value, name, None) for name in value.__struct_fields__}
    else:
        return None
    return _public(fields) if isinstance(fields, Mapping) else None  # a RootModel may be a list


def _attributes(value: Any) -> dict[str, Any]:
    """The public attributes of an object of a plain class; empty for data, classes and functions."""
    if isinstance(value, type | Mapping | str | bytes | list | tuple) or callable(value):
        return {}
    if _is_from_haystack(value) or hasattr(value, "model_dump"):
        return {}
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    fields = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return _public({**fields, **getattr(value, "__dict__", {})})


def _public(fields: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): part for name, part in fields.items() if not str(name).startswith("_")}
