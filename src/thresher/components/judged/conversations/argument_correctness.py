"""Share of an agent's calls of tools with right arguments."""

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

_VERDICTS = "conversations/argument_correctness"
_COUNTS = ("right", "calls")


@metric
class ArgumentCorrectnessEvaluator(JudgedMetric):
    """Share of an agent's calls of tools whose arguments follow from the conversation.

    Needs no expected calls; `tool_call_arguments` compares arguments with expected ones, without a judge.

    Formula: calls with right arguments / calls
    Source: DeepEval, "Argument Correctness".
    Calls: 1 per item.
    Differs: DeepEval divides by the verdicts that it gets, whatever the number of calls. Here every call has
        a verdict.

    Args:
        undefined: score of a conversation without a call; DeepEval's is `one`.

    ```python
    evaluator = ArgumentCorrectnessEvaluator()
    call = {"name": "weather", "args": {"city": "Oslo"}}
    question = {"role": "user", "content": "Is it cold in Lyon?"}
    chat = [question, {"role": "assistant", "tool_calls": [call]}]
    evaluator.run(conversations=[chat])
    ```
    """

    undefined: Undefined = "skip"
    name: str = "argument_correctness"

    @judged
    def run(self, conversations: Conversations) -> JudgeJob:
        """Judge the calls of each conversation."""
        return conversation_job(conversations, self._flow, prompts=(_VERDICTS,), counts=_COUNTS)

    run_async = judged_async(run)

    def _flow(self, chat: Transcript) -> Flow[JudgedItem]:
        nothing = (self.undefined, "no tool is called")
        data = {"conversation": chat.shown, "calls": chat.calls}
        return judged_share(_VERDICTS, chat.written_calls, _COUNTS, nothing, data)
