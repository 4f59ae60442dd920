"""Precision-recall curves of detections."""

from typing import Any

from thresher.kernels.classification.curves import THRESHOLDS, BestF1, PrecisionRecallCurve
from thresher.kernels.detection.curves import curve_statistics
from thresher.kernels.detection.matches import DetectionMatches
from thresher.metrics import (
    IouThreshold,
    MatchingRule,
    ScoreThresholds,
    detection_measure,
    detection_outputs,
    metric,
    read_matches,
)
from thresher.metrics.detection import decision_rule

_SHOWN = ("tp", "fp", "fn", "precision", "recall", "f1")


@metric
class DetectionPrecisionRecallCurveEvaluator:
    """Hits, errors, precision, recall and F1 of each label at each score threshold.

    Every prediction counts: if no true object in its image has its label, it is a false positive.

    Formula: precision TP / (TP + FP), recall TP / (TP + FN), F1 2 TP / (2 TP + FP + FN); 0/0 is undefined
        (None), which Valor writes as -1 or 0. The headline is the highest mean F1 over the thresholds, over
        the labels that occur in the truth.
    Source: the documentation of Valor, `PrecisionRecallCurve`.

    Args:
        name: stem of the measure's name, `detection_precision_recall_curve_best_f1`.

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    DetectionPrecisionRecallCurveEvaluator().run(matches=matches)["result"].detail("curve")
    ```
    """

    matching: MatchingRule = "valor"
    iou_threshold: IouThreshold = 0.5
    thresholds: ScoreThresholds = THRESHOLDS
    name: str = "detection_precision_recall_curve"

    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Count hits and errors.

        Returns:
            `score`: the best F1; `individual_scores`: NaN, since one image has none; `result` with `curve`.
        """
        read, steps = read_matches(matches), tuple(self.thresholds)
        statistics = curve_statistics(read, self.matching, self.iou_threshold, steps)
        rule = f"{decision_rule(self, read)}, mean over labels"
        measures = [detection_measure(self, read, f"{self.name}_best_f1", BestF1(steps), rule=rule)]
        return detection_outputs(
            read, measures, statistics, [PrecisionRecallCurve("curve", steps, "ignore", _SHOWN)]
        )
