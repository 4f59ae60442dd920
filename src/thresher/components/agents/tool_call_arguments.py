"""How many arguments of the calls of tools are right."""

from typing import Any

import numpy as np

from thresher.kernels.tool_calls.arguments import TextRule
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
from thresher.results import Measure, RatioOfSums, Signature


@metric
class ToolCallArgumentsEvaluator:
    """Share of right arguments among the calls whose tool is expected.

    Calls of one tool are paired so that the most arguments agree; calls of other tools, and missing calls, do
    not count (`tool_call_f1` counts them). Two measures: the mean over items, and all pairs of all items
    (`<name>_micro`).

    Formula: mean over pairs of equal arguments / all arguments of both calls; an argument that is an object
        counts by its own share; 1 for two calls without arguments; undefined without a pair
    Source: maximum assignment (Kuhn 1955); equality of arguments as in JSON (RFC 8259)

    ```python
    evaluator = ToolCallArgumentsEvaluator()
    call, expected = ({"name": "weather", "args": {"city": "Lyon", "unit": unit}} for unit in "CF")
    conversation = [{"role": "assistant", "tool_calls": [call]}]
    evaluator.run(conversations=[conversation], reference_tool_calls=[[expected]])["score"]  # 0.5
    ```
    """

    text: TextRule = "exact"
    turns: Turns = "all"
    undefined: Undefined = "skip"
    name: str = "tool_call_arguments"

    def run(self, conversations: Conversations, reference_tool_calls: ExpectedCalls) -> dict[str, Any]:
        """Score each item."""
        pairs = ToolCallPairs.read(conversations, reference_tool_calls, self.turns)
        shares = pairs.matched(CallRule("share", self.text))
        paired = pairs.matched(CallRule("ignore"))
        ratio = np.divide(shares, paired, out=np.full(len(paired), np.nan), where=paired > 0)
        scored, scores = pairs.scored(ratio, self.undefined, "no call of an expected tool was made")
        statistics = {"score": scores, "shares": shares[scored], "paired": paired[scored]}
        return outputs(pairs.items.result(self._measures(), statistics))

    def _measures(self) -> list[Measure]:
        micro = RatioOfSums((("shares", 1.0),), (("paired", 1.0),))
        return [
            Measure(Signature.of(self.name, settings(self))),
            Measure(Signature.of(f"{self.name}_micro", settings(self)), micro),
        ]
