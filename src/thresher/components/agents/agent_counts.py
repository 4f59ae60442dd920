"""Steps, calls of tools and failures of an agent."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.conversations import Message
from thresher.kernels.tool_calls.rule import CallRule
from thresher.metrics import Conversations, Items, Mean, Measure, Signature, Turns, metric, outputs, settings
from thresher.metrics.conversations import chosen_messages, map_conversations

_COUNTS = ("steps", "calls", "failed_calls", "repeated_calls", "calls_after_error")


@metric
class AgentCountsEvaluator:
    """Steps and calls of tools that an agent needs, and how many of the calls fail or repeat another.

    Five measures, the means of counts per conversation: `<name>_steps` (messages of the assistant),
    `<name>_calls`, `<name>_failed_calls` (the tool reports an error, or the arguments are not a JSON object),
    `<name>_repeated_calls` (equal to an earlier call) and `<name>_calls_after_error` (in messages after the
    first failed call). Layouts without a mark for errors, such as OpenAI's, show only invalid arguments.

    Formula: mean of each count
    Source: the messages of the conversation

    ```python
    evaluator = AgentCountsEvaluator()
    call = {"name": "weather", "args": {"city": "Lyon"}}
    steps = [{"role": "assistant", "tool_calls": [call, call]}, {"role": "assistant", "content": "Rain."}]
    evaluator.run(conversations=[steps])["score"]  # 2.0
    ```
    """

    turns: Turns = "all"
    name: str = "agent_counts"

    def run(self, conversations: Conversations) -> dict[str, Any]:
        """Count what happens in each conversation.

        Returns:
            `score`: mean number of steps; `individual_scores`: steps of each item; `result` with all counts.
        """
        items = Items(conversations=conversations)
        counts = map_conversations(
            "conversations", conversations, lambda one: _counts(chosen_messages(one, self.turns))
        )
        rows = [row for row in counts if row is not None]
        table = np.array(rows, dtype=np.float64).reshape(len(rows), len(_COUNTS))
        signature = Signature.of(self.name, settings(self))
        measures = [
            Measure(
                replace(signature, metric=f"{self.name}_{count}"),
                Mean(count),
                count,
                "lower",
                (0.0, float("inf")),
            )
            for count in _COUNTS
        ]
        return outputs(items.result(measures, dict(zip(_COUNTS, table.T, strict=True))))


def _counts(messages: Sequence[Message]) -> tuple[int, ...]:
    """Steps, calls, failed calls, repeated calls, and calls in messages after the first failed one."""
    steps = failed = after_error = 0
    keys: list[Hashable] = []
    for message in messages:
        steps += message.role == "assistant"
        after_error += len(message.calls) if failed else 0
        failed += sum(result.failed for result in message.results)
        failed += sum(call.invalid is not None for call in message.calls)
        keys += map(CallRule().key, message.calls)
    return steps, len(keys), failed, len(keys) - len(set(keys)), after_error
