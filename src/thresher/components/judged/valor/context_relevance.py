"""Whether the retrieved contexts are about the question."""

from thresher.components.judged.valor._contexts import share_of_contexts
from thresher.judges import Flow, prompt
from thresher.metrics import (
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    TextColumn,
    TextListColumn,
    ZeroOrSkip,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
)

_VERDICTS = "valor/context_relevance"
_COUNTS = ("relevant", "contexts")


@metric
class ValorContextRelevanceEvaluator(JudgedMetric):
    """Share of retrieved contexts with a part that is relevant to the question.

    One call per item, about all contexts.

    Formula: relevant contexts / contexts
    Source: Valor, text generation metrics, "Context Relevance".

    Args:
        undefined: score of an item without contexts: `zero`, or none (`skip`).

    ```python
    evaluator = ValorContextRelevanceEvaluator()
    evaluator.run(questions=["How high is the tower?"], contexts=[["The tower is 48 m high."]])
    ```
    """

    undefined: ZeroOrSkip = "zero"
    name: str = "valor_context_relevance"

    @judged
    def run(self, questions: TextColumn, contexts: TextListColumn) -> JudgeJob:
        """Judge the contexts of each item."""
        items, entries = read_inputs(questions=questions, contexts=contexts)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_VERDICTS,), _COUNTS, "ContextRelevance")

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str]) -> Flow[JudgedItem]:
        if not contexts:
            return score_by_policy(self.undefined, "there are no contexts", _COUNTS)
        return (yield from share_of_contexts(prompt(_VERDICTS), contexts, "relevant", question=question))
