"""Options of a wrong type are refused before a component does anything: what fits is read from `__init__`."""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from itertools import pairwise
from numbers import Real
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import numpy as np
from haystack.components.generators.chat.types import ChatGenerator

from thresher.errors import InputError
from thresher.results.suggestions import suggest

T = TypeVar("T")

_SHOWN = 60  # characters of a value that a message shows


def checked_options(cls: type[T]) -> type[T]:
    """Decorate a component, below `@component`: `__init__` refuses what its annotations do not allow.

    The types of Python are read as users mean them: True is no number, a text is no list of texts, a number
    may be whole, NaN is no number, and a list may be a tuple. A name is not empty.

    Raises:
        InputError: from `__init__`; names the option, the value given and what it takes.
        TypeError: for an option that does not exist, with the one that was meant.
    """
    plain: Callable[..., None] = cls.__init__
    signature = inspect.signature(plain)

    @wraps(plain)
    def init(self: Any, *given: Any, **options: Any) -> None:
        _check_known(type(self).__name__, signature, options)
        for option, value in signature.bind(self, *given, **options).arguments.items():
            _check(signature.parameters[option], value)
        plain(self, *given, **options)

    setattr(cls, "__init__", init)  # noqa: B010  # mypy allows no plain assignment to it
    return cls


def fits(value: Any, kind: Any) -> bool:
    """Whether a value is what an annotation says.

    >>> fits(3, float), fits(True, int), fits(["a"], Sequence[str]), fits("a", Sequence[str])
    (True, False, True, False)
    """
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return any(fits(value, each) for each in get_args(kind))
    if origin is Literal:
        return value in get_args(kind)
    if kind in _KINDS:
        return _KINDS[kind][1](value)
    if origin in (list, Sequence):
        return _fits_list(value, *get_args(kind))
    if origin is Mapping:
        keys, values = get_args(kind)
        return isinstance(value, Mapping) and all(
            fits(key, keys) and fits(entry, values) for key, entry in value.items()
        )
    return True


def wanted(kind: Any) -> str:
    """What an annotation takes, in words.

    >>> wanted(int | None), wanted(Sequence[str])
    ('a whole number, or None', 'a list of texts')
    """
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        told = [wanted(part) for part in parts if part is not NoneType]
        return " or ".join(told) + (", or None" if NoneType in parts else "")
    if origin is Literal:
        return " or ".join(map(repr, parts))
    if origin in (list, Sequence):
        return f"a list{_of(parts[0])}"
    if origin is Mapping:
        return f"a mapping{_of(parts[1])}"
    return _KINDS[kind][0] if kind in _KINDS else str(kind)


def check_choice(option: str, value: object, choices: Sequence[object]) -> None:
    """Refuse an option value that is none of the choices."""
    if value not in choices:
        raise InputError(f"{option}={value!r} is unknown; choose one of {', '.join(map(str, choices))}")


def check_top_k(top_k: object) -> None:
    """Refuse a cutoff below one."""
    if top_k is not None and (isinstance(top_k, bool) or not isinstance(top_k, int) or top_k < 1):
        raise InputError(f"top_k={top_k!r} must be a whole number of at least 1, or None for no cutoff")


def check_count(option: str, value: object, least: int = 0) -> None:
    """Refuse what is no whole number, or below `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{option}={value!r} must be a whole number of at least {least}")


def check_share(option: str, value: object) -> None:
    """Refuse what is no number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise InputError(f"{option}={value!r} must be a number from 0 to 1")


def check_thresholds(option: str, values: Sequence[float], most: int = 255) -> None:
    """Refuse thresholds that are not rising numbers from 0 to 1."""
    for value in values:
        check_share(option, value)
    if not 1 <= len(values) <= most or any(low >= high for low, high in pairwise(values)):
        raise InputError(f"{option} must be 1 to {most} rising numbers from 0 to 1, not {list(values)}")


def check_number(option: str, value: object, least: float = -math.inf) -> None:
    """Refuse what is no finite number, or below `least`."""
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if not (math.isfinite(number) and number >= least):
        told = "" if least == -math.inf else f" of at least {least:g}"
        raise InputError(f"{option}={value!r} must be a number{told}")


def check_text(option: str, value: object) -> None:
    """Refuse what is no text, or a blank one."""
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{option}={value!r} must be a text")


def _check_known(name: str, signature: inspect.Signature, options: Mapping[str, Any]) -> None:
    """Refuse an option that does not exist, as Python does, but with the one that was meant."""
    known = [option for option in signature.parameters if option != "self"]
    for option in options:
        if option not in known:
            there = ", ".join(known)
            raise TypeError(f"{name} has no option {option!r}{suggest(option, known)}; it has {there}")


def _check(parameter: inspect.Parameter, value: Any) -> None:
    option, kind = parameter.name, parameter.annotation
    shown = repr(value)
    shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + "..."
    if not fits(value, kind):
        raise InputError(f"{option}={shown} must be {wanted(kind)}")
    if option == "name" and value == "" and parameter.default:
        raise InputError("name='' must be a text that is not empty")


def _fits_list(value: Any, kind: Any) -> bool:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    is_list = isinstance(value, Sequence) and not isinstance(value, str | bytes)
    return is_list and all(fits(entry, kind) for entry in value)


def _of(kind: Any) -> str:
    """What a list or mapping holds, in the plural."""
    words = {str: "texts", int: "whole numbers", float: "numbers", NoneType: "None", Sequence: "lists"}
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    told = [words[each] for each in (get_origin(kind) or kind for kind in kinds) if each in words]
    return f" of {' or '.join(told)}" if told else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)


_KINDS: Mapping[Any, tuple[str, Callable[[Any], bool]]] = {
    NoneType: ("None", lambda value: value is None),
    bool: ("True or False", lambda value: isinstance(value, bool)),
    int: ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    float: ("a number", _is_number),
    str: ("a text", lambda value: isinstance(value, str)),
    ChatGenerator: ("a Haystack ChatGenerator", lambda value: callable(getattr(value, "run", None))),
}
"""Annotation -> what it takes in words, and whether a value is that."""
