"""The trajectory match of agentevals, as its version 0.0.9 computes it.

Known defects that are reproduced: calls are paired first fit instead of by a matching, and in the modes
`subset` and `unordered` the sides are swapped before the arguments are compared, so that `subset` of
arguments accepts additional ones.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from thresher.conversations.message import Message, ToolCall, calls_of
from thresher.kernels.tool_calls.arguments import ArgumentRule

TrajectoryMode = Literal["strict", "unordered", "subset", "superset"]
_Accepts = Callable[[Mapping[str, Any], Mapping[str, Any]], bool]


def trajectory_match(
    called: Sequence[Message],
    expected: Sequence[Message],
    mode: TrajectoryMode = "strict",
    arguments: ArgumentRule = "exact",
) -> bool:
    """Whether a conversation matches the expected one.

    Args:
        called: the messages.
        expected: the messages of the expected conversation.
        mode: `strict`: the same roles in the same order, with the same calls in each message; `superset`: all
            expected calls were made; `subset`: only expected calls were made; `unordered`: both.
        arguments: how the arguments of two calls are compared.
    """
    accepts = _RULES[arguments]
    if mode == "strict":
        return len(called) == len(expected) and all(
            made.role == other.role and _same_calls(made.calls, other.calls, accepts)
            for made, other in zip(called, expected, strict=True)
        )
    made, others = calls_of(called), calls_of(expected)
    covers = mode == "subset" or _covers(made, others, accepts)
    return covers and (mode == "superset" or _covers(others, made, accepts))


def _same_calls(called: Sequence[ToolCall], expected: Sequence[ToolCall], accepts: _Accepts) -> bool:
    return len(called) == len(expected) and _covers(called, expected, accepts)


def _covers(called: Sequence[ToolCall], expected: Sequence[ToolCall], accepts: _Accepts) -> bool:
    """Whether every expected call takes a made one of its own, each the first that fits."""
    free = list(called)
    for other in expected:
        place = next(
            (
                place
                for place, call in enumerate(free)
                if call.name == other.name and accepts(call.arguments, other.arguments)
            ),
            None,
        )
        if place is None:
            return False
        del free[place]
    return True


def _within(some: Mapping[str, Any], all_of: Mapping[str, Any]) -> bool:
    return all(key in all_of and all_of[key] == value for key, value in some.items())


_RULES: Mapping[ArgumentRule, _Accepts] = {
    "exact": lambda called, expected: called == expected,
    "ignore": lambda called, expected: True,  # noqa: ARG005  # one signature for all rules
    "subset": _within,
    "superset": lambda called, expected: _within(expected, called),
}
