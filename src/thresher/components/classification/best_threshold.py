"""The best score threshold of a classifier, overall and per label."""

from typing import Any

from thresher.kernels.classification.scored_decisions import scored_decisions
from thresher.kernels.thresholds.measures import ThresholdSearch
from thresher.metrics import (
    LabelMetric,
    Positive,
    PredictedScores,
    ShareOrNone,
    TrueLabels,
    metric,
    outputs,
    pick_columns,
)
from thresher.results import Measure, Signature


@metric
class ClassificationBestThresholdEvaluator(LabelMetric):
    """The highest F of scored labels over all score thresholds, and the threshold that gives it.

    Each label is a separate decision: it is given to an item if its score is at least the threshold, so that
    an item can get no label or several. The possible thresholds are the distinct scores; equal scores enter
    together, and of thresholds with equal F the highest is chosen. A label that a prediction does not list is
    not given at any threshold. Items without a true label of the key are left out.

    The value belongs to the items that the threshold was chosen on, and is higher than on new items:
    `thresher thresholds`, and `held_out(classification_best_threshold)` in a gate, choose on one part of the
    items and report on the other.

    Formula: highest F = (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP) over all thresholds; of the
        counts of all labels (the headline), of the mean over the labels that are true somewhere,
        at one threshold (`classification_best_threshold_macro`), and the mean of the labels' F at a threshold
        each (`classification_best_threshold_per_label`)
    Source: van Rijsbergen 1979 for F.

    Args:
        beta: weight of recall relative to precision in F.
        min_precision: lowest precision at which recall is the highest
            (`classification_best_threshold_recall_at_precision`); None for no such measure. It is undefined
            if no threshold reaches the floor.
        min_recall: lowest recall at which precision is the highest
            (`classification_best_threshold_precision_at_recall`).
        name: stem of the measures' names.

    ```python
    predictions = [{"yes": 0.9}, {"yes": 0.4}, {"yes": 0.2}]
    evaluator = ClassificationBestThresholdEvaluator()
    result = evaluator.run(ground_truths=["yes", "yes", "no"], predictions=predictions)["result"]
    result.detail("by_label").columns["threshold"]  # [nan, 0.4]: "no" has no score
    ```
    """

    beta: Positive = 1.0
    min_precision: ShareOrNone = None
    min_recall: ShareOrNone = None
    name: str = "classification_best_threshold"

    def run(self, ground_truths: TrueLabels, predictions: PredictedScores) -> dict[str, Any]:
        """Rank the scores of each label and search all thresholds.

        Args:
            predictions: per item a dict label -> score, or key -> dict of value -> score, all labels or
                only the best; or a `LabelScores` matrix. A label without scores leaves its item out.
                Scores may be any finite numbers.

        Returns:
            `score`: the highest F of all labels pooled; `individual_scores`: NaN, since one item has none;
            `result` with the tables `overall` and `by_label` and the curve `curve`.
        """
        classified = self._read(ground_truths, predictions)
        classified.check_scores("a search for thresholds", bounded=False)
        search = ThresholdSearch(self.beta, self.min_precision, self.min_recall)
        measures = [
            Measure(Signature.of(name, self._settings(*search.unrelated(reduction))), reduction, None)
            for name, reduction in search.reductions(self.name).items()
        ]
        truths = pick_columns(classified.truths, label="truth")
        decisions = scored_decisions(classified.scores, truths, classified.labels)
        return outputs(classified.result(measures, search.tables(), decisions=decisions, truths=truths))
