"""How many of the true objects of each label are found."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from haystack import component

from thresher.kernels.detection.average_precision import LabelRecallTable, MeanAverageRecall
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.outcomes import ranked_statistics
from thresher.metrics.detection import (
    IOU_THRESHOLDS,
    check_iou_thresholds,
    check_limit,
    check_rule,
    measure,
    read_matches,
    result,
)
from thresher.metrics.options import check_share, checked_options
from thresher.results import MetricResult, Ragged, Statistics


@component
@checked_options
class DetectionAverageRecallEvaluator:
    """Mean average recall of detections or instance masks.

    With the rule `valor`, predictions of a label that no true object of their image has are left out, which
    changes no recall. A label without a true object has no recall and does not count in the mean.

    Formula: AR of a label = mean over IoU thresholds of its hits with a score of at least
        `recall_score_threshold` / its true objects; the mean over labels (`mar`).
    Source: the documentation of Valor (AR, mAR); with `matching="coco"` and `max_detections` of 1, 10 or 100
        equal to AR@1, AR@10, AR@100 of pycocotools 2.0.11.

    Args:
        matching: `valor` pairs by score, best free true object, once for all thresholds, as the
            documentation says; `valor-code` as Valor's releases do, where a prediction whose best true
            object is taken never gets another; `coco` matches anew at each threshold.
        iou_thresholds: rising IoU thresholds; an overlap equal to one reaches it.
        recall_score_threshold: lowest score of a hit; one equal to it counts.
        max_detections: how many predictions of an image and label count, by score; None for all.
        name: name of the measure in reports.

    Raises:
        InputError: for an option out of its range, and from `run` for what no DetectionMatcher gave or
            predictions without scores.

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    DetectionAverageRecallEvaluator(recall_score_threshold=0.5).run(matches=matches)["score"]
    ```
    """

    def __init__(
        self,
        matching: str = "valor",
        iou_thresholds: Sequence[float] = IOU_THRESHOLDS,
        recall_score_threshold: float = 0.0,
        max_detections: int | None = None,
        name: str = "mar",
    ) -> None:
        check_rule(matching)
        check_iou_thresholds(iou_thresholds)
        check_share("recall_score_threshold", recall_score_threshold)
        check_limit("max_detections", max_detections)
        self.matching = matching
        self.iou_thresholds = list(iou_thresholds)
        self.recall_score_threshold = recall_score_threshold
        self.max_detections = max_detections
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Count what is found.

        Args:
            matches: what a `DetectionMatcher` gave, one entry per image.

        Returns:
            `score`: mean average recall; `individual_scores`: NaN, since one image has none; `result` with
            the tables `by_label` and `by_key`.
        """
        found = read_matches(matches)
        steps, top_k = tuple(self.iou_thresholds), self.max_detections
        statistics = _from_score(ranked_statistics(found, self.matching, steps), self.recall_score_threshold)
        view = (len(steps), 0, len(steps), 0, top_k)
        measures = [measure(self, found, self.name, MeanAverageRecall(view))]
        tables = [
            LabelRecallTable("by_label", steps, top_k),
            LabelRecallTable("by_key", steps, top_k, by_key=True),
        ]
        return result(found, measures, statistics, tables)


def _from_score(statistics: Statistics, threshold: float) -> Statistics:
    """Without the predictions below a score."""
    if threshold <= 0:
        return statistics
    predictions = statistics.ragged["predictions"]
    kept = np.flatnonzero(predictions["score"] >= threshold)
    lengths = np.bincount(predictions.owners[kept], minlength=predictions.size)
    columns = {name: array[kept] for name, array in predictions.items()}
    ragged = {**statistics.ragged, "predictions": Ragged(lengths, columns)}
    return Statistics({}, ragged, statistics.labels, statistics.coded)
