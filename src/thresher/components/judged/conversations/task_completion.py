"""How far an agent completes its task."""

from thresher.components.judged.conversations._goals import GOAL, goal_and_outcome
from thresher.components.judged.conversations._transcript import Transcript, conversation_job
from thresher.judges import Flow, answered, prompt
from thresher.judges.scores import Score
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

_RATING = "conversations/task_completion"


@metric
class TaskCompletionEvaluator(JudgedMetric):
    """How far an agent completes the user's task, from 0 to 1.

    Formula: the judge's score of the outcome
    Source: DeepEval, "Task Completion".
    Calls: 2 per item; the first is the same as in `goal_accuracy`, and sent once.
    Differs: DeepEval uses a score outside 0 to 1 as it is; here it is requested again. The rating sees the
        conversation in addition to the judge's summary of the task and the outcome.

    Args:
        undefined: score of a conversation without a message of the user.

    ```python
    evaluator = TaskCompletionEvaluator()
    chat = [{"role": "user", "content": "Book a table for two."}, {"role": "assistant", "content": "Booked."}]
    evaluator.run(conversations=[chat])
    ```
    """

    undefined: Undefined = "skip"
    name: str = "task_completion"

    @judged
    def run(self, conversations: Conversations) -> JudgeJob:
        """Rate each conversation."""
        return conversation_job(conversations, self._flow, prompts=(GOAL, _RATING), counts=())

    run_async = judged_async(run)

    def _flow(self, chat: Transcript) -> Flow[JudgedItem]:
        if not chat.said_by("user"):
            return score_by_policy(self.undefined, "the user says nothing", ())
        goal, outcome = yield from goal_and_outcome(chat)
        ask = prompt(_RATING).ask(Score(0, 1), conversation=chat.shown, goal=goal, outcome=outcome)
        rating = yield from answered(ask)
        evidence = {"goal": goal, "outcome": outcome, "score": rating.score, "reason": rating.reason}
        return JudgedItem(rating.score, {}, evidence)
