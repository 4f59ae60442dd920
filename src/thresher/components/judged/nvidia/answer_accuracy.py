"""Whether an answer agrees with a reference answer."""

from thresher.components.judged.nvidia._ratings import COUNTS, Compat, OneInvalid, TwoRatings
from thresher.judges import Flow, Unanswered, together
from thresher.judges.levels import Levels
from thresher.metrics import (
    BestOrMean,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    ReferenceColumn,
    TextColumn,
    ZeroOrSkip,
    combine_references,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
)
from thresher.results import Status

_PROMPTS = ("nvidia/answer_accuracy.first", "nvidia/answer_accuracy.second")
_SCALE = Levels.of(0, 2, 4)


@metric
class NvidiaAnswerAccuracyEvaluator(JudgedMetric):
    """How far an answer agrees with a reference answer: two ratings of 0, 2 or 4, in both roles.

    Formula: (first / 4 + second / 4) / 2; the best of several references
    Source: Nvidia's metrics in ragas, "Answer Accuracy". The first rating measures the answer against the
        reference, the second, by another prompt, the reference against the answer.
    Calls: 2 per reference, concurrently; 0 for a blank answer.
    Differs: if only one rating can be read, it counts alone. In ragas' first implementation only the first
        one does, the second prompt swaps the order and not the roles, and a rating is the first digit
        anywhere in the reply. The evidence has the reasons of both ratings.

    Args:
        one_invalid: if one rating cannot be read, the `other` counts, and the evidence says so; or the item
            is `unreadable`.
        compat: `ragas-0.4-legacy` reads replies in plain text, treats invalid ratings and swaps the order
            as ragas' first implementation does.
        undefined: score of an item with a blank answer: `zero`, or none (`skip`).

    ```python
    evaluator = NvidiaAnswerAccuracyEvaluator()
    evaluator.run(
        questions=["How high is the tower?"],
        predicted_answers=["It is 48 m high."],
        ground_truth_answers=[["48 metres", "157 feet"]],
    )
    ```
    """

    references: BestOrMean = "max"
    one_invalid: OneInvalid = "other"
    undefined: ZeroOrSkip = "zero"
    compat: Compat = "none"
    name: str = "nvidia_answer_accuracy"

    @judged
    def run(
        self,
        questions: TextColumn,
        predicted_answers: TextColumn,
        ground_truth_answers: ReferenceColumn,
    ) -> JudgeJob:
        """Rate each answer."""
        items, entries = read_inputs(
            questions=questions,
            predicted_answers=predicted_answers,
            ground_truth_answers=ground_truth_answers,
        )
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, _PROMPTS, COUNTS)

    run_async = judged_async(run)

    def _flow(self, question: str, answer: str, references: list[str]) -> Flow[JudgedItem]:
        if not references:
            raise Unanswered(Status.MISSING, "there are no references")
        if not answer.strip():
            return score_by_policy(self.undefined, "the answer is blank", COUNTS)
        rated = yield from together(*(self._rated(question, answer, reference) for reference in references))
        return combine_references(rated, self.references)

    def _rated(self, question: str, answer: str, reference: str) -> Flow[JudgedItem]:
        roles = {"standard": answer, "examined": reference}
        if self.compat != "none":
            roles = {"standard": reference, "examined": answer}
        first = {"question": question, "answer": answer, "reference": reference}
        ratings = TwoRatings(_PROMPTS, _SCALE, self.one_invalid, self.compat)
        return ratings.mean(first, {"question": question, **roles})
