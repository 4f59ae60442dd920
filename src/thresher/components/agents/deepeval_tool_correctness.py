"""DeepEval's correctness of calls of tools."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from thresher.conversations import Conversation, ToolCall
from thresher.kernels.tool_calls.deepeval import CalledTool, DeepEvalFields, DeepEvalOrder, correctness
from thresher.metrics import Conversations, ExpectedCalls, Items, metric, outputs, settings
from thresher.metrics.conversations import read_conversations, read_expected_calls
from thresher.results import Measure, Signature


@metric
class DeepevalToolCorrectnessEvaluator:
    """DeepEval's ToolCorrectnessMetric without a judge: the share of expected calls that were made.

    It is for comparison with earlier runs of DeepEval; `tool_call_recall` has none of the properties below.

    Formula: matched expected calls / expected calls; `exact` is 1 for equal lists, else 0
    Source: DeepEval 4.3.1, `ToolCorrectnessMetric`; equal for 100 cases
    Differs: as in DeepEval, additional calls are free, calls are matched greedily, equal calls that were made
        are used up together, True equals 1, and two empty lists score 1

    Args:
        order: `any`; `ordered`, by the best common subsequence (`should_consider_ordering`); `exact`
            (`should_exact_match`).
        fields: what must agree: `names`; `arguments`, by the share of equal ones; `arguments-output`, also
            what the tools returned. Expected calls state their output in the key `output`.

    ```python
    evaluator = DeepevalToolCorrectnessEvaluator()
    call = {"name": "weather", "args": {"city": "Lyon"}}
    conversation = [{"role": "assistant", "tool_calls": [call, call]}]
    evaluator.run(conversations=[conversation], reference_tool_calls=[[call, call]])["score"]  # 0.5
    ```
    """

    order: DeepEvalOrder = "any"
    fields: DeepEvalFields = "names"
    name: str = "deepeval_tool_correctness"

    def run(self, conversations: Conversations, reference_tool_calls: ExpectedCalls) -> dict[str, Any]:
        """Score each item."""
        items = Items(conversations=conversations, reference_tool_calls=reference_tool_calls)
        made = read_conversations("conversations", conversations)
        expected = read_expected_calls("reference_tool_calls", reference_tool_calls)
        scores = [self._score(made[item], expected[item]) for item in items.present]
        measure = Measure(Signature.of(self.name, settings(self)))
        return outputs(items.result([measure], {"score": np.array(scores, dtype=np.float64)}))

    def _score(self, made: Conversation | None, expected: Sequence[ToolCall] | None) -> float:
        called = [] if made is None else _called(made)
        tools = [CalledTool(call, call.output) for call in expected or ()]
        return correctness(called, tools, self.order, self.fields)


def _called(conversation: Conversation) -> list[CalledTool]:
    """The calls with what the tools returned; a result belongs to the first free call that it answers."""
    calls = conversation.calls
    texts: list[str | None] = [None] * len(calls)
    for message in conversation.messages:
        for result in message.results:
            free = (place for place, call in enumerate(calls) if call == result.call and texts[place] is None)
            if (place := next(free, None)) is not None:
                texts[place] = result.text
    return list(map(CalledTool, calls, texts))
