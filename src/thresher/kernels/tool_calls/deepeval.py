"""DeepEval's correctness of calls of tools, as its version 4.3.1 computes it.

Known defects that are reproduced: in any order, calls are matched greedily, and equal calls that were made
are used up together (its issue 3141).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from thresher.conversations.message import ToolCall

DeepEvalOrder = Literal["any", "ordered", "exact"]
DeepEvalFields = Literal["names", "arguments", "arguments-output"]


class CalledTool:
    """A call with its output, compared as DeepEval's `ToolCall` is."""

    def __init__(self, call: ToolCall, output: str | None = None) -> None:
        self.name, self.arguments, self.output = call.name, dict(call.arguments), output

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CalledTool) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # arguments may be lists


def correctness(
    called: Sequence[CalledTool],
    expected: Sequence[CalledTool],
    order: DeepEvalOrder = "any",
    fields: DeepEvalFields = "names",
) -> float:
    """ToolCorrectness: the matched share of the expected calls; 1 without any call.

    Args:
        called: the calls that were made.
        expected: the expected calls.
        order: `any`: greedy matching; `ordered`: the best common subsequence; `exact`: 1 for equal lists.
        fields: what is compared: names, also arguments (by the share of equal ones), also outputs.
    """
    if not expected:
        return float(not called)
    if order == "exact":
        pairs = zip(called, expected, strict=False)
        return float(len(called) == len(expected) and all(_equal(*pair, fields) for pair in pairs))
    matched = _greedy(called, expected, fields) if order == "any" else _subsequence(called, expected, fields)
    return matched / len(expected)


def _greedy(called: Sequence[CalledTool], expected: Sequence[CalledTool], fields: DeepEvalFields) -> float:
    used: list[CalledTool] = []
    total = 0.0
    for other in expected:
        best, chosen = 0.0, None
        for call in called:
            if call not in used and (score := _similarity(call, other, fields)) > best:
                best, chosen = score, call
        if chosen is not None:
            used.append(chosen)
            total += best
    return total


def _subsequence(
    called: Sequence[CalledTool], expected: Sequence[CalledTool], fields: DeepEvalFields
) -> float:
    best = [0.0] * (len(called) + 1)
    for other in expected:
        above, best = best, best.copy()
        for place, call in enumerate(called, start=1):
            pair = above[place - 1] + _similarity(call, other, fields)
            best[place] = max(above[place], best[place - 1], pair)
    return best[-1]


def _similarity(called: CalledTool, expected: CalledTool, fields: DeepEvalFields) -> float:
    if called.name != expected.name:
        return 0.0
    if fields == "arguments-output" and called.output != expected.output:
        return 0.0
    return 1.0 if fields == "names" else _shared(called.arguments, expected.arguments)


def _equal(called: CalledTool, expected: CalledTool, fields: DeepEvalFields) -> bool:
    return (
        called.name == expected.name
        and (fields == "names" or called.arguments == expected.arguments)
        and (fields != "arguments-output" or called.output == expected.output)
    )


def _shared(first: Mapping[str, Any], second: Mapping[str, Any]) -> float:
    if first == second:
        return 1.0
    keys = first.keys() | second.keys()
    total = 0.0
    for key in first.keys() & second.keys():
        both = first[key], second[key]
        if both[0] == both[1]:
            total += 1.0
        elif isinstance(both[0], dict) and isinstance(both[1], dict):
            total += _shared(*both)
    return total / len(keys)
