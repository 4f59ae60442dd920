"""Tokens that an agent's model reads and writes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.conversations import Conversation
from thresher.metrics import Conversations, Items, Mean, Measure, Signature, metric, outputs, settings
from thresher.metrics.conversations import map_conversations
from thresher.results import Status

_INPUT, _OUTPUT = ("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens")
_COLUMNS = ("tokens", "input", "output")


@metric
class AgentTokensEvaluator:
    """Tokens that the model reads and writes over all steps of a conversation.

    The replies state them in `meta["usage"]`; a conversation with a reply that does not is missing. Every
    step sends the conversation so far again, so input tokens grow faster than steps. Two more measures are
    `<name>_input` and `<name>_output`.

    Formula: mean of input + output tokens, summed over the replies of a conversation
    Source: the counts that the providers of the models report

    ```python
    evaluator = AgentTokensEvaluator()
    reply = {"role": "assistant", "content": "Rain.", "usage": {"prompt_tokens": 90, "completion_tokens": 10}}
    evaluator.run(conversations=[[{"role": "user", "content": "And in Lyon?"}, reply]])["score"]  # 100.0
    ```
    """

    name: str = "agent_tokens"

    def run(self, conversations: Conversations) -> dict[str, Any]:
        """Add up the tokens of each conversation.

        Returns:
            `score`: mean number of tokens; `individual_scores`: tokens of each item; `result`.
        """
        items = Items(conversations=conversations)
        tokens = []
        for item, counts in enumerate(map_conversations("conversations", conversations, _tokens)):
            if counts is None:
                items.leave_out(item, Status.MISSING, "a reply does not state its tokens")
            else:
                tokens.append((sum(counts), *counts))
        table = np.array(tokens, dtype=np.float64).reshape(len(tokens), len(_COLUMNS))
        return outputs(items.result(self._measures(), dict(zip(_COLUMNS, table.T, strict=True))))

    def _measures(self) -> list[Measure]:
        signature = Signature.of(self.name, settings(self))
        names = (self.name, f"{self.name}_input", f"{self.name}_output")
        return [
            Measure(replace(signature, metric=name), Mean(column), column, "lower", (0.0, float("inf")))
            for name, column in zip(names, _COLUMNS, strict=True)
        ]


def _tokens(conversation: Conversation) -> tuple[int, int] | None:
    """Input and output tokens of all replies; None without replies, or if one does not state them."""
    usages = [
        message.meta.get("usage", {}) for message in conversation.messages if message.role == "assistant"
    ]
    both = [[_first(usage, names) for usage in usages] for names in (_INPUT, _OUTPUT)]
    sent, received = ([count for count in counts if count is not None] for counts in both)
    return (sum(sent), sum(received)) if 0 < len(usages) == len(sent) == len(received) else None


def _first(usage: Mapping[str, int], names: Sequence[str]) -> int | None:
    return next((usage[name] for name in names if name in usage), None)
