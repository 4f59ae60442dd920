"""How precision and recall of each label change with the score threshold."""

from typing import Any

from thresher.kernels.classification.curves import THRESHOLDS, BestF1, PrecisionRecallCurve
from thresher.kernels.detection.curves import curve_statistics
from thresher.kernels.detection.matches import DetectionMatches
from thresher.metrics import (
    IouThreshold,
    MatchingRule,
    Thresholds,
    detection_measure,
    detection_outputs,
    metric,
    read_matches,
)

_SHOWN = ("tp", "fp", "fn", "precision", "recall", "f1")


@metric
class DetectionPrecisionRecallCurveEvaluator:
    """Hits, errors, precision, recall and F1 of each label at each score threshold.

    Every prediction counts here: one of a label that no true object of its image has is a false positive.

    Formula: precision TP / (TP + FP), recall TP / (TP + FN), F1 2 TP / (2 TP + FP + FN); 0/0 is undefined
        (None), which Valor writes as -1 or 0. The headline is the highest mean F1 over the thresholds, over
        the labels that some image has.
    Source: the documentation of Valor, `PrecisionRecallCurve`.

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    DetectionPrecisionRecallCurveEvaluator().run(matches=matches)["result"].detail("curve")
    ```
    """

    matching: MatchingRule = "valor"
    pr_curve_iou_threshold: IouThreshold = 0.5
    thresholds: Thresholds = THRESHOLDS
    name: str = "detection_pr_curve_best_f1"

    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Count hits and errors.

        Returns:
            `score`: the best F1; `individual_scores`: NaN, since one image has none; `result` with `curve`.
        """
        found, steps = read_matches(matches), tuple(self.thresholds)
        statistics = curve_statistics(found, self.matching, self.pr_curve_iou_threshold, steps)
        measures = [detection_measure(self, found, self.name, BestF1(steps))]
        return detection_outputs(
            found, measures, statistics, [PrecisionRecallCurve("curve", steps, "ignore", _SHOWN)]
        )
