"""Area under the ROC curve of labels."""

from typing import Annotated, Any

from thresher.kernels.classification.roc_auc import RocAuc, RocAucTable
from thresher.kernels.classification.roc_operating_points import RocPoints
from thresher.metrics import (
    LabelMetric,
    PredictedScores,
    TrueLabels,
    at_least,
    metric,
    outputs,
)
from thresher.results import Breakdown, Measure, Signature


@metric
class ClassificationRocAucEvaluator(LabelMetric):
    """Area under the receiver operating characteristic: each label against the rest, then the mean.

    The area is exact: the probability that an item with the label scores higher than one without, where a tie
    counts half. A label that no item or every item has is left out of the mean, and the table `by_label` has
    the reason. Items without a true label of the key are left out.

    Formula: (sum of the positives' mid-ranks - P (P + 1) / 2) / (P N)
    Source: Hanley and McNeil 1982; equals scikit-learn's `roc_auc_score` per label. Valor's releases
        omit area at ties, so their numbers are lower.

    Args:
        missing_score: score of a label that is missing in an item's prediction (top-k predictions).
        curve_points: the most points of each label's curve in the detail `roc`; None for no curves. Rates at
            thresholds are measures of `ClassificationRocCurveEvaluator`.

    ```python
    predictions = [{"cat": 0.9, "dog": 0.1}, {"cat": 0.2, "dog": 0.8}]
    ClassificationRocAucEvaluator().run(ground_truths=["cat", "dog"], predictions=predictions)["score"]  # 1.0
    ```
    """

    missing_score: float = 0.0
    curve_points: Annotated[int | None, at_least(2)] = None
    name: str = "classification_roc_auc"

    def run(self, ground_truths: TrueLabels, predictions: PredictedScores) -> dict[str, Any]:
        """Rank the items by the score of each label.

        Args:
            predictions: per item a dict label -> score, or key -> dict of value -> score, all labels or
                only the best; or a `LabelScores` matrix. A label without scores leaves its item out.
                Scores may be any finite numbers.

        Returns:
            `score`: mean over the labels with an area; `individual_scores`: NaN, since one item has
            none; `result` with the table `by_label`, and the curves `roc` if there are `curve_points`.
        """
        classified = self._read(ground_truths, predictions)
        classified.check_scores("ROC AUC", bounded=False)
        missing = float(self.missing_score)
        signature = Signature.of(self.name, self._settings("curve_points"))
        measure = Measure(signature, RocAuc(missing), item_score=None)
        tables: list[Breakdown] = [RocAucTable(missing_score=missing)]
        if self.curve_points is not None:
            tables.append(RocPoints("roc", points=self.curve_points, missing_score=missing))
        return outputs(classified.scored_result([measure], tables))
