"""Average precision of Open Images."""

from typing import Any, ClassVar, Literal

from thresher.kernels.detection.average_precision import LabelPrecisionTable, MeanAveragePrecision
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.open_images import OpenImagesRules, open_images_statistics
from thresher.metrics import IouThreshold, TopK, detection_measure, detection_outputs, metric
from thresher.metrics.detection import overlap_name, read_federated, rule_name

_POINTS = {"area": 0, "101": 101}
"""Number of recalls of each integration; 0 for the area."""
_RULES = {"once": "Open Images", "ignore": "Open Images V2"}
"""Names of the rules in reports."""


@metric
class DetectionOpenImagesEvaluator:
    """Mean average precision of boxes by the rules of Open Images.

    A group, one box around more than five objects that touch, is a crowd region of the true objects. A
    prediction without an ordinary match is inside a group if at least half of its own area is (the share is
    `iou_threshold`); it belongs to the group that covers most of it. True objects should be repeated for the
    broader labels of a hierarchy, which `LabelHierarchy` and the readers do.

    If the images say which labels were verified, predictions of other labels are left out.

    Formula: AP = the area below the interpolated precision over recall; the mean over labels with a true
        object.
    Source: the evaluation of the Open Images Challenge (since 2018: `groups="once"`) and of Open Images V2
        (`groups="ignore"`), as TensorFlow's object detection API computes them.
    Differs: TensorFlow orders equal scores arbitrarily, here they keep the order of images and predictions.

    Args:
        groups: `once`: a group is one true object; the best prediction inside finds it, further ones are
            ignored. `ignore`: all predictions inside are ignored, and the group does not count.
        matching: rule for ordinary objects: `voc`, with the object that a prediction overlaps most, taken or
            not, as TensorFlow does; `coco`, with the best free one. An overlap equal to the threshold is
            enough.
        integration: `area` below the interpolated precision, or its mean at `101` recalls.
        name: stem of the names of the measure (`detection_open_images_map`).

    ```python
    truth = {"labels": ["person", "person"], "boxes": [[0, 0, 9, 9], [50, 0, 90, 40]], "crowd": [0, 1]}
    found = {"labels": ["person"] * 3, "boxes": [[0, 0, 9, 8], [50, 0, 60, 9], [70, 0, 80, 9]]}
    found["scores"] = [0.9, 0.8, 0.7]
    matches = DetectionMatcher().run(predictions=[found], ground_truths=[truth])["matches"]
    DetectionOpenImagesEvaluator().run(matches=matches)["score"]
    ```
    """

    reads_protocol: ClassVar[str] = "open-images"

    groups: Literal["once", "ignore"] = "once"
    matching: Literal["voc", "coco"] = "voc"
    iou_threshold: IouThreshold = 0.5
    max_detections: TopK = None
    integration: Literal["area", "101"] = "area"
    name: str = "detection_open_images"

    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Match the predictions with objects, then with groups.

        Returns:
            `score`: mean average precision; `individual_scores`: NaN, since one image has none; `result` with
            the table `by_label`.
        """
        read = read_federated(matches)
        rules = OpenImagesRules(self.matching, self.iou_threshold, self.groups)
        statistics = open_images_statistics(read, rules)
        points, top_k = _POINTS[self.integration], self.max_detections
        reduction = MeanAveragePrecision((1, 0, 1, 0, top_k), exact=True, points=points)
        rule = rule_name(_RULES[self.groups], (self.iou_threshold,), points, overlap_name(read))
        measure = detection_measure(self, read, f"{self.name}_map", reduction, rule=rule)
        table = LabelPrecisionTable("by_label", (self.iou_threshold,), (), top_k, exact=True, points=points)
        return detection_outputs(read, [measure], statistics, [table])
