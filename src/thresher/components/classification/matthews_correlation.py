"""Matthews' correlation coefficient."""

from typing import Any

from thresher.kernels.classification.agreement import MatthewsCorrelation
from thresher.kernels.classification.decisions import LabelTable
from thresher.metrics import (
    LabelMetric,
    Measure,
    PredictedLabels,
    Signature,
    TrueLabels,
    metric,
    outputs,
    pick_columns,
)


@metric
class ClassificationMatthewsCorrelationEvaluator(LabelMetric):
    """Matthews' correlation coefficient (MCC): correlation of decisions and true labels, two or more.

    1 if all decisions are right, 0 for decisions that do not depend on the truth, below 0 for worse ones. An
    item without a decision counts as decided for a further label. Several label keys are averaged.

    Formula: (c s - sum_k t_k p_k) / sqrt((s^2 - sum_k p_k^2) (s^2 - sum_k t_k^2)) for s items, c of them
        right, t_k with label k and p_k decided for it. Undefined (0/0) if
        all truths or all decisions are equal
    Source: Gorodkin 2004, "Comparing two K-category assignments by a K-category correlation coefficient";
        scikit-learn's `matthews_corrcoef`, which returns 0 for 0/0.

    ```python
    evaluator = ClassificationMatthewsCorrelationEvaluator()
    truths, predictions = ["cat", "cat", "dog", "dog"], ["cat", "cat", "cat", "dog"]
    evaluator.run(ground_truths=truths, predictions=predictions)["score"]  # 0.577
    ```
    """

    name: str = "classification_matthews_correlation"

    def run(self, ground_truths: TrueLabels, predictions: PredictedLabels) -> dict[str, Any]:
        """Compare the decisions with the true labels.

        Returns:
            `score`: the correlation; `individual_scores`: NaN, since one item has none; `result` with the
            table `by_label`.
        """
        classified = self._read(ground_truths, predictions)
        signature = Signature.of(self.name, self._settings())
        measure = Measure(signature, MatthewsCorrelation(), item_score=None, bounds=(-1.0, 1.0))
        decisions = pick_columns(classified.truths, "truth", "predicted")
        return outputs(classified.result([measure], [LabelTable()], decisions=decisions))
