"""Share of items whose predicted labels are exactly the true ones."""

from typing import Any

import numpy as np

from thresher.kernels.multilabel.set_measures import set_counts
from thresher.metrics import Measure, Signature, metric, outputs
from thresher.metrics.multilabel.multilabel_metric import (
    LabelSetMetric,
    PredictedLabelSets,
    TrueLabelSets,
)


@metric
class MultilabelSubsetAccuracyEvaluator(LabelSetMetric):
    """Whether the predicted labels of an item are exactly its true labels.

    Formula: 1 if both sets are equal, also if both are empty, else 0
    Source: scikit-learn's `accuracy_score` of label indicators; also called exact match ratio.

    ```python
    evaluator = MultilabelSubsetAccuracyEvaluator()
    evaluator.run(ground_truths=[["cat", "dog"], []], predictions=[["dog", "cat"], ["cat"]])["score"]  # 0.5
    ```
    """

    name: str = "multilabel_subset_accuracy"

    def run(self, ground_truths: TrueLabelSets, predictions: PredictedLabelSets) -> dict[str, Any]:
        """Compare the predicted with the true labels.

        Returns:
            `score`: the share; `individual_scores`: 1 or 0; `result`.
        """
        sets = self._read(ground_truths, predictions)
        counts = set_counts(sets.decisions(self.threshold))
        equal = (counts["right"] == counts["predicted"]) & (counts["right"] == counts["true"])
        measure = Measure(Signature.of(self.name, self._settings()))
        return outputs(sets.result([measure], [], columns={"score": equal.astype(np.float64)}))
