"""Share of an agent's calls of tools that its task needs."""

from thresher.components.judged.conversations._shares import judged_share
from thresher.components.judged.conversations._transcript import Transcript, conversation_job
from thresher.judges import Flow
from thresher.metrics import (
    Conversations,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    Undefined,
    judged,
    judged_async,
    metric,
)

_VERDICTS = "conversations/step_efficiency"
_COUNTS = ("needed", "calls")


@metric
class StepEfficiencyEvaluator(JudgedMetric):
    """Share of an agent's calls of tools that are needed for what the user wants.

    Formula: needed calls / calls
    Source: DeepEval, "Step Efficiency".
    Calls: 1 per item.
    Differs: DeepEval asks for the task and then for one number, which it uses even if it is outside 0 to 1,
        and rates an empty trace as well. Here every call has a verdict.

    Args:
        undefined: score of a conversation without a call.

    ```python
    evaluator = StepEfficiencyEvaluator()
    call = {"name": "weather", "args": {"city": "Lyon"}}
    question = {"role": "user", "content": "Is it cold in Lyon?"}
    chat = [question, {"role": "assistant", "tool_calls": [call, call]}]
    evaluator.run(conversations=[chat])
    ```
    """

    undefined: Undefined = "skip"
    name: str = "step_efficiency"

    @judged
    def run(self, conversations: Conversations) -> JudgeJob:
        """Judge the calls of each conversation."""
        return conversation_job(conversations, self._flow, prompts=(_VERDICTS,), counts=_COUNTS)

    run_async = judged_async(run)

    def _flow(self, chat: Transcript) -> Flow[JudgedItem]:
        nothing = (self.undefined, "no tool is called")
        data = {"conversation": chat.shown, "calls": chat.calls}
        return judged_share(_VERDICTS, chat.written_calls, _COUNTS, nothing, data)
