"""Coherence of a text."""

from thresher.components.judged.valor._ratings import BOUNDS, rated
from thresher.judges import prompt
from thresher.metrics import JudgedMetric, JudgeJob, TextColumn, judged, judged_async, metric, read_inputs

_RATING = "valor/coherence"


@metric
class ValorCoherenceEvaluator(JudgedMetric):
    """Coherence of a text by itself: a judge's rating from 1 to 5.

    One call per item. A rating off the scale is requested again, never clamped.

    Formula: the rating; 5 is best
    Source: Valor before 0.33, "Coherence", after the coherence criterion of G-Eval (Liu et al., 2023), but
        general; neither question nor contexts are used.

    ```python
    evaluator = ValorCoherenceEvaluator()
    evaluator.run(predicted_answers=["Dough needs flour and water. It must rest for an hour."])
    ```
    """

    name: str = "valor_coherence"

    @judged
    def run(self, predicted_answers: TextColumn) -> JudgeJob:
        """Rate each text."""
        items, entries = read_inputs(predicted_answers=predicted_answers)
        flows = [rated(prompt(_RATING), text=answer) for (answer,) in entries]
        return JudgeJob(items, flows, (_RATING,), (), "Coherence", bounds=BOUNDS)

    run_async = judged_async(run)
