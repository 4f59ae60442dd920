"""Confusion matrix of detections, with false positives and missed objects."""

from typing import Any

from thresher.kernels.classification.decisions import ConfusionExamples, ConfusionMatrix, DiagonalShare
from thresher.kernels.detection.confusion import confusion_statistics
from thresher.kernels.detection.matches import DetectionMatches
from thresher.metrics import (
    Count,
    FiniteNumber,
    IouThreshold,
    MatchingRule,
    detection_measure,
    detection_outputs,
    metric,
    read_matches,
)
from thresher.metrics.detection import decision_rule


@metric
class DetectionConfusionMatrixEvaluator:
    """Counts of each true label and predicted label, with examples.

    Predictions are first matched within their label, so the diagonal has exactly the hits that precision and
    recall count. The remaining predictions are paired one to one, by falling score, with the true object of
    another label of the key that they overlap most, if the overlap reaches `iou_threshold`. A prediction
    without a true object is in the row with the truth None, a missed object in the column with the prediction
    None.

    Formula: count of objects per (true label, predicted label); the headline is the share on the diagonal.
    Source: the confusion matrix of valor-lite, without its defect that a prediction with too little overlap
        blocks a better one.

    Args:
        name: name of the measure in reports: the share of objects on the diagonal.

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    DetectionConfusionMatrixEvaluator().run(matches=matches)["result"].detail("confusion_matrix")
    ```
    """

    matching: MatchingRule = "coco"
    iou_threshold: IouThreshold = 0.5
    threshold: FiniteNumber = 0.5
    max_examples: Count = 1
    name: str = "detection_confusion_matrix"

    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Pair predicted and true objects.

        Returns:
            `score`: share of objects on the diagonal; `individual_scores`: NaN, since one image has none;
            `result` with `confusion_matrix` and `confusion_examples`.
        """
        read = read_matches(matches)
        statistics = confusion_statistics(read, self.matching, self.iou_threshold, self.threshold)
        rule = f"diagonal share; {decision_rule(self, read)}"
        measures = [detection_measure(self, read, self.name, DiagonalShare(), ("max_examples",), rule=rule)]
        shown = [ConfusionMatrix(), ConfusionExamples(max_examples=self.max_examples)]
        return detection_outputs(read, measures, statistics, shown)
