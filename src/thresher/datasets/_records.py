"""Objects as rows: dataclasses, pydantic and attrs objects, named tuples; recognised by their interface."""

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
    return {name: as_plain(part) for name, part in (_fields(value) or {}).items()}


def plain_rows(rows: Sequence[Any]) -> list[Any]:
    """Rows with records as dicts, without fields that no record fills unless they are sockets."""
    if set(map(type, rows)) <= {dict} or not any(map(is_record, rows)):
        return list(rows)
    plain = [as_plain(row) for row in rows]
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
    else:
        return None
    return {str(name): part for name, part in fields.items() if not str(name).startswith("_")}
