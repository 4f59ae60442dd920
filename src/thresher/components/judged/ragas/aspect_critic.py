"""Whether an item meets a definition in plain words."""

from thresher.components.judged.ragas._material import Material, materials
from thresher.errors import InputError
from thresher.judges import Flow, Verdicts, judge_each, prompt, together
from thresher.metrics import (
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    PositiveCount,
    ReferenceColumn,
    Text,
    TextColumn,
    TextListColumn,
    count_label,
    judged,
    judged_async,
    metric,
)
from thresher.results import Direction

_VERDICT = "ragas/aspect_critic"
_COUNTS = ("votes", "asked")


@metric
class RagasAspectCriticEvaluator(JudgedMetric):
    """Whether an item meets a definition: 1 if it does, 0 if not.

    Formula: 1 if the majority of the judge's verdicts is yes, else 0
    Source: ragas, "Aspect Critic".
    Calls: `samples` per item.
    Differs: in ragas this number (`strictness`) has no effect: there is always one call. More calls are
        useful for a judge with a temperature above 0.

    Args:
        definition: a question about the item, e.g. "Does the answer contain a phone number?"
        samples: number of calls per item; an odd number.
        direction: `higher` if meeting the definition is good, `lower` if it is bad.

    ```python
    rudeness = RagasAspectCriticEvaluator(definition="Is the answer rude?", direction="lower")
    rudeness.run(predicted_answers=["Find out for yourself."])
    ```
    """

    definition: Text
    samples: PositiveCount = 1
    direction: Direction = "higher"
    name: str = "ragas_aspect_critic"

    def __post_init__(self) -> None:
        if self.samples % 2 == 0:
            raise InputError(f"samples={self.samples} must be odd, so that there is a majority")

    @judged
    def run(
        self,
        predicted_answers: TextColumn,
        questions: TextColumn | None = None,
        contexts: TextListColumn | None = None,
        ground_truth_answers: ReferenceColumn | None = None,
    ) -> JudgeJob:
        """Judge each item by the inputs with data.

        Returns:
            `score`: share of items that meet the definition; `individual_scores`: 0 or 1; `result`, with
            evidence.
        """
        items, item_materials = materials(
            predicted_answers=predicted_answers,
            questions=questions,
            contexts=contexts,
            ground_truth_answers=ground_truth_answers,
        )
        flows = [self._flow(material) for material in item_materials]
        return JudgeJob(items, flows, (_VERDICT,), _COUNTS, direction=self.direction)

    run_async = judged_async(run)

    def _flow(self, material: Material) -> Flow[JudgedItem]:
        asks = [
            prompt(_VERDICT).ask(
                Verdicts(("material",)), sample=sample, definition=self.definition, material=material
            )
            for sample in range(self.samples)
        ]
        verdicts = yield from together(*map(judge_each, asks))
        votes = sum(count_label(verdict, "yes") for verdict in verdicts)
        evidence = [
            {"verdict": verdict.label, "reason": verdict.reason}
            for by_material in verdicts
            for verdict in by_material.values()
        ]
        score = float(2 * votes > self.samples)
        return JudgedItem(score, {"votes": votes, "asked": self.samples}, {"verdicts": evidence})
