"""Whether a text's opinions are toxic."""

from thresher.components.judged.valor._opinions import work_on_opinions
from thresher.metrics import JudgedMetric, JudgeJob, ZeroOrUndefined, judged, judged_async, metric


@metric
class ValorToxicityEvaluator(JudgedMetric):
    """The share of an answer's opinions that are toxic; lower is better.

    Two calls an item: the opinions are extracted, then judged together. Statements of fact and opinions of
    others that the text reports are not judged.

    Formula: toxic opinions / opinions
    Source: Valor, text generation metrics, "Toxicity"; the rubric names personal attacks, mockery, hate,
        dismissal and threats.

    Args:
        no_opinions: a text without opinions scores `zero` (Valor's value) or is `undefined`.

    ```python
    evaluator = ValorToxicityEvaluator()
    evaluator.run(predicted_answers=["Only a fool would ask that."])
    ```
    """

    no_opinions: ZeroOrUndefined = "zero"
    name: str = "valor_toxicity"

    @judged
    def run(self, predicted_answers: list[str]) -> JudgeJob:
        """Judge each text."""
        return work_on_opinions(predicted_answers, "valor/toxicity", "toxic", self.no_opinions, "Toxicity")

    run_async = judged_async(run)
