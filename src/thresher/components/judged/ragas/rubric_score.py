"""Rating of an answer by a rubric."""

from collections.abc import Mapping
from typing import Any

from thresher.components.judged.ragas._material import Material, materials
from thresher.components.judged.ragas._rubrics import (
    WITH_REFERENCE,
    WITHOUT_REFERENCE,
    RagasRubric,
    rubric_of,
)
from thresher.judges import Flow, prompt, rate
from thresher.judges.levels import Levels
from thresher.metrics import (
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    ReferenceColumn,
    TextColumn,
    TextListColumn,
    judged,
    judged_async,
    metric,
)

_RATING = "ragas/rubric_score"


@metric
class RagasRubricScoreEvaluator(JudgedMetric):
    """A judge's rating of an answer by a rubric.

    Without `rubric`, answers are rated from 1 to 5: by agreement with the reference if there are references,
    otherwise by how well they answer the question.

    Formula: the rating; the highest rating of the rubric is best
    Source: ragas, "Rubrics based criteria scoring" and "Instance specific rubrics criteria scoring".
    Calls: 1 per item.
    Differs: a rating that is not in the rubric is requested again, and never used; ragas accepts any number.

    Args:
        rubric: rating -> description of such answers. Ratings are whole numbers, with or without gaps;
            ragas' keys ("score1_description") are accepted. The key `criteria` adds general criteria.

    ```python
    evaluator = RagasRubricScoreEvaluator(rubric={0: "The answer is rude.", 1: "The answer is polite."})
    evaluator.run(predicted_answers=["Find out for yourself."])
    ```
    """

    rubric: Mapping[Any, str] | None = None
    name: str = "ragas_rubric_score"

    def __post_init__(self) -> None:
        self._rubric = None if self.rubric is None else rubric_of("rubric", self.rubric)
        self.rubric = None if self._rubric is None else self._rubric.written()

    @judged
    def run(
        self,
        predicted_answers: TextColumn,
        questions: TextColumn | None = None,
        contexts: TextListColumn | None = None,
        ground_truth_answers: ReferenceColumn | None = None,
        rubrics: list[dict[str, str]] | list[dict[str, str] | None] | None = None,
    ) -> JudgeJob:
        """Rate each answer by the inputs with data."""
        items, item_materials = materials(
            predicted_answers=predicted_answers,
            questions=questions,
            contexts=contexts,
            ground_truth_answers=ground_truth_answers,
            rubrics=[{}] * len(rubrics) if rubrics is not None else None,
        )
        common = self._rubric or (WITHOUT_REFERENCE if ground_truth_answers is None else WITH_REFERENCE)
        by_item = [
            common
            if rubrics is None or rubrics[item] is None
            else rubric_of(f"rubrics[{item}]", rubrics[item])
            for item in items.present
        ]
        flows = [
            self._flow(rubric, material) for rubric, material in zip(by_item, item_materials, strict=True)
        ]
        # Items with their own rubrics may have any scale: bounds must not depend on the items of a run.
        ends = (min(common.levels), max(common.levels)) if rubrics is None else (float("-inf"), float("inf"))
        return JudgeJob(items, flows, (_RATING,), (), bounds=ends, options={"rubric": common.written()})

    run_async = judged_async(run)

    def _flow(self, rubric: RagasRubric, material: Material) -> Flow[JudgedItem]:
        ask = prompt(_RATING).ask(Levels.of(*rubric.levels), rubric=rubric.written(), material=material)
        reply = yield from rate(ask)
        evidence = {"rating": reply.rating, "reason": reply.reason, "scale": [*rubric.levels]}
        return JudgedItem(float(reply.rating), {}, evidence)
