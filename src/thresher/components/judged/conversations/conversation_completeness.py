"""Share of a user's intentions that a conversation satisfies."""

from thresher.components.judged.conversations._shares import judged_share
from thresher.components.judged.conversations._transcript import Transcript, conversation_job
from thresher.judges import Flow, Texts, answered, prompt
from thresher.judges.prompt import numbered
from thresher.metrics import (
    Conversations,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    Undefined,
    judged,
    judged_async,
    metric,
    score_by_policy,
)

_INTENTIONS = "conversations/conversation_completeness.intentions"
_VERDICTS = "conversations/conversation_completeness"
_COUNTS = ("satisfied", "intentions")


@metric
class ConversationCompletenessEvaluator(JudgedMetric):
    """Share of what the user wants from a conversation that the assistant satisfies.

    Formula: satisfied intentions / intentions of the user
    Source: DeepEval, "Conversation Completeness".
    Calls: 2 per item: the intentions, then all verdicts.
    Differs: DeepEval asks about each intention in a call of its own, and divides by the verdicts that it can
        read. Here every intention has a verdict.

    Args:
        undefined: score of a conversation without an intention; DeepEval's is `one`.

    ```python
    evaluator = ConversationCompletenessEvaluator()
    words = ["Book a table for two, and tell me the price.", "The table is booked."]
    chat = [{"role": role, "content": text} for role, text in zip(["user", "assistant"], words)]
    evaluator.run(conversations=[chat])
    ```
    """

    undefined: Undefined = "skip"
    name: str = "conversation_completeness"

    @judged
    def run(self, conversations: Conversations) -> JudgeJob:
        """Judge the intentions in each conversation."""
        return conversation_job(conversations, self._flow, prompts=(_INTENTIONS, _VERDICTS), counts=_COUNTS)

    run_async = judged_async(run)

    def _flow(self, chat: Transcript) -> Flow[JudgedItem]:
        said = chat.said_by("user")
        if not said:
            return score_by_policy(self.undefined, "the user says nothing", _COUNTS)
        ask = prompt(_INTENTIONS).ask(
            Texts("intentions"), subject="\n".join(said.values()), conversation=chat.shown
        )
        intentions = numbered((yield from answered(ask)))
        data = {"conversation": chat.shown, "intentions": intentions}
        nothing = (self.undefined, "the user wants nothing")
        return (yield from judged_share(_VERDICTS, intentions, _COUNTS, nothing, data))
