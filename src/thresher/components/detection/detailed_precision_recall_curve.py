"""Kinds of errors of each label, with examples."""

from typing import Any

from thresher.kernels.classification.curves import THRESHOLDS, BestF1
from thresher.kernels.classification.detailed_curve import DetailedPrecisionRecallCurve
from thresher.kernels.detection.curves import DetectionExamples, curve_statistics
from thresher.kernels.detection.matches import DetectionMatches
from thresher.metrics import (
    Count,
    IouThreshold,
    MatchingRule,
    ScoreThresholds,
    detection_measure,
    detection_outputs,
    metric,
    read_matches,
)
from thresher.metrics.detection import decision_rule


@metric
class DetectionDetailedPrecisionRecallCurveEvaluator:
    """Hits and kinds of errors of each label at each score threshold, with examples as GeoJSON.

    A false positive is a misclassification if its overlap with a true object of another label of its key
    reaches `iou_threshold`, otherwise a hallucination. A missed object is a misclassification if a prediction
    of another label reaches the score threshold and overlaps it so; otherwise it has no predictions.

    Formula: counts per label, threshold and kind. The headline is the highest mean F1 over the thresholds,
        over the labels that occur in the truth. Examples are the first objects of each kind in the order of
        images, so they are the same in every run.
    Source: the documentation of Valor, `DetailedPrecisionRecallCurve`.

    Args:
        max_examples: number of objects listed per label, threshold and kind.
        name: stem of the measure's name, `detection_detailed_precision_recall_curve_best_f1`.

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    result = DetectionDetailedPrecisionRecallCurveEvaluator().run(matches=matches)["result"]
    result.detail("detailed_curve"), result.detail("examples")
    ```
    """

    matching: MatchingRule = "valor"
    iou_threshold: IouThreshold = 0.5
    max_examples: Count = 1
    thresholds: ScoreThresholds = THRESHOLDS
    name: str = "detection_detailed_precision_recall_curve"

    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Count hits and errors.

        Returns:
            `score`: the best F1; `individual_scores`: NaN, since one image has none; `result` with
            `detailed_curve` and `examples`.
        """
        read, steps = read_matches(matches), tuple(self.thresholds)
        statistics = curve_statistics(read, self.matching, self.iou_threshold, steps, boxes=True)
        left_out, rule = ("max_examples",), f"{decision_rule(self, read)}, mean over labels"
        measures = [detection_measure(self, read, f"{self.name}_best_f1", BestF1(steps), left_out, rule=rule)]
        shown = [
            DetailedPrecisionRecallCurve("detailed_curve", steps, "ignore", negatives=False),
            DetectionExamples("examples", steps, self.max_examples),
        ]
        return detection_outputs(read, measures, statistics, shown)
