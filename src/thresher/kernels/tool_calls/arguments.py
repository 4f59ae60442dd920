"""Equality and similarity of the arguments of two calls."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

ArgumentRule = Literal["exact", "subset", "superset", "ignore"]
"""Which arguments a call may have, seen from the call: those of the expected call, some, more, or any."""
TextRule = Literal["exact", "casefold", "strip"]
TEXTS: Mapping[TextRule, Callable[[str], str]] = MappingProxyType(
    {"exact": str, "casefold": str.casefold, "strip": str.strip}
)


def frozen(value: Any, text: Callable[[str], str] = str) -> Hashable:
    """A value as something that compares as JSON does.

    Numbers are compared by value (1 equals 1.0, true does not), objects regardless of the order of keys,
    lists in their order.

    Args:
        value: plain data.
        text: what is done with texts first.

    >>> frozen({"a": 1, "b": [True]}) == frozen({"b": [True], "a": 1.0}), frozen(1) == frozen(True)
    (True, False)
    """
    if isinstance(value, str):
        return text(value)
    if isinstance(value, bool):
        return bool, value
    if value is None or isinstance(value, int | float):
        return value
    if isinstance(value, Mapping):
        return frozenset([(key, frozen(part, text)) for key, part in value.items()])
    if isinstance(value, Sequence):
        return tuple([frozen(part, text) for part in value])
    return str(value)


def chosen(arguments: Mapping[str, Any], keys: Sequence[str], text: Callable[[str], str]) -> Hashable:
    """The arguments under some keys, with dots for nested ones; a missing argument equals null."""
    return tuple(frozen(_at(arguments, key), text) for key in keys)


def is_within(arguments: Mapping[str, Any], others: Mapping[str, Any], text: Callable[[str], str]) -> bool:
    """Whether all arguments are among the others, with the same values.

    >>> is_within({"a": 1}, {"a": 1.0, "b": 2}, str), is_within({"c": None}, {}, str)
    (True, False)
    """
    return all(
        key in others and frozen(value, text) == frozen(others[key], text) for key, value in arguments.items()
    )


def shared(first: Mapping[str, Any], second: Mapping[str, Any], text: Callable[[str], str]) -> float:
    """The share of equal arguments among all that either call has; nested objects count by their own share.

    >>> shared({"a": 1, "b": {"c": 1, "d": 2}}, {"a": 1, "b": {"c": 1, "d": 3}}, str)
    0.75
    """
    keys = first.keys() | second.keys()
    if not keys:
        return 1.0
    both = first.keys() & second.keys()
    return sum(_similarity(first[key], second[key], text) for key in both) / len(keys)


def _similarity(first: Any, second: Any, text: Callable[[str], str]) -> float:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return shared(first, second, text)
    return float(frozen(first, text) == frozen(second, text))


def _at(arguments: Any, key: str) -> Any:
    """The value under a key, which may itself contain dots."""
    if not isinstance(arguments, Mapping):
        return None
    if key in arguments:
        return arguments[key]
    first, _, rest = key.partition(".")
    return _at(arguments.get(first), rest) if rest else None
