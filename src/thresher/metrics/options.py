"""Options of metrics: their types, the values that a type allows, and the check of a value against its type.

The type of an option says all that can be said about one value, so that an editor completes it, a type
checker rejects a typo, and the message for a wrong value follows from it. A closed set of values is a
`Literal`. A range is an annotation that type checkers skip: `Annotated[int, at_least(1)]`. Conditions
between two options belong into `__post_init__`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise
from operator import or_
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import numpy as np
from haystack.components.generators.chat.types import ChatGenerator

from thresher.errors import InputError
from thresher.judges.panels.judge_panel import JudgePanel
from thresher.results.choices import unknown_choice

_MOST_SHOWN = 60  # characters of a value in a message


@dataclass(frozen=True)
class Condition:
    """What a value must meet beyond its type; None, where the type allows it, always does.

    Attributes:
        words: ending of the phrase that describes the type, e.g. " of at least 1".
        holds: whether a value of the type meets the condition.
        choices: the values to choose from, where the message should list them.
    """

    words: str
    holds: Callable[[Any], bool] = field(repr=False)
    choices: tuple[Any, ...] = ()


def at_least(low: float) -> Condition:
    """A finite number of at least `low`."""
    return Condition(f" of at least {low:g}", lambda value: low <= value < math.inf)


def above(low: float, up_to: float = math.inf) -> Condition:
    """A finite number above `low`, and at most `up_to`."""
    words = f" above {low:g}" + ("" if up_to == math.inf else f" and up to {up_to:g}")
    return Condition(words, lambda value: low < value <= up_to and value < math.inf)


def between(low: float, high: float) -> Condition:
    """A number from `low` to `high`, both included."""
    return Condition(f" from {low:g} to {high:g}", lambda value: low <= value <= high)


def one_of(*choices: Any) -> Condition:
    """One of some values that no `Literal` can hold, e.g. floats."""
    return Condition("", lambda value: value in choices, choices)


def rising(most: int) -> Condition:
    """A list of 1 to `most` numbers, each above the one before."""
    return Condition(
        f", rising, 1 to {most} of them",
        lambda values: 1 <= len(values) <= most and all(low < high for low, high in pairwise(values)),
    )


def document_field(*fields: str) -> Condition:
    """One of the fields of a Document, or `meta.<key>`."""
    return Condition(
        "",
        lambda field: field in fields or (field.startswith("meta.") and field != "meta."),
        (*fields, "meta.<key>"),
    )


finite = Condition("", math.isfinite)
not_blank = Condition(" that is not blank", lambda text: bool(text.strip()))
not_empty = Condition(", at least one", lambda values: len(values) > 0)
distinct = Condition(
    ", at least one, each named once", lambda values: 0 < len(values) == len(set(map(str, values)))
)

Count = Annotated[int, at_least(0)]
PositiveCount = Annotated[int, at_least(1)]
TopK = Annotated[int | None, at_least(1)]
MinGrade = Annotated[float | None, above(0)]
Share = Annotated[float, between(0, 1)]
ShareOrNone = Annotated[float | None, between(0, 1)]
Positive = Annotated[float, above(0)]
NonNegative = Annotated[float, at_least(0)]
FiniteNumber = Annotated[float, finite]
Text = Annotated[str, not_blank]
Thresholds = Annotated[Sequence[Share], rising(255)]  # the kernels of curves count thresholds in one byte
ScoreThresholds = Annotated[Sequence[FiniteNumber], rising(255)]

Undefined = Literal["skip", "zero", "one"]
"""Score of an item whose formula has no value: none (its status is `undefined`), 0 or 1."""
ZeroOrSkip = Literal["skip", "zero"]
ZeroOrOne = Literal["zero", "one"]
UNDEFINED_SCORES: Mapping[Undefined, float | None] = MappingProxyType({"skip": None, "zero": 0.0, "one": 1.0})
BestOrMean = Literal["max", "mean"]
"""Of the scores against several references: the highest, or their mean."""
Normalization = Literal["squad", "unicode", "none"]


def check_option(option: str, value: Any, kind: Any) -> None:
    """Raise unless a value is what the type of its option allows.

    Types are understood as users mean them: True is not a number, a string is not a list of strings, a
    number may be whole, NaN is not a number, and a list may be a tuple or an array.

    Raises:
        InputError: names the option, the value and what the option takes.
    """
    if fits(value, kind):
        return
    value, kind = _smallest_part(value, kind)
    shown = repr(value)
    shown = shown if len(shown) <= _MOST_SHOWN else f"{shown[: _MOST_SHOWN - 3]}..."
    choices = _choices(kind)
    if choices:
        raise unknown_choice(f"{option}={shown}", value, choices)
    raise InputError(f"{option}={shown} must be {described(kind)}")


def fits(value: Any, kind: Any) -> bool:
    """Whether a value is what a type allows.

    >>> fits(3, float), fits(True, int), fits(["a"], Sequence[str]), fits("a", Sequence[str])
    (True, False, True, False)
    >>> fits(0, TopK), fits(None, TopK)
    (False, True)
    """
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return fits(value, parts[0]) and (
            value is None or all(condition.holds(value) for condition in parts[1:])
        )
    if origin in (Union, UnionType):
        return any(fits(value, part) for part in parts)
    if origin is Literal:
        return any(type(value) is type(choice) and value == choice for choice in parts)
    if origin in (list, Sequence, Mapping):
        return _fits_entries(value, kind)
    return kind not in _TYPES or _TYPES[kind].holds(value)


def _fits_entries(value: Any, kind: Any) -> bool:
    """Whether a list or mapping and all its entries are what a type allows."""
    parts = get_args(kind)
    if get_origin(kind) is Mapping:
        return isinstance(value, Mapping) and all(
            fits(key, parts[0]) and fits(entry, parts[1]) for key, entry in value.items()
        )
    entries = _entries(value)
    return entries is not None and all(fits(entry, *parts) for entry in entries)


def described(kind: Any) -> str:
    """What a type allows, in words.

    >>> described(TopK), described(Sequence[str])
    ('a whole number of at least 1, or None', 'a list of texts')
    """
    kind, conditions = _parted(kind)
    parts = _alternatives(kind)
    words = " or ".join(_phrase(part) for part in parts if part is not NoneType)
    return (
        words
        + "".join(condition.words for condition in conditions)
        + (", or None" if NoneType in parts else "")
    )


def plain_type(kind: Any) -> Any:
    """A type without its conditions, as help and catalogues show it.

    >>> plain_type(TopK), plain_type(Thresholds)
    (int | None, collections.abc.Sequence[float])
    """
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return plain_type(parts[0])
    if origin in (Union, UnionType):
        return reduce(or_, map(plain_type, parts))
    if origin in (list, Sequence, Mapping):
        return origin[tuple(map(plain_type, parts))]
    return kind


def _parted(kind: Any) -> tuple[Any, tuple[Condition, ...]]:
    """A type and its conditions."""
    if get_origin(kind) is Annotated:
        inner, *conditions = get_args(kind)
        return inner, tuple(conditions)
    return kind, ()


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _choices(kind: Any) -> list[Any]:
    """The values of a closed set; empty for a type that is open."""
    kind, conditions = _parted(kind)
    parts = _alternatives(kind)
    none = [None] if NoneType in parts else []
    listed = [choice for condition in conditions for choice in condition.choices]
    if listed:
        return listed + none
    closed = all(part is NoneType or get_origin(part) is Literal for part in parts)
    return [choice for part in parts for choice in get_args(part)] + none if closed else []


def _smallest_part(value: Any, kind: Any) -> tuple[Any, Any]:
    """The first entry of a list that breaks a rule of its own, with its type; else the whole value."""
    for part in _alternatives(_parted(kind)[0]):
        entries = _entries(value) if get_origin(part) in (list, Sequence) else None
        for entry in entries or ():
            inner = get_args(part)[0]
            ruled = _choices(inner) or fits(entry, plain_type(inner))
            if ruled and not fits(entry, inner):
                return entry, inner
    return value, kind


def _entries(value: Any) -> Sequence[Any] | None:
    """The entries of a list, tuple or array; None for anything else."""
    if isinstance(value, np.ndarray):
        return value.tolist() if value.ndim else None
    return value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else None


def _phrase(kind: Any) -> str:
    origin = get_origin(kind)
    if kind in _TYPES:
        return _TYPES[kind].phrase
    if origin is Literal:
        return " or ".join(map(repr, get_args(kind)))
    if origin in (list, Sequence, Mapping):
        name = "a mapping" if origin is Mapping else "a list"
        plurals = [_plural(part) for part in _alternatives(get_args(kind)[-1])]
        return name + (f" of {' or '.join(plurals)}" if all(plurals) else "")
    return described(kind) if origin is Annotated else str(kind)


def _plural(kind: Any) -> str:
    kind, conditions = _parted(kind)
    if get_origin(kind) in (list, Sequence):
        return "lists"
    if get_origin(kind) is Literal:
        return " or ".join(map(repr, get_args(kind)))
    words = _TYPES[kind].plural if kind in _TYPES else ""
    return words + "".join(condition.words for condition in conditions)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)


@dataclass(frozen=True)
class _Type:
    phrase: str
    plural: str
    holds: Callable[[Any], bool]


_TYPES: Mapping[Any, _Type] = {
    NoneType: _Type("None", "None", lambda value: value is None),
    bool: _Type("True or False", "truth values", lambda value: isinstance(value, bool)),
    int: _Type(
        "a whole number",
        "whole numbers",
        lambda value: isinstance(value, int) and not isinstance(value, bool),
    ),
    float: _Type("a number", "numbers", _is_number),
    str: _Type("a text", "texts", lambda value: isinstance(value, str)),
    Path: _Type("a path", "paths", lambda value: isinstance(value, Path)),
    JudgePanel: _Type("a JudgePanel", "JudgePanels", lambda value: isinstance(value, JudgePanel)),
    ChatGenerator: _Type(
        "a Haystack ChatGenerator", "ChatGenerators", lambda value: callable(getattr(value, "run", None))
    ),
}
