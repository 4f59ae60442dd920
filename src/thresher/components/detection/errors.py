"""Why predictions are wrong, and what each kind of error costs."""

from typing import Any

from thresher.errors import InputError
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
    """Errors by kind, and how much mean average precision would rise if each kind were put right.

    A prediction that is no hit is a `duplicate` if it overlaps an object of its label enough; else wrong in
    `classification` if it overlaps an object of another label enough; in `localization` if it overlaps one
    of its label a little; `background` if it overlaps nothing even a little; else `both`. An object that
    nothing found, and that no wrong classification or localization was meant for, is `missed`.

    Formula: cost = mAP with the kind put right - mAP, at one IoU threshold. Put right means: the first
        prediction meant for an object that nobody found becomes a hit with that object's label, and the other
        predictions of the kind go; missed objects need no longer be found.
    Source: the idea of Bolya et al. 2020, "TIDE: A General Toolbox for Identifying Object Detection Errors".

    Args:
        background_threshold: overlap that is a little.
        name: stem of the measures' names: `detection_error_classification` and so on, the costs (lower is
            better). The mean average precision that they are counted from is that of
            `DetectionAveragePrecisionEvaluator` with the same rule at the same threshold, COCO's
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
        """Sort the errors.

        Returns:
            `score`: the cost of the first kind, wrong classifications; `individual_scores`: NaN, since one
            image has none; `result` with all costs, of which none is the headline (all are primary), and the
            table `by_error`.
        """
        found = read_matches(matches)
        limits = self.iou_threshold, self.background_threshold
        statistics = error_statistics(found, self.matching, *limits)
        measures = []
        for code, error in enumerate(ERRORS, start=1):
            cost = ErrorCost(code, exact=self.matching == "coco")
            reading: dict[str, Any] = {"direction": "lower", "bounds": (0.0, 1.0)}
            measures.append(detection_measure(self, found, f"{self.name}_{error}", cost, **reading))
        table = ErrorTable(exact=self.matching == "coco")
        return detection_outputs(
            found, measures, statistics, [table], primary=[each.name for each in measures]
        )
