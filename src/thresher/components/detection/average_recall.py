"""Average recall of detections."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from thresher.kernels.detection.average_precision import LabelRecallTable, MeanAverageRecall
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.outcomes import ranked_statistics
from thresher.metrics import (
    MatchingRule,
    NonNegative,
    TopK,
    detection_measure,
    detection_outputs,
    metric,
    read_matches,
)
from thresher.metrics.detection import IOU_THRESHOLDS, check_iou_thresholds, overlap_name, rule_name
from thresher.results import Ragged, Statistics


@metric
class DetectionAverageRecallEvaluator:
    """Mean average recall of detections or instance masks.

    With the rule `valor`, predictions of labels without true objects in their image are left out, which does
    not change recall. A label without true objects has no recall and is left out of the mean.

    Formula: AR of a label = mean over IoU thresholds of (hits with a score of at least `threshold` / true
        objects); the mean over labels.
    Source: the documentation of Valor (AR, mAR); with `matching="coco"` and `max_detections` of 1, 10 or 100
        equal to AR@1, AR@10, AR@100 of pycocotools 2.0.11.

    Args:
        threshold: lowest score of a hit, inclusive; 0 for all hits.

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    DetectionAverageRecallEvaluator(threshold=0.5).run(matches=matches)["score"]
    ```
    """

    matching: MatchingRule = "valor"
    iou_thresholds: Sequence[float] = IOU_THRESHOLDS
    threshold: NonNegative = 0.0
    max_detections: TopK = None
    name: str = "detection_average_recall"

    def __post_init__(self) -> None:
        check_iou_thresholds(self.iou_thresholds)

    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Count the hits.

        Returns:
            `score`: mean average recall; `individual_scores`: NaN, since one image has none; `result` with
            the tables `by_label` and `by_key`.
        """
        read = read_matches(matches)
        steps, top_k = tuple(self.iou_thresholds), self.max_detections
        statistics = _from_score(ranked_statistics(read, self.matching, steps), self.threshold)
        view = (len(steps), 0, len(steps), 0, top_k)
        rule = rule_name(self.matching, steps, overlap=overlap_name(read))
        rule += f", score ≥ {self.threshold:g}" if self.threshold else ""
        measures = [detection_measure(self, read, self.name, MeanAverageRecall(view), rule=rule)]
        tables = [
            LabelRecallTable("by_label", steps, top_k),
            LabelRecallTable("by_key", steps, top_k, by_key=True),
        ]
        return detection_outputs(read, measures, statistics, tables)


def _from_score(statistics: Statistics, threshold: float) -> Statistics:
    """Drop the predictions below a score."""
    if threshold <= 0:
        return statistics
    predictions = statistics.ragged["predictions"]
    retained = np.flatnonzero(predictions["score"] >= threshold)
    lengths = np.bincount(predictions.owners[retained], minlength=predictions.size)
    columns = {name: array[retained] for name, array in predictions.items()}
    ragged = {**statistics.ragged, "predictions": Ragged(lengths, columns)}
    return Statistics({}, ragged, statistics.labels, statistics.coded)
