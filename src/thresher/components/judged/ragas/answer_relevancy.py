"""How close the question is to the questions that an answer answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from thresher.components._renamed import RENAMED, SKIP
from thresher.components.judged.ragas._questions import Question, Questions
from thresher.components.judged.ragas._similarity import Similarity
from thresher.judges import Flow, Outcome, answered, prompt
from thresher.metrics import (
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    PositiveCount,
    ZeroOrSkip,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
)

_QUESTIONS = "ragas/answer_relevancy"
_COUNTS = ("noncommittal", "questions")


@dataclass(frozen=True)
class _Written:
    """What the judge wrote to one answer, before it is compared with the question."""

    asked: str
    questions: tuple[Question, ...]


@RENAMED.options({"strictness": "samples", "no_answer": "undefined"}, values=SKIP)
@metric
class RagasAnswerRelevancyEvaluator(JudgedMetric):
    """How close the question is to the questions that a judge writes to the answer, by embeddings.

    Formula: mean of cosine(question, written question), times 0 if all written questions find the answer
        noncommittal
    Source: ragas, "Response Relevancy" (before: "Answer Relevancy"). Whether the answer is right does not
        matter.
    Calls: 1 an item, for all questions; and embeddings of 1 + `samples` texts. ragas makes one call for
        each of three questions, or one with three replies where the provider can.
    Differs: one call that asks for several wordings gives several wordings at temperature 0 too, where
        repeated calls give the same. A blank answer is not asked about.

    Args:
        embedder: any Haystack text or document embedder (a document embedder gets all texts at once); the
            offline sentence encoder of the extra `semantic` by default.
        samples: number of questions that the judge writes to each answer.
        noncommittal: what evading answers get: 0 if `all` written questions find the answer evasive (ragas
            since 0.2) or if `any` does (ragas 0.1); or the `fraction` of those that do not is a factor.
        undefined: score of an item with a blank answer: `zero`, or none (`skip`).

    Raises:
        MissingDependencyError: from `run`, without an embedder where the extra `semantic` is missing.

    ```python
    evaluator = RagasAnswerRelevancyEvaluator()
    evaluator.run(questions=["How high is the tower?"], predicted_answers=["The tower is 48 m high."])
    ```
    """

    embedder: Any = None
    samples: PositiveCount = 3
    noncommittal: Literal["all", "any", "fraction"] = "all"
    undefined: ZeroOrSkip = "zero"
    name: str = "ragas_answer_relevancy"

    def __post_init__(self) -> None:
        self._similarity = Similarity(self.embedder)

    @judged
    def run(self, questions: list[str], predicted_answers: list[str]) -> JudgeJob:
        """Judge each answer."""
        items, entries = read_inputs(questions=questions, predicted_answers=predicted_answers)
        flows = [self._flow(*entry) for entry in entries]
        models = self._similarity.told()
        return JudgeJob(
            items, flows, (_QUESTIONS,), _COUNTS, bounds=(-1.0, 1.0), options=models, finish=self._compared
        )

    run_async = judged_async(run)

    def _flow(self, question: str, answer: str) -> Flow[JudgedItem | _Written]:
        if not answer.strip():
            return score_by_policy(self.undefined, "the answer is blank", _COUNTS)
        form = Questions(self.samples)
        ask = prompt(_QUESTIONS).ask(form, subject=answer, text=answer, number=str(self.samples))
        return _Written(question, (yield from answered(ask)))

    def _compared(self, outcomes: Sequence[Outcome[Any]]) -> Sequence[Outcome[JudgedItem]]:
        """The outcomes with scores in place of written questions."""
        pairs = [
            (question.text, outcome.value.asked)
            for outcome in outcomes
            if isinstance(outcome.value, _Written)
            for question in outcome.value.questions
        ]
        similar = iter(self._similarity.of(pairs))
        return [
            self._scored(outcome, outcome.value.questions, [next(similar) for _ in outcome.value.questions])
            if isinstance(outcome.value, _Written)
            else outcome
            for outcome in outcomes
        ]

    def _scored(
        self, outcome: Outcome[Any], questions: Sequence[Question], similar: Sequence[Outcome[float]]
    ) -> Outcome[JudgedItem]:
        unknown = next((one for one in similar if one.value is None), None)
        if unknown is not None:
            return replace(outcome, value=None, status=unknown.status, reason=unknown.reason)
        cosines = [one.value or 0.0 for one in similar]
        told = [
            {"question": question.text, "noncommittal": question.noncommittal, "similarity": cosine}
            for question, cosine in zip(questions, cosines, strict=True)
        ]
        evasive = sum(question.noncommittal for question in questions)
        mean = sum(cosines) / len(cosines)
        counts = {"noncommittal": evasive, "questions": len(questions)}
        return replace(outcome, value=JudgedItem(mean * self._factor(evasive), counts, {"questions": told}))

    def _factor(self, evasive: int) -> float:
        if self.noncommittal == "fraction":
            return 1 - evasive / self.samples
        least = self.samples if self.noncommittal == "all" else 1
        return float(evasive < least)
