"""The rating of an answer by a rubric."""

from collections.abc import Mapping
from typing import Any

from thresher.components._renamed import RENAMED
from thresher.components.judged.ragas._material import Material, References, materials
from thresher.components.judged.ragas._rubrics import (
    WITH_REFERENCE,
    WITHOUT_REFERENCE,
    RagasRubric,
    rubric_of,
)
from thresher.judges import Flow, prompt, rate
from thresher.judges.levels import Levels
from thresher.metrics import JudgedItem, JudgedMetric, JudgeJob, judged, judged_async, metric

_RATING = "ragas/rubric_score"


@RENAMED.options({"rubrics": "rubric"})
@metric
class RagasRubricScoreEvaluator(JudgedMetric):
    """The rating that a judge gives an answer by a rubric.

    Without a rubric of its own the metric rates from 1 to 5, by agreement with the reference where there
    are references, else by how well the answer answers the question.

    Formula: the rating; the best one is the rubric's highest
    Source: ragas, "Rubrics based criteria scoring" and "Instance specific rubrics criteria scoring".
    Calls: 1 an item.
    Differs: a rating that is not in the rubric is asked for again, and never taken; in ragas any number is.

    Args:
        rubric: rating -> what an answer must be like to get it. Ratings are whole numbers, with or without
            gaps; ragas' keys ("score1_description") do as well. The key `criteria` may say what counts.

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
        predicted_answers: list[str],
        questions: list[str] | None = None,
        contexts: list[list[str]] | None = None,
        ground_truth_answers: References = None,
        rubrics: list[dict[str, str]] | None = None,
    ) -> JudgeJob:
        """Rate each answer by what is given of its item."""
        items, told = materials(
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
        flows = [self._flow(rubric, material) for rubric, material in zip(by_item, told, strict=True)]
        # With rubrics of the items' own the scale is not the metric's, whatever these items' rubrics are.
        ends = (min(common.levels), max(common.levels)) if rubrics is None else (float("-inf"), float("inf"))
        return JudgeJob(items, flows, (_RATING,), (), bounds=ends, options={"rubric": common.written()})

    run_async = judged_async(run)

    def _flow(self, rubric: RagasRubric, material: Material) -> Flow[JudgedItem]:
        ask = prompt(_RATING).ask(Levels.of(*rubric.levels), rubric=rubric.written(), material=material)
        found = yield from rate(ask)
        evidence = {"rating": found.rating, "reason": found.reason, "scale": [*rubric.levels]}
        return JudgedItem(float(found.rating), {}, evidence)
