"""Kinds of errors at each score threshold."""

from typing import Any

from thresher.components.classification._curve import CurveMetric
from thresher.kernels.classification.curves import BestF1
from thresher.kernels.classification.detailed_curve import CurveExamples, DetailedPrecisionRecallCurve
from thresher.metrics import Count, PredictedScores, TrueLabels, metric, outputs
from thresher.results import Measure, Signature


@metric
class ClassificationDetailedPrecisionRecallCurveEvaluator(CurveMetric):
    """True positives and kinds of errors of each label at each score threshold, with examples.

    A false positive is a misclassification if the item has another label of the key, and a hallucination if
    it has none (only with `unlabelled="negative"`). A false negative is a misclassification if another label
    of the key reaches the threshold; otherwise it has no predictions.

    Formula: counts per label, threshold and kind. The headline is the highest mean F1 over the thresholds,
        over the labels that occur in the truth. Examples are the first items of each kind, so they are the
        same in every run.
    Source: the documentation of Valor, `DetailedPrecisionRecallCurve`.

    Args:
        max_examples: number of items listed per label, threshold and kind of observation.
        name: stem of the measure's name, `classification_detailed_precision_recall_curve_best_f1`.

    ```python
    evaluator = ClassificationDetailedPrecisionRecallCurveEvaluator(thresholds=[0.5])
    result = evaluator.run(ground_truths=["cat"], predictions=[{"cat": 0.4, "dog": 0.6}])["result"]
    result.detail("detailed_curve").columns["fn_misclassifications"]  # [1.0, 0.0]
    ```
    """

    max_examples: Count = 1
    name: str = "classification_detailed_precision_recall_curve"

    def run(self, ground_truths: TrueLabels, predictions: PredictedScores) -> dict[str, Any]:
        """Compare the scores of each label with the true labels.

        Args:
            predictions: per item a dict label -> score, or key -> dict of value -> score, all labels or
                only the best; or a `LabelScores` matrix. A label without scores leaves its item out.

        Returns:
            `score`: the best F1; `individual_scores`: NaN, since one item has none; `result` with
            `detailed_curve` and `examples`.
        """
        classified, ragged = self._curve_statistics(ground_truths, predictions)
        steps = tuple(self.thresholds)
        signature = Signature.of(f"{self.name}_best_f1", self._settings("max_examples"))
        measure = Measure(signature, BestF1(steps, self.unlabelled), item_score=None)
        shown = [
            DetailedPrecisionRecallCurve("detailed_curve", steps, self.unlabelled),
            CurveExamples("examples", steps, self.max_examples, self.unlabelled),
        ]
        return outputs(classified.result([measure], shown, **ragged))
