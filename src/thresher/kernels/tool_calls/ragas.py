"""ragas' measures of calls of tools, as its version 0.4.3 computes them.

Known defects that are reproduced: lists of unequal lengths score 0, arguments in excess are free, values are
compared as Python prints them, and F1 compares sets, so that repeated calls vanish.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from thresher.conversations.message import ToolCall

_DIGITS = 4


def accuracy(called: Sequence[ToolCall], expected: Sequence[ToolCall], *, strict_order: bool = True) -> float:
    """ToolCallAccuracy: the mean share of equal arguments if the tools agree, else 0.

    Args:
        called: the calls that were made.
        expected: the expected calls.
        strict_order: whether the tools must be called in the expected order; otherwise both lists are sorted.
    """
    if not called and not expected:
        return 1.0
    if not strict_order:
        called, expected = sorted(called, key=_sorting), sorted(expected, key=_sorting)
    if [call.name for call in called] != [call.name for call in expected]:
        return 0.0
    scores = [
        _arguments(call.arguments, other.arguments) for call, other in zip(called, expected, strict=True)
    ]
    return sum(scores) / len(expected)


def f1(called: Sequence[ToolCall], expected: Sequence[ToolCall]) -> float:
    """ToolCallF1: F1 of the sets of calls, rounded to four digits; 0 without any call."""
    made, known = ({(call.name, _hashable(call.arguments)) for call in calls} for calls in (called, expected))
    both = len(made & known)
    return round(2 * both / (len(made) + len(known)), _DIGITS) if both else 0.0


def _arguments(called: Mapping[str, Any], expected: Mapping[str, Any]) -> float:
    if not expected:
        return float(not called)
    equal = sum(key in called and str(called[key]) == str(value) for key, value in expected.items())
    return equal / len(expected)


def _sorting(call: ToolCall) -> tuple[str, list[str], list[str]]:
    names = sorted(call.arguments)
    return call.name, names, [str(call.arguments[name]) for name in names]


def _hashable(value: Any) -> Hashable:
    if isinstance(value, Mapping):
        return frozenset((key, _hashable(part)) for key, part in value.items())
    return tuple(map(_hashable, value)) if isinstance(value, list | tuple) else value
