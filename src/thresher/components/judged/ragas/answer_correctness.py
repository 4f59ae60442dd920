"""Agreement of an answer's statements with a reference answer, and similarity of the two."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from thresher.components.judged._comparison import comparison_prompt
from thresher.components.judged.ragas._factuality import COUNTS, Factuality
from thresher.components.judged.ragas._similarity import Similarity
from thresher.components.judged.ragas._steps import (
    PLAIN_STATEMENTS,
    STATEMENTS,
    Compat,
    require_references,
)
from thresher.components.judged.ragas._weights import check_weights, weighted
from thresher.components.text.cross_encoder_similarity import Scale
from thresher.judges import Flow, Outcome
from thresher.metrics import (
    BestOrMean,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    Positive,
    ReferenceColumn,
    TextColumn,
    Undefined,
    combine_references,
    judged,
    judged_async,
    metric,
    read_inputs,
)


@dataclass(frozen=True)
class _Compared:
    """An answer, its references, and the factuality for each, before similarities are computed."""

    answer: str
    references: list[str]
    factuality: list[JudgedItem]


@metric
class RagasAnswerCorrectnessEvaluator(JudgedMetric):
    """Factuality of an answer against a reference answer, averaged with the similarity of the two.

    Formula: (w1 * F + w2 * similarity) / (w1 + w2), where F is F-beta of tp/(tp+fp) and tp/(tp+fn); the
        best of several references
    Source: ragas, "Answer Correctness": tp and fp are statements of the answer that the reference does and
        does not support, fn statements of the reference that the answer lacks.
    Calls: 1 per item and 2 per reference (statements of both, then one comparison), and the embeddings of
        answer and references. RagasFaithfulnessEvaluator uses the same statements of the answer.
    Differs: in ragas tp, fp and fn need not add up to the statements; here every statement has a verdict. In
        ragas an answer that states nothing has the factuality 1; here 0. A cross-encoder can replace the
        embeddings, as in ragas' first versions.

    Args:
        weights: weights of factuality and of similarity. A part with the weight 0 is not computed.
        beta: weight of recall relative to precision.
        embedder: any Haystack text or document embedder; default: the offline sentence encoder of the extra
            `semantic`.
        cross_encoder: a Haystack ranker, or an object with `predict(pairs)`, instead of an embedder.
        scale: `none` for scores of a cross-encoder between 0 and 1, `sigmoid` for logits.
        undefined: factuality if neither the answer nor the reference states anything: `one`, `zero`, or
            none (`skip`).
        compat: `ragas-0.4` gives a factuality of 1 if any side states nothing.

    Raises:
        MissingDependencyError: from `run`, without an embedder if the extra `semantic` is not installed.

    ```python
    evaluator = RagasAnswerCorrectnessEvaluator(weights=[0.75, 0.25])
    evaluator.run(
        predicted_answers=["It is 48 m high."],
        ground_truth_answers=["48 metres"],
        questions=["How high is the tower?"],  # may be left out
    )
    ```
    """

    weights: Sequence[float] = (0.75, 0.25)
    beta: Positive = 1.0
    embedder: Any = None
    cross_encoder: Any = None
    scale: Scale = "none"
    references: BestOrMean = "max"
    undefined: Undefined = "one"
    compat: Compat = "none"
    name: str = "ragas_answer_correctness"

    def __post_init__(self) -> None:
        check_weights(self.weights)
        self._similarity = Similarity(self.embedder, self.cross_encoder, self.scale)
        self._factuality = Factuality(self.beta, self.undefined, self.compat)

    @judged
    def run(
        self,
        *,
        predicted_answers: TextColumn,
        ground_truth_answers: ReferenceColumn,
        questions: TextColumn | None = None,
    ) -> JudgeJob:
        """Judge each answer.

        Args:
            questions: one text per item; None leaves the item out as missing. Without this input,
                statements are extracted and compared without a question.
        """
        items, entries = read_inputs(
            questions=questions,
            predicted_answers=predicted_answers,
            ground_truth_answers=ground_truth_answers,
        )
        flows = [self._flow(*entry) for entry in entries]
        models = (
            self._similarity.settings() if self.weights[1] else dict.fromkeys(("embedder", "cross_encoder"))
        )
        asked = questions is not None
        prompts = (STATEMENTS if asked else PLAIN_STATEMENTS, comparison_prompt(asked=asked))
        lowest = weighted(self.weights, 0.0, self._similarity.lowest)
        return JudgeJob(
            items,
            flows,
            prompts,
            COUNTS,
            bounds=(lowest, 1.0),
            options=models,
            finish=self._combine,
        )

    run_async = judged_async(run)

    def _flow(self, question: str | None, answer: str, references: list[str]) -> Flow[_Compared]:
        require_references(references)
        nothing = JudgedItem(0.0, dict.fromkeys(COUNTS, 0.0), {})
        factuality = [nothing] * len(references)
        if self.weights[0]:
            factuality = yield from self._factuality.by_reference(question, answer, references)
        return _Compared(answer, references, factuality)

    def _combine(self, outcomes: Sequence[Outcome[Any]]) -> Sequence[Outcome[JudgedItem]]:
        """Replace the comparisons of outcomes by scores."""
        compared = [outcome.value for outcome in outcomes if outcome.value is not None]
        pairs = [(item.answer, reference) for item in compared for reference in item.references]
        similar = iter(self._similarity.outcomes(pairs) if self.weights[1] else [Outcome(0.0)] * len(pairs))
        return [
            outcome
            if outcome.value is None
            else self._scored(
                outcome, outcome.value.factuality, [next(similar) for _ in outcome.value.references]
            )
            for outcome in outcomes
        ]

    def _scored(
        self, outcome: Outcome[Any], factuality: Sequence[JudgedItem], similar: Sequence[Outcome[float]]
    ) -> Outcome[JudgedItem]:
        unknown = next((similarity for similarity in similar if similarity.value is None), None)
        if unknown is not None:
            return replace(outcome, value=None, status=unknown.status, reason=unknown.reason)
        scored = [
            JudgedItem(
                weighted(self.weights, facts.score, similarity.value or 0.0),
                {**facts.counts, "factuality": facts.score, "similarity": similarity.value or 0.0},
                {**facts.evidence, "factuality": facts.score, "similarity": similarity.value},
            )
            for facts, similarity in zip(factuality, similar, strict=True)
        ]
        return replace(outcome, value=combine_references(scored, self.references))
