"""Share of correct decisions."""

from typing import Any

import numpy as np

from thresher.kernels.classification.decisions import (
    Accuracy,
    ConfusionExamples,
    ConfusionMatrix,
    KeyTable,
    LabelTable,
)
from thresher.metrics import LabelMetric, PredictedLabels, TrueLabels, metric, outputs, pick_columns
from thresher.results import Breakdown, Measure, MetricResult, Signature, Statistics
from thresher.results.labels import sums_by_code
from thresher.results.reductions import divide


@metric
class ClassificationAccuracyEvaluator(LabelMetric):
    """Share of correct decisions.

    Each item has one decision per label key: the predicted label, or the one with the highest score (the
    first of equals). An item without a true label is left out. A prediction that is empty, or has no label
    of a key, is wrong; the prediction None leaves its item out as missing.

    Formula: correct decisions / true labels, over all items and keys.
    Source: scikit-learn's `accuracy_score`; the table `by_key` has Valor's accuracy within each key.

    Args:
        confusion: whether the breakdowns include the confusion matrix, with an example for each cell. Its
            diagonal is the accuracy, so a report needs no further metric for it.

    ```python
    predictions = ["cat", {"cat": 0.6, "dog": 0.4}]
    evaluator = ClassificationAccuracyEvaluator()
    evaluator.run(ground_truths=["cat", "dog"], predictions=predictions)["score"]  # 0.5
    ```
    """

    confusion: bool = False
    name: str = "classification_accuracy"

    def run(self, ground_truths: TrueLabels, predictions: PredictedLabels) -> dict[str, Any]:
        """Compare the decisions with the true labels.

        Returns:
            `score`: the accuracy; `individual_scores`: share of an item's decisions that are correct;
            `result` with the tables `by_key` and `by_label`, and with `confusion`, `confusion_matrix` and
            `confusion_examples`.
        """
        classified = self._read(ground_truths, predictions)
        right = (classified.truths["truth"] == classified.truths["predicted"]).astype(np.float64)
        scores = divide(
            sums_by_code(classified.truths.owners, right, classified.truths.size),
            classified.truths.lengths.astype(np.float64),
        )
        measure = Measure(Signature.of(self.name, self._settings("confusion")), Accuracy())
        decisions = pick_columns(classified.truths, "truth", "predicted")
        coded = {"decisions.truth", "decisions.predicted"}
        statistics = Statistics({"score": scores}, {"decisions": decisions}, classified.labels, coded)
        status = classified.items.status, classified.items.reasons
        shown: list[Breakdown] = [KeyTable(), LabelTable()]
        shown += [ConfusionMatrix(), ConfusionExamples()] if self.confusion else []
        return outputs(MetricResult([measure], statistics, *status, breakdowns=shown))
