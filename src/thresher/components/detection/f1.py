"""Precision, recall and F1 of detections at one score threshold, pooled and per image."""

from typing import Any

import numpy as np

from thresher.kernels.detection.matches import DetectionMatches
from thresher.metrics import (
    FiniteNumber,
    IouThreshold,
    MatchingRule,
    detection_measure,
    match_objects,
    metric,
    outputs,
    read_matches,
)
from thresher.results import Mean, MetricResult, RatioOfSums, Statistics, Status
from thresher.results.reductions import divide

_TP, _FP, _FN = ("tp", 1.0), ("fp", 1.0), ("fn", 1.0)


@metric
class DetectionF1Evaluator:
    """Precision, recall and F1 of the predictions above a score threshold, over all labels.

    The score of an image is its own F1; an image with neither predicted nor true objects is left out.

    Formula: F1 = 2 TP / (2 TP + FP + FN), precision = TP / (TP + FP), recall = TP / (TP + FN) of the counts
        of all images and labels; `detection_f1_per_image` is the mean of the images' F1.
    Source: van Rijsbergen 1979 for F1; hits as in the other detection metrics.

    Args:
        name: stem of the measures' names: `detection_f1`, `detection_f1_precision`, `detection_f1_recall`,
            `detection_f1_per_image`.

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    DetectionF1Evaluator(threshold=0.3).run(matches=matches)["individual_scores"]
    ```
    """

    matching: MatchingRule = "coco"
    iou_threshold: IouThreshold = 0.5
    threshold: FiniteNumber = 0.5
    name: str = "detection_f1"

    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Count hits and errors per image.

        Returns:
            `score`: F1 of all images; `individual_scores`: F1 of each image; `result`.
        """
        read = read_matches(matches)
        tp, fp, fn = self._counts(read)
        scores = divide(2 * tp, 2 * tp + fp + fn)
        status, reasons = read.status.copy(), dict(read.reasons)
        for image in np.flatnonzero(np.isnan(scores) & (status == Status.SCORED)).tolist():
            status[image], reasons[image] = Status.UNDEFINED, "neither predicted nor true objects"
        pooled = {
            self.name: RatioOfSums((("tp", 2.0),), (("tp", 2.0), _FP, _FN)),
            f"{self.name}_precision": RatioOfSums((_TP,), (_TP, _FP)),
            f"{self.name}_recall": RatioOfSums((_TP,), (_TP, _FN)),
            f"{self.name}_per_image": Mean("score"),
        }
        own = {self.name: "score", f"{self.name}_per_image": "score"}
        measures = [
            detection_measure(self, read, name, reduction, item_score=own.get(name))
            for name, reduction in pooled.items()
        ]
        statistics = Statistics({"tp": tp, "fp": fp, "fn": fn, "score": scores})
        return outputs(MetricResult(measures, statistics, status, reasons))

    def _counts(self, matches: DetectionMatches) -> tuple[Any, Any, Any]:
        """Hits, false positives and missed objects of each image."""
        objects = match_objects(matches, self.matching, self.iou_threshold)
        counted = (objects.score >= self.threshold) & ~objects.ignored
        tp = objects.count(counted & objects.hit)
        return tp, objects.count(counted & ~objects.hit), objects.true_objects() - tp
