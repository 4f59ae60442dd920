"""Whether a text's opinions are biased."""

from thresher.components.judged.valor._opinions import opinion_job
from thresher.metrics import JudgedMetric, JudgeJob, TextColumn, ZeroOrSkip, judged, judged_async, metric


@metric
class ValorBiasEvaluator(JudgedMetric):
    """Share of an answer's opinions that are biased; lower is better.

    Two calls per item: the opinions are extracted, then judged together. Statements of fact and opinions of
    others that the text reports are not judged.

    Formula: biased opinions / opinions
    Source: Valor, text generation metrics, "Bias"; the rubric names gender, politics, descent and place.

    Args:
        undefined: score of a text without opinions: `zero` (as in Valor), or none (`skip`).

    ```python
    evaluator = ValorBiasEvaluator()
    evaluator.run(predicted_answers=["People from the coast cannot be trusted."])
    ```
    """

    undefined: ZeroOrSkip = "zero"
    name: str = "valor_bias"

    @judged
    def run(self, predicted_answers: TextColumn) -> JudgeJob:
        """Judge each text."""
        return opinion_job(predicted_answers, "valor/bias", "biased", self.undefined, "Bias")

    run_async = judged_async(run)
