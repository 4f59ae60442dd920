"""Area under the ROC curve of labels."""

from typing import Any

from thresher.components._renamed import formerly
from thresher.kernels.classification.roc_auc import RocAuc, RocAucTable
from thresher.metrics import LabelMetric, PredictedScores, TrueLabels, metric, outputs, pick_columns
from thresher.results import Measure, Signature


@formerly("RocAucEvaluator", "roc_auc")
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

    ```python
    predictions = [{"cat": 0.9, "dog": 0.1}, {"cat": 0.2, "dog": 0.8}]
    ClassificationRocAucEvaluator().run(ground_truths=["cat", "dog"], predictions=predictions)["score"]  # 1.0
    ```
    """

    missing_score: float = 0.0
    name: str = "classification_roc_auc"

    def run(self, ground_truths: TrueLabels, predictions: PredictedScores) -> dict[str, Any]:
        """Rank the items by the score of each label.

        Args:
            predictions: per item a dict label -> score, or key -> dict of value -> score, all labels or
                only the best; or a `LabelScores` matrix. A label without scores leaves its item out.
                Scores may be any finite numbers.

        Returns:
            `score`: mean over the labels with an area; `individual_scores`: NaN, since one item has
            none; `result` with the table `by_label`.
        """
        classified = self._read(ground_truths, predictions)
        classified.check_scores("ROC AUC", bounded=False)
        reduction = RocAuc(float(self.missing_score))
        measure = Measure(Signature.of(self.name, self._settings()), reduction, item_score=None)
        tables = [RocAucTable(missing_score=float(self.missing_score))]
        truths = pick_columns(classified.truths, label="truth")
        return outputs(classified.result([measure], tables, truths=truths, scores=classified.scores))
