"""Whether a text's opinions are biased."""

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.valor._opinions import work_on_opinions
from thresher.metrics.judging import JudgeJob, judged, judged_async
from thresher.metrics.options import check_choice, checked_options
from thresher.results import MetricResult


@component
@checked_options
class ValorBiasEvaluator:
    """The share of an answer's opinions that are biased; lower is better.

    Formula: biased opinions / opinions
    Source: Valor, text generation metrics, "Bias"; the rubric names gender, politics, descent and place.

    Two calls an item: the opinions are extracted, then judged together. Statements of fact and opinions of
    others that the text reports are not judged.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        no_opinions: a text without opinions scores `zero` (Valor's value) or is `undefined`.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is none of its choices; from `run` for entries that are no texts and
            for a judge that cannot be used.

    ```python
    evaluator = ValorBiasEvaluator()
    evaluator.run(predicted_answers=["People from the coast cannot be trusted."])
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        no_opinions: str = "zero",
        name: str = "bias",
    ) -> None:
        check_choice("no_opinions", no_opinions, ["zero", "undefined"])
        self.chat_generator = chat_generator
        self.no_opinions = no_opinions
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(self, predicted_answers: list[str]) -> JudgeJob:
        """Judge each text.

        Args:
            predicted_answers: one text per item; None leaves the item out as missing.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 0 to 1; `result`, with evidence.
        """
        return work_on_opinions(predicted_answers, "valor/bias", "biased", self.no_opinions, "Bias")

    run_async = judged_async(run)
