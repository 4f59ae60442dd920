"""ragas' accuracy of calls of tools."""

from typing import Any, Literal

import numpy as np

from thresher.kernels.tool_calls.ragas import accuracy
from thresher.metrics import Conversations, ExpectedCalls, ToolCallPairs, metric, outputs, settings
from thresher.results import Measure, Signature


@metric
class RagasToolCallAccuracyEvaluator:
    """ragas' ToolCallAccuracy: equal arguments of calls in the same order, and 0 for lists of unequal length.

    It is for comparison with earlier runs of ragas; `tool_call_f1` and `tool_call_arguments` have none of the
    properties below.

    Formula: 0 unless the names of both lists agree in order; else the mean over expected calls of equal
        arguments / expected arguments
    Source: ragas 0.4.3, `ToolCallAccuracy`; equal for 100 cases
    Differs: as in ragas, additional arguments are free, values are compared as Python prints them (1 equals
        "1" but not 1.0), and two empty lists score 1

    Args:
        order: `ordered`; or `any`, where both lists are sorted and then compared (`strict_order=False`).

    ```python
    evaluator = RagasToolCallAccuracyEvaluator()
    call = {"name": "weather", "args": {"city": "Lyon"}}
    conversation = [{"role": "assistant", "tool_calls": [call, call]}]
    evaluator.run(conversations=[conversation], reference_tool_calls=[[call]])["score"]  # 0.0
    ```
    """

    order: Literal["ordered", "any"] = "ordered"
    name: str = "ragas_tool_call_accuracy"

    def run(self, conversations: Conversations, reference_tool_calls: ExpectedCalls) -> dict[str, Any]:
        """Score each item."""
        pairs = ToolCallPairs.read(conversations, reference_tool_calls)
        both = zip(pairs.called, pairs.expected, strict=True)
        scores = [accuracy(*lists, strict_order=self.order == "ordered") for lists in both]
        measure = Measure(Signature.of(self.name, settings(self)))
        return outputs(pairs.items.result([measure], {"score": np.array(scores, dtype=np.float64)}))
