"""Average precision of the labels of an item, ranked by score."""

from typing import Any, Literal

import numpy as np

from thresher.kernels.multilabel.label_ranking import ranking_precision
from thresher.metrics import Measure, Signature, Status, metric, outputs, settings
from thresher.metrics.multilabel.multilabel_metric import (
    MultilabelMetric,
    PredictedLabelSets,
    TrueLabelSets,
)


@metric
class MultilabelRankingAveragePrecisionEvaluator(MultilabelMetric):
    """Whether the true labels of an item score higher than its other labels.

    Items whose prediction is a set of labels are left out as missing.

    Formula: mean over the true labels of an item of (true labels that score at least as high) / (labels that
        score at least as high)
    Source: scikit-learn's `label_ranking_average_precision_score`; Schapire and Singer 2000.

    Args:
        undefined: score of an item without true labels: `one`, as scikit-learn gives, or none (`skip`).
        missing_score: score of a label that is missing in an item's prediction.

    ```python
    evaluator = MultilabelRankingAveragePrecisionEvaluator()
    evaluator.run(ground_truths=[["dog"]], predictions=[{"cat": 0.9, "dog": 0.5, "ape": 0.1}])["score"]  # 0.5
    ```
    """

    undefined: Literal["one", "skip"] = "one"
    missing_score: float = 0.0
    name: str = "multilabel_ranking_average_precision"

    def run(self, ground_truths: TrueLabelSets, predictions: PredictedLabelSets) -> dict[str, Any]:
        """Rank the labels of each item.

        Returns:
            `score`: the mean; `individual_scores`: the average precision of each item; `result`.
        """
        sets = self._read(ground_truths, predictions)
        sets.leave_out_unscored()
        scores = sets.per_item(ranking_precision, self.missing_score)
        if self.undefined == "skip":
            for item in np.flatnonzero(np.isnan(scores)).tolist():
                sets.items.leave_out(item, Status.UNDEFINED, "no true label")
        measure = Measure(Signature.of(self.name, settings(self)))
        return outputs(sets.result([measure], [], columns={"score": np.nan_to_num(scores, nan=1.0)}))
