"""Which labels are taken for which, what is seen where nothing is, and what is missed."""

from typing import Any

from thresher.components._renamed import RENAMED
from thresher.kernels.classification.decisions import ConfusionExamples, ConfusionMatrix, DiagonalShare
from thresher.kernels.detection.confusion import confusion_statistics
from thresher.kernels.detection.matches import DetectionMatches
from thresher.metrics import (
    Count,
    IouThreshold,
    MatchingRule,
    Share,
    detection_measure,
    detection_outputs,
    metric,
    read_matches,
)


@RENAMED.options({"score_threshold": "threshold"})
@metric
class DetectionConfusionMatrixEvaluator:
    """How often each true label met each predicted one, with examples.

    Predictions are first matched within their label, so the diagonal holds just the hits that precision and
    recall count. What is left over is paired one to one, by falling score, with the true object of another
    label of the key that it overlaps most, if enough. A prediction without a true object stands in the row
    whose truth is None, a missed object in the column whose prediction is None.

    Formula: count of objects per (true label, predicted label); the headline is the share on the diagonal.
    Source: the confusion matrix of valor-lite, without its fault of letting a prediction that overlaps an
        object too little keep it from a better one.

    Args:
        name: name of the measure in reports: the share of objects on the diagonal.

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    DetectionConfusionMatrixEvaluator().run(matches=matches)["result"].detail("confusion_matrix")
    ```
    """

    matching: MatchingRule = "coco"
    iou_threshold: IouThreshold = 0.5
    threshold: Share = 0.5
    max_examples: Count = 1
    name: str = "detection_confusion_matrix"

    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Pair predicted and true objects.

        Returns:
            `score`: share of objects on the diagonal; `individual_scores`: NaN, since one image has none;
            `result` with `confusion_matrix` and `confusion_examples`.
        """
        found = read_matches(matches)
        statistics = confusion_statistics(found, self.matching, self.iou_threshold, self.threshold)
        measures = [detection_measure(self, found, self.name, DiagonalShare(), ("max_examples",))]
        shown = [ConfusionMatrix(), ConfusionExamples(max_examples=self.max_examples)]
        return detection_outputs(found, measures, statistics, shown)
