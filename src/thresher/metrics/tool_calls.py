"""The base of metrics that compare the calls of tools of a conversation with the expected ones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from haystack.dataclasses import ChatMessage
from haystack.dataclasses import ToolCall as HaystackToolCall

from thresher.conversations import ToolCall
from thresher.kernels.tool_calls.arguments import TextRule
from thresher.kernels.tool_calls.matching import Order
from thresher.kernels.tool_calls.rule import CallRule
from thresher.metrics.conversations import Turns, read_calls, read_expected_calls
from thresher.metrics.items import Items, outputs, settings
from thresher.metrics.options import UNDEFINED_SCORES, Undefined
from thresher.results import Measure, RatioOfSums, Signature, Status

Floats = npt.NDArray[np.float64]
Conversations = Iterable[list[ChatMessage] | None] | Iterable[list[dict[str, Any]] | None]
"""Conversations of many items, as Haystack's messages or as dicts. Not `list[...]`: see `column_type`."""
ExpectedCalls = Iterable[list[HaystackToolCall] | None] | Iterable[list[dict[str, Any]] | None]
"""The expected calls of many items."""
CallArguments = Literal["exact", "subset", "superset", "ignore", "share"]


@dataclass(frozen=True)
class ToolCallPairs:
    """Made and expected calls of the items that have both columns.

    Attributes:
        items: all items; those without a conversation or without expected calls are left out.
        called: the calls that were made, per present item.
        expected: the expected calls, per present item.
    """

    items: Items
    called: list[list[ToolCall]]
    expected: list[list[ToolCall]]

    @classmethod
    def read(cls, conversations: Any, reference_tool_calls: Any, turns: Turns = "all") -> "ToolCallPairs":
        """Read both inputs.

        Raises:
            InputError: for inputs of unequal length, and entries that cannot be read.
        """
        items = Items(conversations=conversations, reference_tool_calls=reference_tool_calls)
        made = read_calls("conversations", conversations, turns)
        expected = read_expected_calls("reference_tool_calls", reference_tool_calls)
        present = items.present
        called, calls = ([column[item] or [] for item in present] for column in (made, expected))
        return cls(items, called, calls)

    @cached_property
    def sizes(self) -> dict[str, Floats]:
        """Numbers of calls per present item: `called` and `expected`."""
        both = {"called": self.called, "expected": self.expected}
        return {name: np.fromiter(map(len, lists), np.float64, len(lists)) for name, lists in both.items()}

    def matched(self, rule: CallRule, order: Order = "any") -> Floats:
        """Greatest sum of similarities of pairs of calls, per present item."""
        pairs = zip(self.called, self.expected, strict=True)
        return np.array([rule.matched(made, expected, order) for made, expected in pairs], dtype=np.float64)

    def evidence(self, rule: CallRule, matched: Floats) -> list[dict[str, list[str]] | None]:
        """Per present item the `extra` calls, which were not expected, and the `missing` ones.

        Args:
            rule: the comparison of calls.
            matched: number of matched calls; without a difference where all calls are.
        """
        complete = matched * 2 == self.sizes["called"] + self.sizes["expected"]
        rows = zip(self.called, self.expected, complete.tolist(), strict=True)
        return [
            None if done else _differences(rule.unmatched(made, expected)) for made, expected, done in rows
        ]

    def scored(
        self, scores: Floats, undefined: Undefined, reason: str
    ) -> tuple[npt.NDArray[np.bool_], Floats]:
        """Decide on present items whose score is NaN.

        Returns:
            Which present items have a score, and their scores.
        """
        policy = UNDEFINED_SCORES[undefined]
        lacking = np.isnan(scores)
        if policy is not None:
            return np.ones(len(scores), np.bool_), np.where(lacking, policy, scores)
        present = self.items.present
        for place in np.flatnonzero(lacking).tolist():
            self.items.leave_out(present[place], Status.UNDEFINED, reason)
        return ~lacking, scores[~lacking]


def _differences(unmatched: tuple[list[ToolCall], list[ToolCall]] | None) -> dict[str, list[str]] | None:
    both = dict(zip(("extra", "missing"), unmatched or ((), ()), strict=True))
    return {name: list(map(str, calls)) for name, calls in both.items() if calls} or None


@dataclass(eq=False, repr=False, kw_only=True)
class ToolCallMetric:
    """Base of ratios of matched calls; a derived class has `denominator` and `lacking`.

    Attributes:
        arguments: the comparison of arguments.
        text: the comparison of texts among the arguments.
        order: which pairs of calls may match.
        turns: the messages that count.
        undefined: score of an item whose ratio is 0/0.
        name: name of the measure; a derived class gives the default.
        denominator: statistic and weight of each term below the matched calls.
        lacking: why an item has no ratio.
    """

    denominator: ClassVar[tuple[tuple[str, float], ...]]
    lacking: ClassVar[str]

    arguments: CallArguments | Mapping[str, Sequence[str]] = "exact"
    text: TextRule = "exact"
    order: Order = "any"
    turns: Turns = "all"
    undefined: Undefined = "skip"
    name: str

    def run(self, conversations: Conversations, reference_tool_calls: ExpectedCalls) -> dict[str, Any]:
        """Score each item."""
        pairs = ToolCallPairs.read(conversations, reference_tool_calls, self.turns)
        rule = CallRule(self.arguments, self.text)
        statistics = {"matched": pairs.matched(rule, self.order), **pairs.sizes}
        total = sum(weight * statistics[name] for name, weight in self.denominator)
        ratio = np.divide(
            statistics["matched"], total, out=np.full(len(pairs.called), np.nan), where=total > 0
        )
        scored, scores = pairs.scored(ratio, self.undefined, self.lacking)
        columns = {name: column[scored] for name, column in statistics.items()}
        evidence = list(compress(pairs.evidence(rule, statistics["matched"]), scored))
        return outputs(pairs.items.result(self._measures(), {"score": scores, **columns}, evidence))

    def _measures(self) -> list[Measure]:
        micro = RatioOfSums((("matched", 1.0),), self.denominator)
        return [
            Measure(Signature.of(self.name, settings(self))),
            Measure(Signature.of(f"{self.name}_micro", settings(self)), micro),
        ]
