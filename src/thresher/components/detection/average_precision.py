"""How precise the predictions of each label are, over all recalls."""

from collections.abc import Sequence
from typing import Any

from thresher.kernels.detection.average_precision import (
    InterpolatedCurve,
    LabelPrecisionTable,
    MeanAveragePrecision,
    threshold_name,
)
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.outcomes import ranked_statistics
from thresher.metrics import MatchingRule, TopK, detection_measure, detection_outputs, metric, read_matches
from thresher.metrics.detection import IOU_THRESHOLDS, check_iou_thresholds

_RETURNED = (0.5, 0.75)


@metric
class DetectionAveragePrecisionEvaluator:
    """Mean average precision of detections or instance masks.

    With the rule `valor`, predictions of a label that no true object of their image has are left out; with
    the others they are false positives. A label without a true object has no average precision and does not
    count in the means; one without predictions has 0.

    Formula: AP = 1/101 * sum over recalls r in {0, 0.01, ..., 1} of the highest precision at a recall of at
        least r; its mean over labels and IoU thresholds (the headline), and over labels at single thresholds
        (`detection_average_precision_50`,
        `detection_average_precision_75`).
    Source: the documentation of Valor (AP, mAP, AP and mAP averaged over IoUs); with `matching="coco"` and
        `max_detections=100` equal to pycocotools 2.0.11.

    Args:
        iou_thresholds_to_return: those that have a measure and columns of their own; 0.5 and 0.75 by
            default, where they are among the thresholds.
        name: stem of the measures' names.

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    result = DetectionAveragePrecisionEvaluator().run(matches=matches)["result"]
    result.value("detection_average_precision_50"), result.detail("by_label").columns["ap"]
    ```
    """

    matching: MatchingRule = "valor"
    iou_thresholds: Sequence[float] = IOU_THRESHOLDS
    iou_thresholds_to_return: Sequence[float] | None = None
    max_detections: TopK = None
    name: str = "detection_average_precision"

    def __post_init__(self) -> None:
        if self.iou_thresholds_to_return is None:
            self.iou_thresholds_to_return = [each for each in _RETURNED if each in self.iou_thresholds]
        check_iou_thresholds(self.iou_thresholds, self.iou_thresholds_to_return)

    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Rank the predictions of each label.

        Returns:
            `score`: mean average precision; `individual_scores`: NaN, since one image has none; `result`
            with the tables `by_label` and `by_key` and the curve `precision_recall`.
        """
        found = read_matches(matches)
        steps, shown = tuple(self.iou_thresholds), tuple(self.iou_thresholds_to_return or ())
        statistics = ranked_statistics(found, self.matching, steps)
        exact, top_k = self.matching == "coco", self.max_detections
        parts = {self.name: (0, len(steps))} | {
            threshold_name(self.name, each): (steps.index(each), steps.index(each) + 1) for each in shown
        }
        measures = []
        for name, (first, last) in parts.items():
            reduction = MeanAveragePrecision((len(steps), first, last, 0, top_k), exact)
            measures.append(detection_measure(self, found, name, reduction, ("iou_thresholds_to_return",)))
        told = (steps, shown, top_k, exact)
        tables = [
            LabelPrecisionTable("by_label", *told),
            LabelPrecisionTable("by_key", *told, by_key=True),
            InterpolatedCurve("precision_recall", *told),
        ]
        return detection_outputs(found, measures, statistics, tables)
