"""Similarity of the question and the questions that an answer answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from thresher.components.judged.ragas._questions import Question, Questions
from thresher.components.judged.ragas._similarity import Similarity
from thresher.judges import Flow, Outcome, answered, prompt
from thresher.metrics import (
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    PositiveCount,
    TextColumn,
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
class _Generated:
    """The questions generated from one answer, before they are compared with its question."""

    asked: str
    questions: tuple[Question, ...]


@metric
class RagasAnswerRelevancyEvaluator(JudgedMetric):
    """Similarity of the question and questions that a judge generates from the answer, by embeddings.

    Formula: mean of cosine(question, generated question); 0 if all generated questions mark the answer as
        noncommittal
    Source: ragas, "Response Relevancy" (before: "Answer Relevancy"). Whether the answer is correct does
        not matter.
    Calls: 1 per item for all questions, 0 for a blank answer; and embeddings of 1 + `samples` texts. ragas
        makes one call per question, or one call with three replies if the provider supports it.
    Differs: one call for several questions returns different questions even at temperature 0, at which
        repeated calls return the same question.

    Args:
        embedder: any Haystack text or document embedder (a document embedder gets all texts at once);
            default: the offline sentence encoder of the extra `semantic`.
        samples: number of generated questions.
        noncommittal: penalty of evasive answers: the score is 0 if `all` generated questions mark the answer
            as evasive (ragas since 0.2) or if `any` does (ragas 0.1); or it is multiplied by the `fraction`
            of questions that do not.
        undefined: score of an item with a blank answer: `zero`, or none (`skip`).

    Raises:
        MissingDependencyError: from `run`, without an embedder if the extra `semantic` is not installed.

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
    def run(self, questions: TextColumn, predicted_answers: TextColumn) -> JudgeJob:
        """Judge each answer."""
        items, entries = read_inputs(questions=questions, predicted_answers=predicted_answers)
        flows = [self._flow(*entry) for entry in entries]
        models = self._similarity.settings()
        return JudgeJob(
            items, flows, (_QUESTIONS,), _COUNTS, bounds=(-1.0, 1.0), options=models, finish=self._compared
        )

    run_async = judged_async(run)

    def _flow(self, question: str, answer: str) -> Flow[JudgedItem | _Generated]:
        if not answer.strip():
            return score_by_policy(self.undefined, "the answer is blank", _COUNTS)
        form = Questions(self.samples)
        ask = prompt(_QUESTIONS).ask(form, subject=answer, text=answer, number=str(self.samples))
        return _Generated(question, (yield from answered(ask)))

    def _compared(self, outcomes: Sequence[Outcome[Any]]) -> Sequence[Outcome[JudgedItem]]:
        """Replace the generated questions of outcomes by scores."""
        pairs = [
            (question.text, outcome.value.asked)
            for outcome in outcomes
            if isinstance(outcome.value, _Generated)
            for question in outcome.value.questions
        ]
        similar = iter(self._similarity.outcomes(pairs))
        return [
            self._scored(outcome, outcome.value.questions, [next(similar) for _ in outcome.value.questions])
            if isinstance(outcome.value, _Generated)
            else outcome
            for outcome in outcomes
        ]

    def _scored(
        self, outcome: Outcome[Any], questions: Sequence[Question], similar: Sequence[Outcome[float]]
    ) -> Outcome[JudgedItem]:
        unknown = next((similarity for similarity in similar if similarity.value is None), None)
        if unknown is not None:
            return replace(outcome, value=None, status=unknown.status, reason=unknown.reason)
        cosines = [similarity.value or 0.0 for similarity in similar]
        evidence = [
            {"question": question.text, "noncommittal": question.noncommittal, "similarity": cosine}
            for question, cosine in zip(questions, cosines, strict=True)
        ]
        evasive = sum(question.noncommittal for question in questions)
        mean = sum(cosines) / len(cosines)
        counts = {"noncommittal": evasive, "questions": len(questions)}
        return replace(
            outcome, value=JudgedItem(mean * self._factor(evasive), counts, {"questions": evidence})
        )

    def _factor(self, evasive: int) -> float:
        if self.noncommittal == "fraction":
            return 1 - evasive / self.samples
        least = self.samples if self.noncommittal == "all" else 1
        return float(evasive < least)
