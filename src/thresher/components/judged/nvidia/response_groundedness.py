"""Whether the contexts support an answer as a whole."""

from thresher.components.judged.nvidia._ratings import COUNTS, Compat, OneInvalid, TwoRatings
from thresher.judges import Flow
from thresher.judges.levels import Levels
from thresher.metrics import (
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    TextColumn,
    TextListColumn,
    ZeroOrSkip,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
)

_PROMPTS = ("nvidia/response_groundedness.first", "nvidia/response_groundedness.second")
_SCALE = Levels.of(0, 1, 2)


@metric
class NvidiaResponseGroundednessEvaluator(JudgedMetric):
    """How far the contexts support an answer as a whole: two ratings of 0, 1 or 2.

    Formula: (first / 2 + second / 2) / 2
    Source: Nvidia's metrics in ragas, "Response Groundedness".
    Calls: 2 per item, concurrently; 0 for blank answers and blank contexts.
    Differs: in ragas' first implementation an answer that occurs literally in the contexts is grounded, which
        includes most answers "e"; here that is an option. If only one rating can be read, it counts alone. In
        ragas the rating is the first of 2, 1, 0 that occurs in the reply. The evidence has the reasons of
        both ratings.

    Args:
        one_invalid: if one rating cannot be read, the `other` counts, and the evidence says so; or the item
            is `unreadable`.
        shortcuts: whether an answer that occurs literally in the contexts scores 1 without a call.
        compat: `ragas-0.4-legacy` reads replies in plain text and treats invalid ratings as ragas' first
            implementation does.
        undefined: score of an item without contexts: `zero`, or none (`skip`).

    ```python
    evaluator = NvidiaResponseGroundednessEvaluator()
    evaluator.run(contexts=[["The tower is 48 m high."]], predicted_answers=["It is 48 m high."])
    ```
    """

    one_invalid: OneInvalid = "other"
    undefined: ZeroOrSkip = "zero"
    no_answer: ZeroOrSkip = "zero"
    shortcuts: bool = False
    compat: Compat = "none"
    name: str = "nvidia_response_groundedness"

    @judged
    def run(self, contexts: TextListColumn, predicted_answers: TextColumn) -> JudgeJob:
        """Rate each answer."""
        items, entries = read_inputs(contexts=contexts, predicted_answers=predicted_answers)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, _PROMPTS, COUNTS)

    run_async = judged_async(run)

    def _flow(self, contexts: list[str], answer: str) -> Flow[JudgedItem]:
        whole = "\n".join(contexts).strip()
        if not whole:
            return score_by_policy(self.undefined, "there are no contexts", COUNTS)
        if not answer.strip():
            return score_by_policy(self.no_answer, "the answer is blank", COUNTS)
        if self.shortcuts and answer.strip() in whole:
            return score_by_policy("one", "the answer occurs in the contexts", COUNTS)
        data = {"contexts": contexts, "answer": answer}
        ratings = TwoRatings(_PROMPTS, _SCALE, self.one_invalid, self.compat)
        return (yield from ratings.mean(data, data))
