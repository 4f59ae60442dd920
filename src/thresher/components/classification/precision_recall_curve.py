"""Precision-recall curves of labels."""

from typing import Any

from thresher.components.classification._curve import CurveMetric
from thresher.kernels.classification.curves import BestF1, PrecisionRecallCurve
from thresher.metrics import PredictedScores, TrueLabels, metric, outputs
from thresher.results import Measure, Signature


@metric
class ClassificationPrecisionRecallCurveEvaluator(CurveMetric):
    """Counts, precision, recall, F1 and accuracy of each label at each score threshold.

    Each label is a separate binary problem: every score that reaches the threshold is a decision for its
    label, not only the highest score of an item.

    Formula: precision TP / (TP + FP), recall TP / (TP + FN), F1 2 TP / (2 TP + FP + FN), accuracy
        (TP + TN) / items; 0/0 is undefined (None), which Valor writes as -1. The headline is the highest
        mean F1 over the thresholds, over the labels that occur in the truth.
    Source: the documentation of Valor, `PrecisionRecallCurve`.

    Args:
        name: stem of the measure's name, `classification_precision_recall_curve_best_f1`.

    ```python
    evaluator = ClassificationPrecisionRecallCurveEvaluator(thresholds=[0.5])
    result = evaluator.run(ground_truths=["cat"], predictions=[{"cat": 0.6, "dog": 0.5}])["result"]
    result.detail("curve").columns["fp"]  # [0.0, 1.0]
    ```
    """

    name: str = "classification_precision_recall_curve"

    def run(self, ground_truths: TrueLabels, predictions: PredictedScores) -> dict[str, Any]:
        """Compare the scores of each label with the true labels.

        Args:
            predictions: per item a dict label -> score, or key -> dict of value -> score, all labels or
                only the best; or a `LabelScores` matrix. A label without scores leaves its item out.

        Returns:
            `score`: the best F1; `individual_scores`: NaN, since one item has none; `result` with `curve`.
        """
        classified, ragged = self._curve_statistics(ground_truths, predictions)
        options = tuple(self.thresholds), self.unlabelled
        signature = Signature.of(f"{self.name}_best_f1", self._settings())
        measure = Measure(signature, BestF1(*options), item_score=None)
        return outputs(classified.result([measure], [PrecisionRecallCurve("curve", *options)], **ragged))
