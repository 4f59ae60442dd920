"""Whether an answer contradicts its contexts."""

from thresher.components._renamed import RENAMED, SKIP
from thresher.components.judged.valor._contexts import share_of_contexts
from thresher.judges import Flow, prompt
from thresher.metrics import (
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    ZeroOrSkip,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
)

_VERDICTS = "valor/hallucination"
_COUNTS = ("contradicted", "contexts")


@RENAMED.options({"no_contexts": "undefined"}, values=SKIP)
@metric
class ValorHallucinationEvaluator(JudgedMetric):
    """Share of contexts that an answer contradicts; lower is better.

    One call per item, about all contexts.

    Formula: contradicted contexts / contexts
    Source: Valor, text generation metrics, "Hallucination". A claim that no context mentions is not a
        contradiction; faithfulness detects invented claims.

    Args:
        undefined: score of an item without contexts: `zero`, or none (`skip`; Valor raises an error).

    ```python
    evaluator = ValorHallucinationEvaluator()
    evaluator.run(contexts=[["The tower is 48 m high."]], predicted_answers=["It is 84 m high."])
    ```
    """

    undefined: ZeroOrSkip = "skip"
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
            return score_by_policy(self.undefined, "there are no contexts", _COUNTS)
        return (yield from share_of_contexts(prompt(_VERDICTS), contexts, "contradicted", text=answer))
