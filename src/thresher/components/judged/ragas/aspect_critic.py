"""Whether an item meets a definition in plain words."""

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.ragas._material import Material, References, materials
from thresher.errors import InputError
from thresher.judges import Flow, Verdicts, judge_each, prompt, together
from thresher.metrics.judging import JudgedItem, JudgeJob, count_label, judged, judged_async
from thresher.metrics.options import check_choice, check_count, checked_options
from thresher.results import Direction, MetricResult

_VERDICT = "ragas/aspect_critic"
_COUNTS = ("votes", "asked")


@component
@checked_options
class RagasAspectCriticEvaluator:
    """Whether an item meets a definition: 1 if it does, 0 if not.

    Formula: 1 if the majority of the judge's verdicts is yes, else 0
    Source: ragas, "Aspect Critic".
    Calls: `strictness` an item.
    Differs: in ragas the strictness has no effect, since the judge is asked once; here it is asked as often
        as it says. That makes sense for a judge whose temperature is above 0.

    Args:
        definition: what is asked of an item, e.g. "Does the answer contain a phone number?"
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        strictness: how often the judge is asked; an odd number.
        direction: `higher` if meeting the definition is good, `lower` if it is bad.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is out of its range; from `run` for lists of unequal length, entries
            that are no texts, and a judge that cannot be used.

    ```python
    evaluator = RagasAspectCriticEvaluator("Is the answer rude?", direction="lower", name="rudeness")
    evaluator.run(predicted_answers=["Find out for yourself."])
    ```
    """

    def __init__(
        self,
        definition: str,
        chat_generator: ChatGenerator | None = None,
        *,
        strictness: int = 1,
        direction: Direction = "higher",
        name: str = "ragas_aspect_critic",
    ) -> None:
        _check_definition(definition)
        check_count("strictness", strictness, least=1)
        if strictness % 2 == 0:
            raise InputError(f"strictness={strictness} must be odd, so that there is a majority")
        check_choice("direction", direction, ["higher", "lower"])
        self.definition = definition
        self.chat_generator = chat_generator
        self.strictness = strictness
        self.direction = direction
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(
        self,
        predicted_answers: list[str],
        questions: list[str] | None = None,
        contexts: list[list[str]] | None = None,
        ground_truth_answers: References = None,
    ) -> JudgeJob:
        """Judge each item by what is given of it.

        Args:
            predicted_answers: one text per item; None leaves the item out as missing.
            questions: one text per item; None leaves the item out as missing.
            contexts: per item the passages that the answer was written from; None leaves the item out.
            ground_truth_answers: per item a text or several; None leaves the item out as missing.

        Returns:
            `score`: share of items that meet the definition; `individual_scores`: 0 or 1; `result`, with
            evidence.
        """
        items, told = materials(
            predicted_answers=predicted_answers,
            questions=questions,
            contexts=contexts,
            ground_truth_answers=ground_truth_answers,
        )
        flows = [self._flow(material) for material in told]
        return JudgeJob(items, flows, (_VERDICT,), _COUNTS, direction=self.direction)

    run_async = judged_async(run)

    def _flow(self, material: Material) -> Flow[JudgedItem]:
        asks = [
            prompt(_VERDICT).ask(
                Verdicts(("material",)), sample=sample, definition=self.definition, material=material
            )
            for sample in range(self.strictness)
        ]
        verdicts = yield from together(*map(judge_each, asks))
        votes = sum(count_label(verdict, "yes") for verdict in verdicts)
        told = [{"verdict": said.label, "reason": said.reason} for each in verdicts for said in each.values()]
        score = float(2 * votes > self.strictness)
        return JudgedItem(score, {"votes": votes, "asked": self.strictness}, {"verdicts": told})


def _check_definition(definition: object) -> None:
    if not isinstance(definition, str) or not definition.strip():
        raise InputError(f"definition={definition!r} must say what is asked of an item")
