"""The best score threshold of a detector, overall and per label."""

from typing import Any

from thresher.kernels.detection.decisions import decision_statistics
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.thresholds.measures import ThresholdSearch
from thresher.metrics import (
    IouThreshold,
    MatchingRule,
    Positive,
    ShareOrNone,
    detection_measure,
    detection_outputs,
    metric,
    read_matches,
)


@metric
class DetectionBestThresholdEvaluator:
    """The highest F of detections over all score thresholds, and the threshold that gives it.

    The possible thresholds are the distinct scores: a prediction with a score of at least the threshold is
    kept, so equal scores enter together. Of thresholds with equal F the highest is chosen. Predictions are
    matched once, because a threshold does not change the matches of the predictions above it.

    The value belongs to the images that the threshold was chosen on, and is higher than on new images:
    `thresher thresholds`, and `held_out(detection_best_threshold)` in a gate, choose on one part of the
    images and report on the other.

    Formula: highest F = (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP) over all thresholds; of the
        counts of all labels (the headline), of the mean over the labels with true objects at one threshold
        (`detection_best_threshold_macro`), and the mean of the labels' F at a threshold each
        (`detection_best_threshold_per_label`)
    Source: van Rijsbergen 1979 for F; hits as in the other detection metrics.
    Differs: Ultralytics interpolates precision and recall linearly on 1,000 confidences and smooths their
        F1, so that its threshold need be neither a score nor the best; labels without true objects drop out
        with their false positives, which count here in the headline.

    Args:
        beta: weight of recall relative to precision in F.
        min_precision: lowest precision at which recall is the highest
            (`detection_best_threshold_recall_at_precision`); None for no such measure. It is undefined if no
            threshold reaches the floor.
        min_recall: lowest recall at which precision is the highest
            (`detection_best_threshold_precision_at_recall`).
        name: stem of the measures' names.

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    result = DetectionBestThresholdEvaluator().run(matches=matches)["result"]
    result.score, result.detail("by_label").columns["threshold"]
    ```
    """

    matching: MatchingRule = "coco"
    iou_threshold: IouThreshold = 0.5
    beta: Positive = 1.0
    min_precision: ShareOrNone = None
    min_recall: ShareOrNone = None
    name: str = "detection_best_threshold"

    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Rank the predictions and search all thresholds.

        Returns:
            `score`: the highest F of all labels pooled; `individual_scores`: NaN, since one image has none;
            `result` with the tables `overall` and `by_label` and the curve `curve`.
        """
        read = read_matches(matches)
        statistics = decision_statistics(read, self.matching, self.iou_threshold)
        search = ThresholdSearch(self.beta, self.min_precision, self.min_recall)
        measures = [
            detection_measure(self, read, name, reduction, leave_out=search.unrelated(reduction))
            for name, reduction in search.reductions(self.name).items()
        ]
        return detection_outputs(read, measures, statistics, search.tables())
