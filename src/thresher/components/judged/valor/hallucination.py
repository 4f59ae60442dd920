"""Whether an answer contradicts its contexts."""

from thresher.components.judged.valor._contexts import share_of_contexts
from thresher.judges import Flow, prompt
from thresher.metrics import (
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    ZeroOrUndefined,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
)

_VERDICTS = "valor/hallucination"
_COUNTS = ("contradicted", "contexts")


@metric
class ValorHallucinationEvaluator(JudgedMetric):
    """The share of contexts that an answer contradicts; lower is better.

    One call an item, about all contexts.

    Formula: contradicted contexts / contexts
    Source: Valor, text generation metrics, "Hallucination". What no context speaks of is no contradiction:
        invented claims are found by the faithfulness, not here.

    Args:
        no_contexts: an item without contexts is `undefined` (Valor raises an error) or scores `zero`.

    ```python
    evaluator = ValorHallucinationEvaluator()
    evaluator.run(contexts=[["The tower is 48 m high."]], predicted_answers=["It is 84 m high."])
    ```
    """

    no_contexts: ZeroOrUndefined = "undefined"
    name: str = "valor_hallucination"

    @judged
    def run(self, contexts: list[list[str]], predicted_answers: list[str]) -> JudgeJob:
        """Judge each answer."""
        items, entries = read_inputs(contexts=contexts, predicted_answers=predicted_answers)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_VERDICTS,), _COUNTS, "Hallucination", "lower")

    run_async = judged_async(run)

    def _flow(self, contexts: list[str], answer: str) -> Flow[JudgedItem]:
        if not contexts:
            return score_by_policy(self.no_contexts, "there are no contexts", _COUNTS)
        return (yield from share_of_contexts(prompt(_VERDICTS), contexts, "contradicted", text=answer))
