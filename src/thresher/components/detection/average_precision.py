"""Average precision of detections."""

from collections.abc import Sequence
from typing import Any, Literal

from thresher.kernels.detection.assignment import KEEPS_TIES
from thresher.kernels.detection.average_precision import (
    InterpolatedCurve,
    LabelPrecisionTable,
    MeanAveragePrecision,
    threshold_name,
)
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.outcomes import ranked_statistics
from thresher.metrics import MatchingRule, TopK, detection_measure, detection_outputs, metric, read_matches
from thresher.metrics.detection import IOU_THRESHOLDS, check_iou_thresholds, overlap_name, rule_name

_RETURNED = (0.5, 0.75)
_POINTS = {"101": 101, "11": 11, "area": 0}
"""Number of recalls of each integration; 0 for the area."""


@metric
class DetectionAveragePrecisionEvaluator:
    """Mean average precision of detections or instance masks.

    With the rule `valor`, predictions of labels without true objects in their image are left out; with the
    other rules they are false positives. A label without true objects has no average precision and is left
    out of the means; a label without predictions has 0.

    Formula: AP = 1/101 * sum over recalls r in {0, 0.01, ..., 1} of the highest precision at a recall of at
        least r; its mean over labels and IoU thresholds (the headline), and over labels at single thresholds
        (`detection_average_precision_50`, `detection_average_precision_75`).
    Source: the documentation of Valor (AP, mAP, AP and mAP averaged over IoUs); with `matching="coco"` and
        `max_detections=100` equal to pycocotools 2.0.11; with `matching="voc"`, `iou_thresholds=[0.5]` and
        `integration` `11` (2007) or `area` (since 2010) equal to the development kit of Pascal VOC.

    Args:
        integration: what an average precision is: the mean interpolated precision at `101` or `11` evenly
            spaced recalls, or the `area` below it, the sum of (rise of recall * precision) over all hits.
        iou_thresholds_to_return: thresholds with their own measure and columns; default: 0.5 and 0.75, if
            they are among `iou_thresholds`.
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
    integration: Literal["101", "11", "area"] = "101"
    name: str = "detection_average_precision"

    def __post_init__(self) -> None:
        if self.iou_thresholds_to_return is None:
            self.iou_thresholds_to_return = [
                threshold for threshold in _RETURNED if threshold in self.iou_thresholds
            ]
        check_iou_thresholds(self.iou_thresholds, self.iou_thresholds_to_return)

    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Rank the predictions of each label.

        Returns:
            `score`: mean average precision; `individual_scores`: NaN, since one image has none; `result`
            with the tables `by_label` and `by_key` and the curve `precision_recall`.
        """
        read = read_matches(matches)
        steps, shown = tuple(self.iou_thresholds), tuple(self.iou_thresholds_to_return or ())
        statistics = ranked_statistics(read, self.matching, steps)
        exact, top_k, points = self.matching in KEEPS_TIES, self.max_detections, _POINTS[self.integration]
        parts = {self.name: (0, len(steps))} | {
            threshold_name(self.name, threshold): (steps.index(threshold), steps.index(threshold) + 1)
            for threshold in shown
        }
        # The usual integration is no part of signatures.
        unsigned = ("iou_thresholds_to_return", *(["integration"] if self.integration == "101" else []))
        measures = []
        for name, (first, last) in parts.items():
            reduction = MeanAveragePrecision((len(steps), first, last, 0, top_k), exact, points)
            rule = rule_name(self.matching, steps[first:last], points, overlap_name(read))
            measures.append(detection_measure(self, read, name, reduction, unsigned, rule=rule))
        view = (steps, shown, top_k, exact)
        tables = [
            LabelPrecisionTable("by_label", *view, points=points),
            LabelPrecisionTable("by_key", *view, by_key=True, points=points),
            InterpolatedCurve("precision_recall", *view, points),
        ]
        return detection_outputs(read, measures, statistics, tables)
