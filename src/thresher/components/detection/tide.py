"""TIDE's errors of detections and their costs, as its authors' program computes them."""

from typing import Any

from thresher.errors import InputError
from thresher.kernels.detection.errors import ERRORS
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.tide import COSTS, TideCost, TideTable, tide_statistics
from thresher.metrics import IouThreshold, TopK, detection_measure, detection_outputs, metric, read_matches
from thresher.metrics.detection import overlap_name, rule_name


@metric
class DetectionTideEvaluator:
    """Costs of errors by kind, as tidecv computes them: its dAP as shares of 1.

    A prediction that is not a hit is an error of `localization` if its overlap with an object of its label
    is between `background_threshold` and `iou_threshold`, both included; otherwise of `classification` if it
    overlaps an object of another label by at least `iou_threshold`; otherwise a `duplicate` if it overlaps an
    object of its label by more; `background` if no overlap is above `background_threshold`; otherwise `both`.
    An object without a hit, and without a classification or localization error that refers to it, is
    `missed`. `false_positive` and `false_negative` are all errors of predictions and all objects not found.

    Formula: cost = mAP with the errors corrected - mAP, at one IoU threshold, over labels that have objects
        or predictions. Of all predictions with a wrong label or place that refer to an object without a
        hit, the one with the highest score is corrected, the others of the kind are removed; missed objects
        are no longer required; false positives get a score below all hits.
    Source: Bolya et al. 2020, "TIDE: A General Toolbox for Identifying Object Detection Errors"; equal to
        the program tidecv 1.0.1.
    Differs: from `DetectionErrorEvaluator`, whose costs relate to COCO's `detection_coco_map_50`: labels
        without objects are in the mean with 0; a prediction in a crowd region is an error that may be
        corrected; a wrong place counts before a wrong label, and a wrong label before a duplicate; among
        equal scores, errors come before hits once some are corrected.

    Args:
        background_threshold: overlap up to which a prediction is background.
        max_detections: number of predictions of an image that count, those with the highest scores.
        name: stem of the measures' names: `detection_tide_classification` and so on (lower is better).

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    DetectionTideEvaluator().run(matches=matches)["result"].detail("by_error")
    ```
    """

    iou_threshold: IouThreshold = 0.5
    background_threshold: IouThreshold = 0.1
    max_detections: TopK = 100
    name: str = "detection_tide"

    def __post_init__(self) -> None:
        if self.background_threshold >= self.iou_threshold:
            raise InputError(
                f"background_threshold={self.background_threshold!r} must be below iou_threshold"
            )

    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Classify the errors.

        Returns:
            `score`: the cost of the first kind, wrong classifications; `individual_scores`: NaN, since one
            image has none; `result` with all costs (those of single kinds are primary), and the table
            `by_error`.
        """
        read = read_matches(matches)
        limits = self.iou_threshold, self.background_threshold
        statistics = tide_statistics(read, *limits, self.max_detections)
        rule = rule_name("tidecv", (self.iou_threshold,), overlap=overlap_name(read))
        measures = []
        for cost, error in enumerate(COSTS, start=1):
            lowest = 0.0 if error in ERRORS else -1.0  # fewer labels may have a lower mean
            reading: dict[str, Any] = {"direction": "lower", "bounds": (lowest, 1.0), "rule": rule}
            measures.append(detection_measure(self, read, f"{self.name}_{error}", TideCost(cost), **reading))
        primary = [measure.name for measure in measures[: len(ERRORS)]]
        return detection_outputs(read, measures, statistics, [TideTable()], primary=primary)
