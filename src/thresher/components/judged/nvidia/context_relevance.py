"""Whether the contexts contain what is needed to answer the question."""

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

_PROMPTS = ("nvidia/context_relevance.first", "nvidia/context_relevance.second")
_SCALE = Levels.of(0, 1, 2)


@metric
class NvidiaContextRelevanceEvaluator(JudgedMetric):
    """How far the contexts contain what is needed to answer the question: two ratings of 0, 1 or 2.

    Formula: (first / 2 + second / 2) / 2
    Source: Nvidia's metrics in ragas, "Context Relevance". All contexts are rated together.
    Calls: 2 per item, concurrently; 0 if a shortcut applies: a blank question, or contexts that only repeat
        words of the question, score 0.
    Differs: 1 is a part of the needed information and 2 all of it; in ragas 2 is also "any relevant
        information". If only one rating can be read, it counts alone. ragas' first implementation truncates
        the contexts to 4192 characters, and the rating is the first of 2, 1, 0 that occurs in the reply. The
        evidence has the reasons of both ratings.

    Args:
        one_invalid: if one rating cannot be read, the `other` counts, and the evidence says so; or the item
            is `unreadable`.
        shortcuts: whether contexts that occur literally in the question score 0 without a call.
        compat: `ragas-0.4-legacy` reads replies in plain text and treats invalid ratings as ragas' first
            implementation does.
        undefined: score of an item without contexts: `zero`, or none (`skip`).

    ```python
    evaluator = NvidiaContextRelevanceEvaluator()
    evaluator.run(questions=["How high is the tower?"], contexts=[["The tower is 48 m high."]])
    ```
    """

    one_invalid: OneInvalid = "other"
    undefined: ZeroOrSkip = "zero"
    shortcuts: bool = True
    compat: Compat = "none"
    name: str = "nvidia_context_relevance"

    @judged
    def run(self, questions: TextColumn, contexts: TextListColumn) -> JudgeJob:
        """Rate the contexts of each item."""
        items, entries = read_inputs(questions=questions, contexts=contexts)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, _PROMPTS, COUNTS)

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str]) -> Flow[JudgedItem]:
        whole = "\n".join(contexts).strip()
        if not whole:
            return score_by_policy(self.undefined, "there are no contexts", COUNTS)
        if not question.strip():
            return score_by_policy("zero", "the question is blank", COUNTS)
        if self.shortcuts and whole in question:
            return score_by_policy("zero", "the contexts only repeat words of the question", COUNTS)
        data = {"question": question, "contexts": contexts}
        ratings = TwoRatings(_PROMPTS, _SCALE, self.one_invalid, self.compat)
        return (yield from ratings.mean(data, data))
