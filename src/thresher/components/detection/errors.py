"""Kinds of detection errors, and their costs in mean average precision."""

from typing import Any

from thresher.errors import InputError
from thresher.kernels.detection.assignment import KEEPS_TIES
from thresher.kernels.detection.errors import ERRORS, ErrorCost, ErrorTable, error_statistics
from thresher.kernels.detection.matches import DetectionMatches
from thresher.metrics import (
    IouThreshold,
    MatchingRule,
    detection_measure,
    detection_outputs,
    metric,
    read_matches,
)


@metric
class DetectionErrorEvaluator:
    """Errors by kind, and the mean average precision that is lost by each kind.

    A prediction that is not a hit is a `duplicate` if its overlap with an object of its label reaches
    `iou_threshold`; otherwise an error of `classification` if its overlap with an object of another label
    does; of `localization` if its overlap with an object of its label reaches `background_threshold`;
    `background` if no overlap reaches that; otherwise `both`. An object without a hit, and without a
    classification or localization error that refers to it, is `missed`.

    Formula: cost = mAP with the kind corrected - mAP, at one IoU threshold. Corrected means: the first
        prediction that refers to an object without a hit becomes a hit with that object's label, and the
        other predictions of the kind are removed; missed objects are no longer required.
    Source: the idea of Bolya et al. 2020, "TIDE: A General Toolbox for Identifying Object Detection Errors".

    Args:
        background_threshold: overlap below which a prediction is background.
        name: stem of the measures' names: `detection_error_classification` and so on, the costs (lower is
            better). They are relative to the mean average precision of
            `DetectionAveragePrecisionEvaluator` with the same rule and threshold, by default COCO's
            `detection_coco_map_50`.

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    DetectionErrorEvaluator().run(matches=matches)["result"].detail("by_error")
    ```
    """

    matching: MatchingRule = "coco"
    iou_threshold: IouThreshold = 0.5
    background_threshold: IouThreshold = 0.1
    name: str = "detection_error"

    def __post_init__(self) -> None:
        if self.background_threshold >= self.iou_threshold:
            raise InputError(
                f"background_threshold={self.background_threshold!r} must be below iou_threshold"
            )

    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Classify the errors.

        Returns:
            `score`: the cost of the first kind, wrong classifications; `individual_scores`: NaN, since one
            image has none; `result` with all costs (all are primary), and the table `by_error`.
        """
        read = read_matches(matches)
        limits = self.iou_threshold, self.background_threshold
        statistics = error_statistics(read, self.matching, *limits)
        measures = []
        for code, error in enumerate(ERRORS, start=1):
            cost = ErrorCost(code, exact=self.matching in KEEPS_TIES)
            reading: dict[str, Any] = {"direction": "lower", "bounds": (0.0, 1.0)}
            measures.append(detection_measure(self, read, f"{self.name}_{error}", cost, **reading))
        table = ErrorTable(exact=self.matching in KEEPS_TIES)
        return detection_outputs(
            read, measures, statistics, [table], primary=[measure.name for measure in measures]
        )
