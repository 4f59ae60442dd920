"""How much of the retrieved contexts is needed to answer the question."""

from thresher.components.judged.ragas._quotes import Quotes
from thresher.components.judged.ragas._sentences import sentences
from thresher.judges import Flow, answered, prompt
from thresher.kernels.verdicts import share
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

_QUOTES = "ragas/context_relevancy"
_COUNTS = ("relevant", "sentences")


@metric
class RagasContextRelevancyEvaluator(JudgedMetric):
    """Share of the contexts' sentences that are needed to answer the question.

    Formula: relevant sentences / sentences of all contexts
    Source: ragas up to 0.1, "Context Relevancy": the judge copies the relevant sentences from the contexts.
    Calls: 1 per item.
    Differs: ragas counts all sentences of the reply; here each must occur in a context and counts once.
        Invented sentences are requested again, and then leave the item without a score. An empty list means
        that nothing is relevant; ragas requires an exact phrase.

    Args:
        undefined: score of an item without contexts: `zero`, or none (`skip`).

    ```python
    evaluator = RagasContextRelevancyEvaluator()
    evaluator.run(
        questions=["How high is the tower?"],
        contexts=[["The tower is old. It is 48 m high.", "The town has a moat."]],
    )
    ```
    """

    undefined: ZeroOrSkip = "zero"
    name: str = "ragas_context_relevancy"

    @judged
    def run(self, questions: TextColumn, contexts: TextListColumn) -> JudgeJob:
        """Judge the contexts of each item."""
        items, entries = read_inputs(questions=questions, contexts=contexts)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_QUOTES,), _COUNTS)

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str]) -> Flow[JudgedItem]:
        parts = tuple(sentence for context in contexts for sentence in sentences(context))
        if not parts:
            return score_by_policy(self.undefined, "there are no contexts", _COUNTS)
        ask = prompt(_QUOTES).ask(Quotes(parts), question=question, contexts=contexts)
        relevant = yield from answered(ask)
        counts = {"relevant": len(relevant), "sentences": len(parts)}
        quoted = [parts[place] for place in sorted(relevant)]
        return JudgedItem(float(share(*counts.values())), counts, {"relevant": quoted})
