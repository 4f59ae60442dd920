"""How deeply values are nested."""

from collections.abc import Iterable, Mapping
from typing import Any

from thresher.errors import InputError
from thresher.files.limits import beyond, current_limits


def check_nesting(where: object, values: Iterable[Any]) -> None:
    """Raise InputError if lists and objects in one of the values have more levels than the limit.

    Level by level, without recursion: a value that contains itself ends at the limit too.
    """
    limit = current_limits().nesting
    level = containers(values)
    for _ in range(limit):
        if not level:
            return
        level = containers(part for value in level for part in parts_of(value))
    if level:
        raise too_deep(where)


def too_deep(where: object) -> InputError:
    """The error of values that are nested too deeply."""
    limit = current_limits().nesting
    return beyond(where, f"is nested too deeply: more than {limit} levels of lists and objects", "nesting")


def containers(values: Iterable[Any]) -> list[Any]:
    """The lists and objects among values."""
    # By identity: a value that is shared by many would otherwise be visited once for each.
    return list({id(value): value for value in values if isinstance(value, list | tuple | dict)}.values())


def parts_of(value: Any) -> Iterable[Any]:
    """The entries of a list, or the values of an object."""
    return value.values() if isinstance(value, Mapping) else value
