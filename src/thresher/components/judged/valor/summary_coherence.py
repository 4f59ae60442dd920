"""How coherent a summary is as a summary of its source."""

from thresher.components.judged.valor._ratings import BOUNDS, rated
from thresher.judges import prompt
from thresher.metrics import (
    JudgedMetric,
    JudgeJob,
    TextColumn,
    TextListColumn,
    judged,
    judged_async,
    metric,
    read_inputs,
)

_RATING = "valor/summary_coherence"


@metric
class ValorSummaryCoherenceEvaluator(JudgedMetric):
    """How coherent a summary is as a summary of its source: a judge's rating from 1 to 5.

    One call per item. A rating off the scale is requested again, never clamped.

    Formula: the rating; 5 is best
    Source: Valor, text generation metrics, "Summary Coherence", after the coherence criterion of G-Eval
        (Liu et al., 2023). Valor reads the source from the query (`Datum.text`); here it is the contexts, so
        such a column is read with `mapping={"text": "contexts"}`.

    ```python
    evaluator = ValorSummaryCoherenceEvaluator()
    evaluator.run(contexts=[["Frost came early. The wine turned sour."]], predicted_answers=["A sour year."])
    ```
    """

    name: str = "valor_summary_coherence"

    @judged
    def run(self, contexts: TextListColumn, predicted_answers: TextColumn) -> JudgeJob:
        """Rate each summary.

        Args:
            contexts: per item the source, whole or in passages in their order, which are joined; None
                leaves the item out as missing.
            predicted_answers: per item the summary; None leaves the item out as missing.
        """
        items, entries = read_inputs(contexts=contexts, predicted_answers=predicted_answers)
        flows = [
            rated(prompt(_RATING), source="\n\n".join(passages), summary=summary)
            for passages, summary in entries
        ]
        return JudgeJob(items, flows, (_RATING,), (), "SummaryCoherence", bounds=BOUNDS)

    run_async = judged_async(run)
