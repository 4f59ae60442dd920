"""Mean recall of the true labels."""

from typing import Any

from thresher.kernels.classification.balanced_accuracy import BalancedAccuracy
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
class ClassificationBalancedAccuracyEvaluator(LabelMetric):
    """Mean over the true labels of the share of their items that are decided right.

    Every label has the same influence, however few items it has. Each item has one decision per label key,
    as in `classification_accuracy`. A label that is only predicted has no recall; in `classification_recall`
    it counts 0, which is the one difference from its macro average.

    Formula: mean over true labels of TP / (TP + FN); adjusted: each recall r becomes (r - 1/K) / (1 - 1/K)
        for K true labels of its key
    Source: scikit-learn's `balanced_accuracy_score`; Brodersen et al. 2010, "The Balanced Accuracy and Its
        Posterior Distribution".

    Args:
        adjusted: whether a constant decision scores 0 instead of 1/K; then the lowest score is below 0.

    ```python
    evaluator = ClassificationBalancedAccuracyEvaluator()
    evaluator.run(ground_truths=["cat", "cat", "cat", "dog"], predictions=["cat"] * 4)["score"]  # 0.5
    ```
    """

    adjusted: bool = False
    name: str = "classification_balanced_accuracy"

    def run(self, ground_truths: TrueLabels, predictions: PredictedLabels) -> dict[str, Any]:
        """Compare the decisions with the true labels.

        Returns:
            `score`: the balanced accuracy; `individual_scores`: NaN, since one item has none; `result`
            with the table `by_label`.
        """
        classified = self._read(ground_truths, predictions)
        signature, bounds = Signature.of(self.name, self._settings()), (-1.0 if self.adjusted else 0.0, 1.0)
        measure = Measure(signature, BalancedAccuracy(self.adjusted), None, bounds=bounds)
        decisions = pick_columns(classified.truths, "truth", "predicted")
        return outputs(classified.result([measure], [LabelTable()], decisions=decisions))
