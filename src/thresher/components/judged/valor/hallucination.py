"""Whether an answer contradicts its contexts."""

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.valor._contexts import share_of_contexts
from thresher.judges import Flow, prompt
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import JudgedItem, JudgeJob, judged, judged_async, score_by_policy
from thresher.metrics.options import check_choice, checked_options
from thresher.results import MetricResult

_VERDICTS = "valor/hallucination"
_COUNTS = ("contradicted", "contexts")


@component
@checked_options
class ValorHallucinationEvaluator:
    """The share of contexts that an answer contradicts; lower is better.

    Formula: contradicted contexts / contexts
    Source: Valor, text generation metrics, "Hallucination". What no context speaks of is no contradiction:
        invented claims are found by the faithfulness, not here.

    One call an item, about all contexts.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        no_contexts: an item without contexts is `undefined` (Valor raises an error) or scores `zero`.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is none of its choices; from `run` for lists of unequal length,
            entries that are no texts, and a judge that cannot be used.

    ```python
    evaluator = ValorHallucinationEvaluator()
    evaluator.run(contexts=[["The tower is 48 m high."]], predicted_answers=["It is 84 m high."])
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        no_contexts: str = "undefined",
        name: str = "hallucination",
    ) -> None:
        check_choice("no_contexts", no_contexts, ["undefined", "zero"])
        self.chat_generator = chat_generator
        self.no_contexts = no_contexts
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(self, contexts: list[list[str]], predicted_answers: list[str]) -> JudgeJob:
        """Judge each answer.

        Args:
            contexts: per item the passages that the answer was written from; None leaves the item out.
            predicted_answers: one text per item; None leaves the item out as missing.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 0 to 1; `result`, with evidence.
        """
        items, entries = read_inputs(contexts=contexts, predicted_answers=predicted_answers)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_VERDICTS,), _COUNTS, "Hallucination", "lower")

    run_async = judged_async(run)

    def _flow(self, contexts: list[str], answer: str) -> Flow[JudgedItem]:
        if not contexts:
            return score_by_policy(self.no_contexts, "there are no contexts", _COUNTS)
        return (yield from share_of_contexts(prompt(_VERDICTS), contexts, "contradicted", text=answer))
