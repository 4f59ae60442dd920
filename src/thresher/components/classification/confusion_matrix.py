"""Confusion matrix of labels."""

from typing import Any

from thresher.kernels.classification.decisions import (
    ConfusionExamples,
    ConfusionMatrix,
    DiagonalShare,
    LabelTable,
)
from thresher.metrics import Count, LabelMetric, PredictedLabels, TrueLabels, metric, outputs, pick_columns
from thresher.results import Measure, Signature


@metric
class ClassificationConfusionMatrixEvaluator(LabelMetric):
    """Counts of each true label and decision, with examples.

    Each item has one decision per label key: the predicted label, or the one with the highest score (the
    first of equals). A true label without a decision is in the column with the prediction None.

    Formula: count of decisions per (true label, decided label); the headline is the share on the diagonal.
    Source: scikit-learn's `confusion_matrix`, rows are the truth; Valor's `ConfusionMatrix`.

    Args:
        name: name of the measure in reports: the share of decisions on the diagonal.

    ```python
    evaluator = ClassificationConfusionMatrixEvaluator()
    result = evaluator.run(ground_truths=["cat", "dog"], predictions=["cat", "cat"])["result"]
    result.detail("confusion_matrix").columns["count"]  # [1.0, 1.0]
    ```
    """

    max_examples: Count = 1
    name: str = "classification_confusion_matrix"

    def run(self, ground_truths: TrueLabels, predictions: PredictedLabels) -> dict[str, Any]:
        """Compare the decisions with the true labels.

        Returns:
            `score`: share of decisions on the diagonal; `individual_scores`: NaN, since one item has
            none; `result` with `confusion_matrix`, `confusion_examples` and the table `by_label`.
        """
        classified = self._read(ground_truths, predictions)
        measure = Measure(
            Signature.of(self.name, self._settings("max_examples")),
            DiagonalShare(),
            item_score=None,
            rule="diagonal share",
        )
        shown = [ConfusionMatrix(), ConfusionExamples(max_examples=self.max_examples), LabelTable()]
        decisions = pick_columns(classified.truths, "truth", "predicted")
        return outputs(classified.result([measure], shown, decisions=decisions))
