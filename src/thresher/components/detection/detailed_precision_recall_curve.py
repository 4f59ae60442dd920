"""What kinds of error the predictions of each label make, with examples."""

from collections.abc import Sequence
from typing import Any

from haystack import component

from thresher.kernels.classification.curves import THRESHOLDS, BestF1
from thresher.kernels.classification.detailed_curve import DetailedPrecisionRecallCurve
from thresher.kernels.detection.curves import DetectionExamples, curve_statistics
from thresher.kernels.detection.matches import DetectionMatches
from thresher.metrics.detection import check_iou, check_rule, measure, read_matches, result
from thresher.metrics.options import check_count, check_thresholds, checked_options
from thresher.results import MetricResult


@component
@checked_options
class DetailedDetectionPrecisionRecallCurveEvaluator:
    """Hits and errors by kind, of each label at each score threshold, with examples as GeoJSON.

    A false positive is a misclassification where it overlaps a true object of another label of its key
    enough, else a hallucination. A missed object is a misclassification where a prediction of another label
    that reaches the threshold overlaps it enough; else there are no predictions of it.

    Formula: counts per label, threshold and kind. The headline is the highest mean F1 over the thresholds,
        over the labels that some image has. Examples are the first objects of each kind in the order of
        images, so they are the same in every run.
    Source: the documentation of Valor, `DetailedPrecisionRecallCurve`.

    Args:
        matching: `valor` pairs by score, best free true object, as the documentation says; `valor-code` as
            Valor's releases do; `coco` matches at this threshold alone.
        pr_curve_iou_threshold: overlap that is enough.
        pr_curve_max_examples: how many objects are named per label, threshold and kind.
        thresholds: rising score thresholds; a score equal to one reaches it.
        name: name of the measure in reports.

    Raises:
        InputError: for an option out of its range, and from `run` for what no DetectionMatcher gave or
            predictions without scores.

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    result = DetailedDetectionPrecisionRecallCurveEvaluator().run(matches=matches)["result"]
    result.detail("detailed_curve"), result.detail("examples")
    ```
    """

    def __init__(
        self,
        matching: str = "valor",
        pr_curve_iou_threshold: float = 0.5,
        pr_curve_max_examples: int = 1,
        thresholds: Sequence[float] = THRESHOLDS,
        name: str = "detailed_detection_pr_curve_best_f1",
    ) -> None:
        check_rule(matching)
        check_iou("pr_curve_iou_threshold", pr_curve_iou_threshold)
        check_count("pr_curve_max_examples", pr_curve_max_examples)
        check_thresholds("thresholds", thresholds)
        self.matching = matching
        self.pr_curve_iou_threshold = pr_curve_iou_threshold
        self.pr_curve_max_examples = pr_curve_max_examples
        self.thresholds = list(thresholds)
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Sort hits and errors.

        Args:
            matches: what a `DetectionMatcher` gave, one entry per image.

        Returns:
            `score`: the best F1; `individual_scores`: NaN, since one image has none; `result` with
            `detailed_curve` and `examples`.
        """
        found, steps = read_matches(matches), tuple(self.thresholds)
        rule, enough = self.matching, self.pr_curve_iou_threshold
        statistics = curve_statistics(found, rule, enough, steps, boxes=True)
        measures = [measure(self, found, self.name, BestF1(steps), ("pr_curve_max_examples",))]
        shown = [
            DetailedPrecisionRecallCurve("detailed_curve", steps, "ignore", negatives=False),
            DetectionExamples("examples", steps, self.pr_curve_max_examples),
        ]
        return result(found, measures, statistics, shown)
