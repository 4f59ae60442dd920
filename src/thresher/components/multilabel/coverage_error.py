"""Number of labels to go down by score until all true ones are covered."""

from typing import Any

from thresher.kernels.multilabel.label_ranking import coverage
from thresher.metrics import Measure, Signature, metric, outputs, settings
from thresher.metrics.multilabel.multilabel_metric import (
    MultilabelMetric,
    PredictedLabelSets,
    TrueLabelSets,
)


@metric
class MultilabelCoverageErrorEvaluator(MultilabelMetric):
    """Number of labels, the best first, that contain all true labels of an item. Lower is better.

    The best possible value is the mean number of true labels. An item without true labels has 0. Items whose
    prediction is a set of labels are left out as missing.

    Formula: number of labels that score at least as high as the true label with the lowest score
    Source: scikit-learn's `coverage_error`; Tsoumakas et al. 2010.

    Args:
        missing_score: score of a label that is missing in an item's prediction.

    ```python
    evaluator = MultilabelCoverageErrorEvaluator()
    evaluator.run(ground_truths=[["dog"]], predictions=[{"cat": 0.9, "dog": 0.5, "ape": 0.1}])["score"]  # 2.0
    ```
    """

    missing_score: float = 0.0
    name: str = "multilabel_coverage_error"

    def run(self, ground_truths: TrueLabelSets, predictions: PredictedLabelSets) -> dict[str, Any]:
        """Rank the labels of each item.

        Returns:
            `score`: the mean number; `individual_scores`: the number of each item; `result`.
        """
        sets = self._read(ground_truths, predictions)
        sets.leave_out_unscored()
        scores = sets.per_item(coverage, self.missing_score)
        bounds = (0.0, float("inf"))
        measure = Measure(Signature.of(self.name, settings(self)), direction="lower", bounds=bounds)
        return outputs(sets.result([measure], [], columns={"score": scores}))
