"""Whether the calls of tools are the expected ones, in the expected order."""

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any, Literal

import numpy as np

from thresher.kernels.tool_calls.arguments import ArgumentRule, TextRule
from thresher.kernels.tool_calls.matching import Order
from thresher.kernels.tool_calls.rule import CallRule
from thresher.metrics import (
    Conversations,
    ExpectedCalls,
    ToolCallPairs,
    Turns,
    Undefined,
    metric,
    outputs,
    settings,
)
from thresher.results import Measure, Signature

Match = Literal["exact", "ordered", "unordered", "subset", "superset"]
_ORDERS: Mapping[Match, Order] = {"exact": "positions", "ordered": "ordered"}
_COMPLETE: Mapping[Match, tuple[str, ...]] = {
    "exact": ("called", "expected"),
    "ordered": ("expected",),
    "unordered": ("called", "expected"),
    "subset": ("called",),
    "superset": ("expected",),
}
"""The lists whose calls must all have a partner."""


@metric
class ToolCallOrderEvaluator:
    """1 if the calls of tools are the expected ones, in the expected order, else 0.

    Calls that one message asks for have the order in which the model lists them.

    Formula: 1 if the greatest number of matched pairs is the number of calls that need a partner, else 0;
        undefined without a call on either side
    Source: maximum bipartite matching (Kuhn 1955); longest common subsequence for `ordered`

    Args:
        match: `exact`: the same calls in the same order; `ordered`: all expected calls in their order, others
            may be between them; `unordered`: the same calls in any order; `subset`: only expected calls;
            `superset`: all expected calls, and perhaps others.

    ```python
    evaluator = ToolCallOrderEvaluator()
    find, book, pay = ({"name": name, "args": {}} for name in ("find", "book", "pay"))
    conversation = [{"role": "assistant", "tool_calls": [find, book, pay]}]
    evaluator.run(conversations=[conversation], reference_tool_calls=[[find, pay]])["score"]  # 1.0
    ```
    """

    match: Match = "ordered"
    arguments: ArgumentRule | Mapping[str, Sequence[str]] = "exact"
    text: TextRule = "exact"
    turns: Turns = "all"
    undefined: Undefined = "skip"
    name: str = "tool_call_order"

    def run(self, conversations: Conversations, reference_tool_calls: ExpectedCalls) -> dict[str, Any]:
        """Score each item."""
        pairs = ToolCallPairs.read(conversations, reference_tool_calls, self.turns)
        rule = CallRule(self.arguments, self.text)
        matched = pairs.matched(rule, _ORDERS.get(self.match, "any"))
        complete = [matched == pairs.sizes[name] for name in _COMPLETE[self.match]]
        without = pairs.sizes["called"] + pairs.sizes["expected"] == 0
        scores = np.where(without, np.nan, np.logical_and.reduce(complete))
        scored, scores = pairs.scored(scores, self.undefined, "no call was made or expected")
        evidence = list(compress(pairs.evidence(rule, matched), scored))
        measure = Measure(Signature.of(self.name, settings(self)))
        return outputs(pairs.items.result([measure], {"score": scores}, evidence))
