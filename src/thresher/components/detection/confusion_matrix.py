"""Which labels are taken for which, what is seen where nothing is, and what is missed."""

from typing import Any

from haystack import component

from thresher.kernels.classification.decisions import ConfusionExamples, ConfusionMatrix, DiagonalShare
from thresher.kernels.detection.confusion import confusion_statistics
from thresher.kernels.detection.matches import DetectionMatches
from thresher.metrics.detection import check_iou, check_rule, measure, read_matches, result
from thresher.metrics.options import check_count, check_share, checked_options
from thresher.results import MetricResult


@component
@checked_options
class DetectionConfusionMatrixEvaluator:
    """How often each true label met each predicted one, with examples.

    Predictions are first matched within their label, so the diagonal holds just the hits that precision and
    recall count. What is left over is paired one to one, by falling score, with the true object of another
    label of the key that it overlaps most, if enough. A prediction without a true object stands in the row
    whose truth is None, a missed object in the column whose prediction is None.

    Formula: count of objects per (true label, predicted label); the headline is the share on the diagonal.
    Source: the confusion matrix of valor-lite, without its fault of letting a prediction that overlaps an
        object too little keep it from a better one.

    Args:
        matching: `coco` lets the best prediction at this overlap have the object; `valor` and `valor-code`
            as in the other metrics.
        iou_threshold: overlap that is enough.
        score_threshold: predictions below it are left out.
        max_examples: how many images each cell names, the first ones.
        name: name of the measure in reports: the share of objects on the diagonal.

    Raises:
        InputError: for an option out of its range, and from `run` for what no DetectionMatcher gave or
            predictions without scores.

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    DetectionConfusionMatrixEvaluator().run(matches=matches)["result"].detail("confusion_matrix")
    ```
    """

    def __init__(
        self,
        matching: str = "coco",
        iou_threshold: float = 0.5,
        score_threshold: float = 0.5,
        max_examples: int = 1,
        name: str = "detection_confusion_matrix",
    ) -> None:
        check_rule(matching)
        check_iou("iou_threshold", iou_threshold)
        check_share("score_threshold", score_threshold)
        check_count("max_examples", max_examples)
        self.matching = matching
        self.iou_threshold = iou_threshold
        self.score_threshold = score_threshold
        self.max_examples = max_examples
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, matches: list[DetectionMatches]) -> dict[str, Any]:
        """Pair predicted and true objects.

        Args:
            matches: what a `DetectionMatcher` gave, one entry per image.

        Returns:
            `score`: share of objects on the diagonal; `individual_scores`: NaN, since one image has none;
            `result` with `confusion_matrix` and `confusion_examples`.
        """
        found = read_matches(matches)
        statistics = confusion_statistics(found, self.matching, self.iou_threshold, self.score_threshold)
        measures = [measure(self, found, self.name, DiagonalShare(), ("max_examples",))]
        shown = [ConfusionMatrix(), ConfusionExamples(max_examples=self.max_examples)]
        return result(found, measures, statistics, shown)
