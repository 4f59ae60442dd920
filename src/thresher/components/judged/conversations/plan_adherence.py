"""Share of the steps of an agent's plan that it carries out."""

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

_PLAN, _VERDICTS = "conversations/plan_adherence.plan", "conversations/plan_adherence"
_COUNTS = ("followed", "planned_steps")


@metric
class PlanAdherenceEvaluator(JudgedMetric):
    """Share of the steps of an agent's plan that it carries out as planned.

    The plan is what the assistant or the system announces in the conversation before acting.

    Formula: planned steps that are carried out, in the planned order / planned steps
    Source: DeepEval, "Plan Adherence".
    Calls: 2 per item: the plan, then all verdicts.
    Differs: DeepEval asks for one number, and uses it even if it is outside 0 to 1. Here every planned step
        has a verdict.

    Args:
        undefined: score of a conversation without a plan; DeepEval's is `one`.

    ```python
    evaluator = PlanAdherenceEvaluator()
    words = ["Is the train late?", "First I look up the train, then the news.", "It is on time."]
    chat = [{"role": role, "content": text} for role, text in zip(["user", "assistant", "assistant"], words)]
    evaluator.run(conversations=[chat])
    ```
    """

    undefined: Undefined = "skip"
    name: str = "plan_adherence"

    @judged
    def run(self, conversations: Conversations) -> JudgeJob:
        """Judge the planned steps of each conversation."""
        return conversation_job(conversations, self._flow, prompts=(_PLAN, _VERDICTS), counts=_COUNTS)

    run_async = judged_async(run)

    def _flow(self, chat: Transcript) -> Flow[JudgedItem]:
        said = chat.said_by("assistant") | chat.said_by("system")
        nothing = (self.undefined, "no plan is announced")
        if not said:
            return score_by_policy(*nothing, _COUNTS)
        ask = prompt(_PLAN).ask(Texts("steps"), subject=next(iter(said.values())), conversation=chat.shown)
        steps = numbered((yield from answered(ask)))
        data = {"conversation": chat.shown, "planned_steps": steps}
        return (yield from judged_share(_VERDICTS, steps, _COUNTS, nothing, data))
