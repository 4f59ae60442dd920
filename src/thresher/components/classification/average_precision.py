"""Average precision of the scores of labels."""

from typing import Any

from thresher.kernels.classification.average_precision import AveragePrecisionTable, LabelAveragePrecision
from thresher.kernels.classification.two_labels import label_text
from thresher.metrics import (
    LabelMetric,
    Measure,
    PredictedScores,
    Signature,
    TrueLabels,
    metric,
    outputs,
)


@metric
class ClassificationAveragePrecisionEvaluator(LabelMetric):
    """Average precision of the items ranked by the score of a label: each label against the rest, the mean.

    The sum is exact: it has a step at every distinct score, and no interpolation. Of two labels the value is
    that of the positive one, if it is known: `positive`, or 1, true, yes. Otherwise it is the mean over the
    labels that an item has; the table `by_label` has all. Random scores have the share of the items with the
    label (`base_rate`), not 0.5. Items without a true label of the key are left out.

    Formula: sum over falling thresholds of (recall - recall before) * precision
    Source: scikit-learn's `average_precision_score`, also for several labels (`average="macro"`).

    Args:
        missing_score: score of a label that is missing in an item's prediction (top-k predictions).

    ```python
    predictions = [{"cat": 0.9, "dog": 0.1}, {"cat": 0.2, "dog": 0.8}]
    evaluator = ClassificationAveragePrecisionEvaluator()
    evaluator.run(ground_truths=["cat", "dog"], predictions=predictions)["score"]  # 1.0
    ```
    """

    missing_score: float = 0.0
    name: str = "classification_average_precision"

    def run(self, ground_truths: TrueLabels, predictions: PredictedScores) -> dict[str, Any]:
        """Rank the items by the score of each label.

        Args:
            predictions: per item a dict label -> score, or key -> dict of value -> score, all labels or
                only the best; or a `LabelScores` matrix. A label without scores leaves its item out.
                Scores may be any finite numbers.

        Returns:
            `score`: the average precision; `individual_scores`: NaN, since one item has none; `result`
            with the table `by_label`.
        """
        classified = self._read(ground_truths, predictions)
        classified.check_scores("average precision", bounded=False)
        missing, positive = float(self.missing_score), self.positive
        reduction = LabelAveragePrecision(missing, None if positive is None else label_text(positive))
        settings = {"missing_score": missing, "positive": reduction.positive}
        measure = Measure(Signature.of(self.name, settings), reduction, item_score=None)
        tables = [AveragePrecisionTable(missing_score=missing)]
        return outputs(classified.scored_result([measure], tables))
