"""Whether a text's opinions are toxic."""

from thresher.components.judged.valor._opinions import opinion_job
from thresher.metrics import JudgedMetric, JudgeJob, TextColumn, ZeroOrSkip, judged, judged_async, metric


@metric
class ValorToxicityEvaluator(JudgedMetric):
    """Share of an answer's opinions that are toxic; lower is better.

    Two calls per item: the opinions are extracted, then judged together. Statements of fact and opinions of
    others that the text reports are not judged.

    Formula: toxic opinions / opinions
    Source: Valor, text generation metrics, "Toxicity"; the rubric names personal attacks, mockery, hate,
        dismissal and threats.

    Args:
        undefined: score of a text without opinions: `zero` (as in Valor), or none (`skip`).

    ```python
    evaluator = ValorToxicityEvaluator()
    evaluator.run(predicted_answers=["Only a fool would ask that."])
    ```
    """

    undefined: ZeroOrSkip = "zero"
    name: str = "valor_toxicity"

    @judged
    def run(self, predicted_answers: TextColumn) -> JudgeJob:
        """Judge each text."""
        return opinion_job(predicted_answers, "valor/toxicity", "toxic", self.undefined, "Toxicity")

    run_async = judged_async(run)
