"""How relevant and correct an answer is, on a scale from 1 to 5."""

from collections.abc import Mapping
from typing import ClassVar

from thresher.components.judged.llamaindex._verdicts import fields
from thresher.judges import Flow, Unanswered, answered, prompt, together
from thresher.judges.scores import Score
from thresher.metrics import (
    BestOrMean,
    ExtraMeasure,
    FiniteNumber,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    ReferenceColumn,
    TextColumn,
    judged,
    judged_async,
    metric,
    read_inputs,
)
from thresher.results import Status

_PROMPT = "llamaindex/correctness"
_UNREFERENCED = f"{_PROMPT}.unreferenced"
_SCALE = Score(1.0, 5.0)
_PASSING = (ExtraMeasure("passing", "passing"),)


@metric
class LlamaIndexCorrectnessEvaluator(JudgedMetric):
    """How relevant and correct an answer is: a judge's score from 1 to 5; 4 or more passes.

    Formula: the score, decimals allowed; the best of several references; passing = score >= threshold
    Source: LlamaIndex, `CorrectnessEvaluator`: 1 is not relevant, 2 to 3 relevant with mistakes, 4 to 5
        relevant and fully correct.
    Calls: 1 per reference; 1 without references.
    Differs: the score may be anywhere in the reply; LlamaIndex requires it alone in the first line, otherwise
        the item has no score, or the run stops. A score off the scale is requested again; LlamaIndex accepts
        9.

    Args:
        threshold: the lowest score that passes; the share that does is the measure `..._passing`.

    ```python
    evaluator = LlamaIndexCorrectnessEvaluator()
    evaluator.run(
        questions=["How high is the tower?"],
        predicted_answers=["It is 48 m high."],
        ground_truth_answers=["48 metres"],
    )
    ```
    """

    judged_without: ClassVar[Mapping[str, str]] = {
        "ground_truth_answers": "answers are judged without references"
    }
    """Optional input -> what its absence means; `evaluate` warns, because a column may be forgotten."""

    threshold: FiniteNumber = 4.0
    references: BestOrMean = "max"
    name: str = "llama_index_correctness"

    @judged
    def run(
        self,
        questions: TextColumn,
        predicted_answers: TextColumn,
        ground_truth_answers: ReferenceColumn | None = None,
    ) -> JudgeJob:
        """Judge each answer.

        Args:
            ground_truth_answers: per item a text or several; None leaves the item out as missing. Without
                this input, answers are judged without references.
        """
        items, entries = read_inputs(
            questions=questions,
            predicted_answers=predicted_answers,
            ground_truth_answers=ground_truth_answers,
        )
        flows = [self._flow(*entry) for entry in entries]
        used = _UNREFERENCED if ground_truth_answers is None else _PROMPT
        return JudgeJob(items, flows, (used,), ("passing",), bounds=(1.0, 5.0), measures=_PASSING)

    run_async = judged_async(run)

    def _flow(self, question: str, answer: str, references: list[str] | None) -> Flow[JudgedItem]:
        if references is None:
            asks = [prompt(_UNREFERENCED).ask(_SCALE, question=question, answer=answer)]
        else:
            asks = [
                prompt(_PROMPT).ask(_SCALE, question=question, answer=answer, reference=reference)
                for reference in references
            ]
        if not asks:
            raise Unanswered(Status.MISSING, "there are no references")
        scored = yield from together(*map(answered, asks))
        best = max(scored, key=lambda reply: reply.score)
        mean = sum(reply.score for reply in scored) / len(scored)
        score = best.score if self.references == "max" else mean
        passing = score >= self.threshold
        by_reference = [{"score": reply.score, "reason": reply.reason} for reply in scored]
        evidence = {**fields(score, best.reason, passing=passing), "references": by_reference}
        return JudgedItem(score, {"passing": float(passing)}, evidence)
