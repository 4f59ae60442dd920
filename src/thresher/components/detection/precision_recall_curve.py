"""How precision and recall of each label change with the score threshold."""

from collections.abc import Sequence
from typing import Any

from haystack import component

from thresher.kernels.classification.curves import THRESHOLDS, BestF1, PrecisionRecallCurve
from thresher.kernels.detection.curves import curve_statistics
from thresher.kernels.detection.matches import DetectionMatches
from thresher.metrics.detection import check_iou, check_rule, measure, read_matches, result
from thresher.metrics.options import check_thresholds, checked_options
from thresher.results import MetricResult

_SHOWN = ("tp", "fp", "fn", "precision", "recall", "f1")


@component
@checked_options
class DetectionPrecisionRecallCurveEvaluator:
    """Hits, errors, precision, recall and F1 of each label at each score threshold.

    Every prediction counts here: one of a label that no true object of its image has is a false positive.

    Formula: precision TP / (TP + FP), recall TP / (TP + FN), F1 2 TP / (2 TP + FP + FN); 0/0 is undefined
        (None), which Valor writes as -1 or 0. The headline is the highest mean F1 over the thresholds, over
        the labels that some image has.
    Source: the documentation of Valor, `PrecisionRecallCurve`.

    Args:
        matching: `valor` pairs by score, best free true object, as the documentation says; `valor-code` as
            Valor's releases do; `coco` matches at this threshold alone.
        pr_curve_iou_threshold: overlap from which on a pair is a hit.
        thresholds: rising score thresholds; a score equal to one reaches it.
        name: name of the measure in reports.

    Raises:
        InputError: for an option out of its range, and from `run` for what no DetectionMatcher gave or
            predictions without scores.

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    DetectionPrecisionRecallCurveEvaluator().run(matches=matches)["result"].detail("curve")
    ```
    """

    def __init__(
        self,
        matching: str = "valor",
        pr_curve_iou_threshold: float = 0.5,
        thresholds: Sequence[float] = THRESHOLDS,
        name: str = "detection_pr_curve_best_f1",
    ) -> None:
        check_rule(matching)
        check_iou("pr_curve_iou_threshold", pr_curve_iou_threshold)
        check_thresholds("thresholds", thresholds)
        self.matching = matching
        self.pr_curve_iou_threshold = pr_curve_iou_threshold
        self.thresholds = list(thresholds)
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Count hits and errors.

        Args:
            matches: what a `DetectionMatcher` gave, one entry per image.

        Returns:
            `score`: the best F1; `individual_scores`: NaN, since one image has none; `result` with `curve`.
        """
        found, steps = read_matches(matches), tuple(self.thresholds)
        statistics = curve_statistics(found, self.matching, self.pr_curve_iou_threshold, steps)
        measures = [measure(self, found, self.name, BestF1(steps))]
        return result(found, measures, statistics, [PrecisionRecallCurve("curve", steps, "ignore", _SHOWN)])
