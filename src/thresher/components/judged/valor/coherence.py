"""How well the sentences of a text hang together."""

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.valor._ratings import BOUNDS, rated
from thresher.judges import prompt
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import JudgeJob, judged, judged_async
from thresher.metrics.options import checked_options
from thresher.results import MetricResult

_RATING = "valor/coherence"


@component
@checked_options
class ValorCoherenceEvaluator:
    """How coherent a text is by itself: a judge's rating from 1 to 5.

    Formula: the rating; 5 is best
    Source: Valor before 0.33, "Coherence", after the coherence criterion of G-Eval (Liu et al., 2023), made
        general; neither question nor contexts are looked at.

    One call an item. A rating off the scale is asked for again, and never clamped.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        name: name of the measure in reports.

    Raises:
        InputError: from `run`, for entries that are no texts and for a judge that cannot be used.

    ```python
    evaluator = ValorCoherenceEvaluator()
    evaluator.run(predicted_answers=["Dough needs flour and water. It must rest for an hour."])
    ```
    """

    def __init__(self, chat_generator: ChatGenerator | None = None, *, name: str = "coherence") -> None:
        self.chat_generator = chat_generator
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(self, predicted_answers: list[str]) -> JudgeJob:
        """Rate each text.

        Args:
            predicted_answers: one text per item; None leaves the item out as missing.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 1 to 5; `result`, with evidence.
        """
        items, entries = read_inputs(predicted_answers=predicted_answers)
        flows = [rated(prompt(_RATING), text=answer) for (answer,) in entries]
        return JudgeJob(items, flows, (_RATING,), (), "Coherence", bounds=BOUNDS)

    run_async = judged_async(run)
