"""ragas' F1 of calls of tools."""

from typing import Any

import numpy as np

from thresher.kernels.tool_calls.ragas import f1
from thresher.metrics import Conversations, ExpectedCalls, ToolCallPairs, metric, outputs, settings
from thresher.results import Measure, Signature


@metric
class RagasToolCallF1Evaluator:
    """ragas' ToolCallF1: F1 of the sets of made and expected calls.

    It is for comparison with earlier runs of ragas; `tool_call_f1` counts repeated calls.

    Formula: 2 * common / (made + expected), of sets of calls, rounded to four digits
    Source: ragas 0.4.3, `ToolCallF1`; equal for 100 cases
    Differs: as in ragas, a call made twice counts once, True equals 1, and two empty lists score 0

    ```python
    evaluator = RagasToolCallF1Evaluator()
    call = {"name": "weather", "args": {"city": "Lyon"}}
    conversation = [{"role": "assistant", "tool_calls": [call, call]}]
    evaluator.run(conversations=[conversation], reference_tool_calls=[[call]])["score"]  # 1.0
    ```
    """

    name: str = "ragas_tool_call_f1"

    def run(self, conversations: Conversations, reference_tool_calls: ExpectedCalls) -> dict[str, Any]:
        """Score each item."""
        pairs = ToolCallPairs.read(conversations, reference_tool_calls)
        scores = [f1(*lists) for lists in zip(pairs.called, pairs.expected, strict=True)]
        measure = Measure(Signature.of(self.name, settings(self)))
        return outputs(pairs.items.result([measure], {"score": np.array(scores, dtype=np.float64)}))
