"""When a call that was made matches an expected one."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from thresher.conversations.message import ToolCall
from thresher.kernels.tool_calls.arguments import (
    TEXTS,
    ArgumentRule,
    TextRule,
    chosen,
    frozen,
    is_within,
    shared,
)
from thresher.kernels.tool_calls.matching import Order, matched_calls, matched_keys


@dataclass(frozen=True)
class CallRule:
    """The comparison of two calls of one tool; calls of different tools never match.

    A call with arguments that are not a JSON object matches only where arguments do not count.

    Attributes:
        arguments: the rule for arguments; `share` gives the share of equal arguments; or, by tool, the keys
            of the arguments that must be equal, and `exact` for tools that are not listed.
        text: how texts among the arguments are compared.
    """

    arguments: ArgumentRule | Literal["share"] | Mapping[str, Sequence[str]] = "exact"
    text: TextRule = "exact"

    def matched(self, called: Sequence[ToolCall], expected: Sequence[ToolCall], order: Order) -> float:
        """Greatest sum of similarities of pairs of made and expected calls.

        >>> call = ToolCall("weather", {"city": "Lyon"})
        >>> CallRule().matched([call, call], [call], "any")
        1.0
        """
        if not called or not expected:
            return 0.0
        similarity = self._similarity()
        if similarity is not None:
            return matched_calls(called, expected, order, similarity)
        return matched_keys(list(map(self.key, called)), list(map(self.key, expected)), order)

    def unmatched(
        self, called: Sequence[ToolCall], expected: Sequence[ToolCall]
    ) -> tuple[list[ToolCall], list[ToolCall]] | None:
        """The calls of each list without an equal call in the other; None if the rule is not an equality.

        >>> lyon, oslo = (ToolCall("weather", {"city": city}) for city in ("Lyon", "Oslo"))
        >>> [list(map(str, calls)) for calls in CallRule().unmatched([lyon, lyon], [lyon, oslo])]
        [['weather(city="Lyon")'], ['weather(city="Oslo")']]
        """
        if self._similarity() is not None:
            return None
        made, others = list(map(self.key, called)), list(map(self.key, expected))
        return _without(called, made, others), _without(expected, others, made)

    def key(self, call: ToolCall) -> Hashable:
        """A key that is equal for calls that match, for rules by which equal calls match."""
        if self.arguments == "ignore":
            return call.name
        text = TEXTS[self.text]
        if call.invalid is not None:
            return call.name, object()  # equals nothing
        keys = self.arguments.get(call.name) if isinstance(self.arguments, Mapping) else None
        return call.name, frozen(call.arguments, text) if keys is None else chosen(call.arguments, keys, text)

    def _similarity(self) -> Callable[[ToolCall, ToolCall], float] | None:
        """The similarity of two calls of one tool; None if equal keys decide."""
        text = TEXTS[self.text]
        compare: Mapping[Any, Callable[[Mapping[str, Any], Mapping[str, Any]], float]] = {
            "subset": lambda called, expected: float(is_within(called, expected, text)),
            "superset": lambda called, expected: float(is_within(expected, called, text)),
            "share": lambda called, expected: shared(called, expected, text),
        }
        if not isinstance(self.arguments, str) or self.arguments not in compare:
            return None
        similarity = compare[self.arguments]
        return lambda called, expected: (
            similarity(called.arguments, expected.arguments)
            if called.invalid is expected.invalid is None
            else 0.0
        )


def _without(
    calls: Sequence[ToolCall], keys: Sequence[Hashable], others: Sequence[Hashable]
) -> list[ToolCall]:
    """The calls beyond the number of equal ones among the others."""
    free = Counter(others)
    rest = []
    for call, key in zip(calls, keys, strict=True):
        if free[key] > 0:
            free[key] -= 1
        else:
            rest.append(call)
    return rest
