"""Mean average precision of the scores of labels."""

from typing import Any

from thresher.kernels.multilabel.average_precision import (
    MultilabelAveragePrecision,
    MultilabelPrecisionTable,
)
from thresher.metrics import Measure, Signature, metric, outputs
from thresher.metrics.multilabel.multilabel_metric import (
    MultilabelMetric,
    PredictedLabelSets,
    TrueLabelSets,
)


@metric
class MultilabelAveragePrecisionEvaluator(MultilabelMetric):
    """Mean over labels of the average precision of the items ranked by the label's score (mAP).

    No threshold is needed. Random scores have the share of the items with the label (`base_rate` in the table
    `by_label`). Labels that no item has are left out of the mean. Items whose prediction is a set of
    labels are left out as missing.

    Formula: mean over labels of the sum over falling thresholds of (recall - recall before) * precision
    Source: scikit-learn's `average_precision_score(average="macro")`, which gives labels without items 0.

    Args:
        missing_score: score of a label that is missing in an item's prediction (top-k predictions).

    ```python
    predictions = [{"cat": 0.9, "dog": 0.8}, {"cat": 0.2, "dog": 0.3}]
    evaluator = MultilabelAveragePrecisionEvaluator()
    evaluator.run(ground_truths=[["cat", "dog"], ["cat"]], predictions=predictions)["score"]  # 1.0
    ```
    """

    missing_score: float = 0.0
    name: str = "multilabel_average_precision"

    def run(self, ground_truths: TrueLabelSets, predictions: PredictedLabelSets) -> dict[str, Any]:
        """Rank the items by the score of each label.

        Returns:
            `score`: the mean; `individual_scores`: NaN, since one item has none; `result` with the table
            `by_label`.
        """
        sets = self._read(ground_truths, predictions)
        sets.leave_out_unscored()
        reduction = MultilabelAveragePrecision(float(self.missing_score))
        measure = Measure(Signature.of(self.name, self._settings()), reduction, item_score=None)
        tables = [MultilabelPrecisionTable(missing_score=reduction.missing_score)]
        return outputs(sets.result([measure], tables, truths=sets.truths(), scores=sets.scored()))
