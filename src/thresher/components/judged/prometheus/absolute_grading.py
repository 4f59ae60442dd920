"""Grades of answers by a rubric."""

from collections.abc import Mapping
from typing import Any

from thresher.components.judged.prometheus._format import JSON_GRADE, Grade, ReplyFormat
from thresher.components.judged.prometheus._grading import prompt_for, rubrics_for, without_missing
from thresher.components.judged.prometheus.rubrics import PrometheusRubric, rubric_of
from thresher.judges import Flow, JudgeRating, ReplySchema, Unanswered, answered, together
from thresher.metrics import (
    BestOrMean,
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


@metric
class PrometheusAbsoluteGradingEvaluator(JudgedMetric):
    """Grade of an answer from 1 to 5 by a rubric.

    Formula: the grade; the best of several references
    Source: Kim et al. 2024, "Prometheus: Inducing Fine-grained Evaluation Capability in Language Models",
        and "Prometheus 2" of the same year; absolute grading, with and without a reference answer that
        deserves a 5. Feedback comes before the grade.
    Calls: 1 per reference; 1 without references.
    Differs: a reference is never ignored: it has its own prompt, which the original package uses only on
        request. The grade may be followed by text or punctuation, e.g. "4."; the original package repeats
        such an item together with all remaining items, up to ten times, and then leaves it without a grade.

    Args:
        rubric: a name (`helpfulness`, `harmlessness`, `honesty`, `factual_validity`, `reasoning`), or a
            mapping with `criteria` and a description for each score from 1 to 5.
        reply_format: `json` for any judge, or `prometheus` for Prometheus' models: its layout, and feedback,
            [RESULT] and the grade in plain text.

    ```python
    evaluator = PrometheusAbsoluteGradingEvaluator(rubric="reasoning")
    evaluator.run(questions=["Is 91 a prime?"], predicted_answers=["No, it is 7 times 13."])
    ```
    """

    rubric: str | Mapping[Any, str] = "helpfulness"
    reply_format: ReplyFormat = "json"
    references: BestOrMean = "max"
    name: str = "prometheus_absolute_grading"

    def __post_init__(self) -> None:
        self._rubric = rubric_of("rubric", self.rubric)
        self.rubric = (
            self.rubric
            if isinstance(self.rubric, str)
            else {str(key): text for key, text in self.rubric.items()}
        )

    @judged
    def run(
        self,
        questions: TextColumn,
        predicted_answers: TextColumn,
        ground_truth_answers: ReferenceColumn | None = None,
        rubrics: list[dict[str, str]] | list[dict[str, str] | None] | None = None,
    ) -> JudgeJob:
        """Grade each answer.

        Args:
            questions: per item the instruction; None leaves the item out as missing.
            ground_truth_answers: per item one or more answers that deserve a 5; None leaves the item out.
                Without this input, answers are graded without references.
        """
        items, entries = read_inputs(
            questions=questions,
            predicted_answers=predicted_answers,
            ground_truth_answers=ground_truth_answers,
            rubrics=without_missing(rubrics),
        )
        by_item = rubrics_for(items.present, rubrics, self._rubric)
        flows = [
            self._flow(instruction, answer, references, rubric)
            for (instruction, answer, references, _), rubric in zip(entries, by_item, strict=True)
        ]
        used = prompt_for("absolute", self.reply_format, referenced=ground_truth_answers is not None)
        return JudgeJob(items, flows, (), (), bounds=(1.0, 5.0), options={"template": used})

    run_async = judged_async(run)

    def _flow(
        self, instruction: str, answer: str, references: list[str] | None, rubric: PrometheusRubric
    ) -> Flow[JudgedItem]:
        used = prompt_for("absolute", self.reply_format, referenced=references is not None)
        form: ReplySchema[JudgeRating] = JSON_GRADE if self.reply_format == "json" else Grade()
        data: dict[str, Any] = {"instruction": instruction, "answer": answer, "rubric": rubric.written()}
        if references is None:
            asks = [used.ask(form, **data)]
        else:
            asks = [used.ask(form, reference=reference, **data) for reference in references]
        if not asks:
            raise Unanswered(Status.MISSING, "there are no references")
        graded = yield from together(*map(answered, asks))
        best = max(graded, key=lambda grade: grade.rating)
        mean = sum(grade.rating for grade in graded) / len(graded)
        score = float(best.rating) if self.references == "max" else mean
        grades = [{"rating": grade.rating, "reason": grade.reason} for grade in graded]
        evidence = {"rating": best.rating, "reason": best.reason, "references": grades}
        return JudgedItem(score, {}, {**evidence, "criteria": rubric.criteria})
