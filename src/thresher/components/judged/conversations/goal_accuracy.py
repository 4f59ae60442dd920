"""Whether a conversation reaches the user's goal."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from thresher.components.judged.conversations._goals import GOAL, goal_and_outcome
from thresher.components.judged.conversations._transcript import Transcript, transcripts
from thresher.judges import Flow, Unanswered, Verdicts, judge_each, prompt, together
from thresher.metrics import (
    BestOrMean,
    Conversations,
    Items,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    ReferenceColumn,
    combine_references,
    count_label,
    judged,
    judged_async,
    metric,
    read_texts,
)
from thresher.results import Status

_VERDICT = "conversations/goal_accuracy"
_OF_SUMMARY = f"{_VERDICT}.summary"
_COUNTS = ("reached",)


@metric
class GoalAccuracyEvaluator(JudgedMetric):
    """Whether a conversation reaches its goal: 1 if it does, 0 if not.

    With references, the goal is the outcome that a reference describes; without them, the judge first reads
    from the conversation what the user wants.

    Formula: 1 if the judge's verdict is yes, else 0
    Source: ragas, "Agent Goal Accuracy", with and without reference.
    Calls: 2 per item; with references 1 per reference, and 1 more if the summary is compared.
    Differs: in ragas the comparison sees two summaries of one line, so errors of the first call stay; here it
        sees the conversation, unless `compares` is `summary`. A conversation without a message of the user
        and without a reference is undefined, without a call.

    Args:
        compares: what is compared with the goal: the whole `conversation`, or the judge's `summary` of its
            outcome, as in ragas.
        references: with several references the highest score counts (`max`), or the `mean`.

    ```python
    evaluator = GoalAccuracyEvaluator()
    chat = [{"role": "user", "content": "Book a table for two."}, {"role": "assistant", "content": "Booked."}]
    evaluator.run(conversations=[chat], ground_truth_answers=["A table for two is booked."])
    ```
    """

    judged_without: ClassVar[Mapping[str, str]] = {
        "ground_truth_answers": "the judge infers the goal from the conversation"
    }
    """Optional input -> what its absence means; `evaluate` warns, because a column may be forgotten."""

    compares: Literal["conversation", "summary"] = "conversation"
    references: BestOrMean = "max"
    name: str = "goal_accuracy"

    @judged
    def run(
        self, conversations: Conversations, ground_truth_answers: ReferenceColumn | None = None
    ) -> JudgeJob:
        """Judge each conversation.

        Args:
            ground_truth_answers: per item the outcome that the conversation should have: a text, or a list of
                outcomes that are all right; None leaves the item out as missing. Without this input, the
                judge infers the user's goal.
        """
        given = {} if ground_truth_answers is None else {"ground_truth_answers": ground_truth_answers}
        items = Items(conversations=conversations, **given)
        flows = [
            self._flow(chat, self._outcomes(item, ground_truth_answers))
            for item, chat in zip(items.present, transcripts(items, conversations), strict=True)
        ]
        return JudgeJob(items, flows, self._prompts(bool(given)), _COUNTS)

    run_async = judged_async(run)

    def _prompts(self, referenced: bool) -> tuple[str, ...]:
        if self.compares == "summary":
            return (GOAL, _OF_SUMMARY)
        return (_VERDICT,) if referenced else (GOAL, _VERDICT)

    @staticmethod
    def _outcomes(item: int, column: Sequence[str | list[str] | None] | None) -> list[str] | None:
        return None if column is None else read_texts(item, "ground_truth_answers", column[item])

    def _flow(self, chat: Transcript, outcomes: list[str] | None) -> Flow[JudgedItem]:
        if outcomes is not None and not any(outcome.strip() for outcome in outcomes):
            raise Unanswered(Status.UNDEFINED, "the reference is blank")
        if outcomes is None and not chat.said_by("user"):
            raise Unanswered(Status.UNDEFINED, "the user says nothing")
        goal = outcome = ""
        if outcomes is None or self.compares == "summary":
            goal, outcome = yield from goal_and_outcome(chat)
        goals = [goal] if outcomes is None else [text for text in outcomes if text.strip()]
        judged_items = yield from together(*(self._compared(chat, text, outcome) for text in goals))
        return combine_references(judged_items, self.references)

    def _compared(self, chat: Transcript, goal: str, outcome: str) -> Flow[JudgedItem]:
        form = Verdicts(("goal",))
        if self.compares == "summary":
            ask = prompt(_OF_SUMMARY).ask(form, goal=goal, outcome=outcome)
        else:
            ask = prompt(_VERDICT).ask(form, conversation=chat.shown, goal=goal)
        verdicts = yield from judge_each(ask)
        reached = count_label(verdicts, "yes")
        evidence = {"goal": goal, "verdict": verdicts["goal"].label, "reason": verdicts["goal"].reason}
        return JudgedItem(
            float(reached), {"reached": reached}, evidence | ({"outcome": outcome} if outcome else {})
        )
