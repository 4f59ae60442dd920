"""How well a summary tells what its source tells."""

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.valor._ratings import BOUNDS, rated
from thresher.judges import prompt
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import JudgeJob, judged, judged_async
from thresher.metrics.options import checked_options
from thresher.results import MetricResult

_RATING = "valor/summary_coherence"


@component
@checked_options
class ValorSummaryCoherenceEvaluator:
    """How coherent a summary is as a summary of its source: a judge's rating from 1 to 5.

    Formula: the rating; 5 is best
    Source: Valor, text generation metrics, "Summary Coherence", after the coherence criterion of G-Eval
        (Liu et al., 2023). Valor takes the source as the query; here it is what the summary was written
        from, so it comes as contexts.

    One call an item. A rating off the scale is asked for again, and never clamped.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        name: name of the measure in reports.

    Raises:
        InputError: from `run`, for lists of unequal length, entries that are no texts, and a judge that
            cannot be used.

    ```python
    evaluator = ValorSummaryCoherenceEvaluator()
    evaluator.run(contexts=[["Frost came early. The wine turned sour."]], predicted_answers=["A sour year."])
    ```
    """

    def __init__(
        self, chat_generator: ChatGenerator | None = None, *, name: str = "summary_coherence"
    ) -> None:
        self.chat_generator = chat_generator
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(self, contexts: list[list[str]], predicted_answers: list[str]) -> JudgeJob:
        """Rate each summary.

        Args:
            contexts: per item the source, whole or in passages that are put together in their order; None
                leaves the item out as missing.
            predicted_answers: per item the summary; None leaves the item out as missing.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 1 to 5; `result`, with evidence.
        """
        items, entries = read_inputs(contexts=contexts, predicted_answers=predicted_answers)
        flows = [
            rated(prompt(_RATING), source="\n\n".join(passages), summary=summary)
            for passages, summary in entries
        ]
        return JudgeJob(items, flows, (_RATING,), (), "SummaryCoherence", bounds=BOUNDS)

    run_async = judged_async(run)
