"""How deeply values are nested."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError, ThresherError
from thresher.files.limits import beyond, current_limits

_PLAIN = frozenset({str, int, float, bool, type(None)})


def check_nesting(where: object, values: Iterable[Any]) -> None:
    """Raise InputError if lists and objects in one of the values have more levels than the limit.

    Level by level, without recursion: a value that contains itself ends at the limit too.
    """
    if isinstance(values, list | tuple) and set(map(type, values)) <= _PLAIN:
        return
    limit = current_limits().nesting
    level = containers(values)
    for _ in range(limit):
        if not level:
            return
        level = containers(parts_of(level))
    if level:
        raise too_deep(where)


@contextmanager
def explain_odd_values(where: object) -> Iterator[None]:
    """Raise InputError for whatever else values of others raise in the packages that read or convert them.

    Damaged and unusual files have more ways to fail than a reader can list: dates beyond Python's, decimals
    beyond their context, headers that are parsed as code.
    """
    try:
        yield
    except (ThresherError, ImportError, Warning):
        raise
    except Exception as error:
        raise unreadable(where, error) from error


def unreadable(where: object, error: Exception) -> InputError:
    """The error of values that cannot be read or converted."""
    if isinstance(error, RecursionError):
        return too_deep(where)
    if isinstance(error, UnicodeDecodeError):
        return InputError(f"{where} cannot be read: a text is not UTF-8; save it again")
    text = " ".join(str(error).partition("\n")[0].split())
    reason = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return InputError(f"{where} cannot be read: {reason}")


@contextmanager
def explain_recursion(where: object) -> Iterator[None]:
    """Raise InputError for values that are nested more deeply than Python can follow."""
    try:
        yield
    except RecursionError:
        raise too_deep(where) from None


def too_deep(where: object) -> InputError:
    """The error of values that are nested too deeply."""
    limit = current_limits().nesting
    return beyond(
        where, f"is nested too deeply: more than {counted(limit, 'level')} of lists and objects", "nesting"
    )


def containers(values: Iterable[Any]) -> list[Any]:
    """The lists and objects among values."""
    some = [value for value in values if type(value) not in _PLAIN and isinstance(value, list | tuple | dict)]
    # By identity: a value that many containers share would otherwise be visited once per container.
    return list(dict(zip(map(id, some), some, strict=True)).values())


def parts_of(level: Iterable[Any]) -> Iterable[Any]:
    """The entries of lists, and the values of objects."""
    return chain.from_iterable(value.values() if isinstance(value, dict) else value for value in level)
