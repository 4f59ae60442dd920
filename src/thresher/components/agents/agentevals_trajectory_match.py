"""The trajectory match of agentevals."""

from typing import Any

import numpy as np

from thresher.kernels.tool_calls.agentevals import TrajectoryMode, trajectory_match
from thresher.kernels.tool_calls.arguments import ArgumentRule
from thresher.metrics import Conversations, Items, metric, outputs, settings
from thresher.metrics.conversations import read_conversations
from thresher.results import Measure, Signature


@metric
class AgentevalsTrajectoryMatchEvaluator:
    """agentevals' trajectory match: 1 if a conversation has the calls of the expected conversation, else 0.

    It is for comparison with earlier runs of agentevals; `tool_call_order` has none of the properties below.

    Formula: `strict`: the same roles in the same order, and per message the same calls in any order;
        `superset`: all expected calls were made; `subset`: only expected calls; `unordered`: both
    Source: agentevals 0.0.9, `create_trajectory_match_evaluator`; equal for 100 cases
    Differs: as in agentevals, calls are paired first fit, and in `subset` and `unordered` the sides are
        swapped before arguments are compared, so that `arguments="subset"` accepts additional ones there

    Args:
        mode: what must agree; see the formula. Texts are not compared.
        arguments: `exact`; `subset`, a call has some of the expected arguments; `superset`, all and perhaps
            others; `ignore`.

    ```python
    evaluator = AgentevalsTrajectoryMatchEvaluator(mode="superset")
    call = {"name": "weather", "args": {"city": "Lyon"}}
    called, expected = ([{"role": "assistant", "tool_calls": [call] * times}] for times in (2, 1))
    evaluator.run(conversations=[called], reference_conversations=[expected])["score"]  # 1.0
    ```
    """

    mode: TrajectoryMode = "strict"
    arguments: ArgumentRule = "exact"
    name: str = "agentevals_trajectory_match"

    def run(self, conversations: Conversations, reference_conversations: Conversations) -> dict[str, Any]:
        """Score each item."""
        columns = {"conversations": conversations, "reference_conversations": reference_conversations}
        items = Items(**columns)
        made, expected = (read_conversations(socket, column) for socket, column in columns.items())
        pairs = ((made[item], expected[item]) for item in items.present)
        scores = [
            trajectory_match(one.messages, other.messages, self.mode, self.arguments)
            for one, other in pairs
            if one is not None and other is not None
        ]
        measure = Measure(Signature.of(self.name, settings(self)))
        return outputs(items.result([measure], {"score": np.array(scores, dtype=np.float64)}))
