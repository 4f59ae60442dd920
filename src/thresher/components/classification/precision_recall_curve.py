"""How precision and recall change with the score threshold."""

from collections.abc import Sequence
from typing import Any

from haystack import component

from thresher.components.classification._curve import check_options, curve_statistics
from thresher.kernels.classification.curves import THRESHOLDS, BestF1, PrecisionRecallCurve
from thresher.metrics.classification.scored import READING
from thresher.metrics.items import outputs, settings
from thresher.metrics.options import checked_options
from thresher.results import Measure, MetricResult, Signature


@component
@checked_options
class PrecisionRecallCurveEvaluator:
    """Counts, precision, recall, F1 and accuracy of each label at each score threshold.

    Each label is a binary problem of its own: every score that reaches the threshold is a decision for its
    label, not only the highest one of an item.

    Formula: precision TP / (TP + FP), recall TP / (TP + FN), F1 2 TP / (2 TP + FP + FN), accuracy
        (TP + TN) / items; 0/0 is undefined (None), which Valor writes as -1. The headline is the highest
        mean F1 over the thresholds, over the labels that some item has.
    Source: the documentation of Valor, `PrecisionRecallCurve`.

    Args:
        thresholds: rising score thresholds; a score equal to one reaches it.
        unlabelled: an item with an empty ground truth (`[]`) is left out (`ignore`), or counts as one
            that has none of the labels (`negative`, as Valor's service does).
        name: name of the measure in reports.
        positive: of two labels, the one that single scores are the probability of; 1, true or yes without.
        labels: of a matrix of scores, the label of each column; 0, 1, ... or a usual pair without.

    Raises:
        InputError: for an unknown option, and from `run` for lists of unequal length, and scores
            outside 0 to 1.

    ```python
    evaluator = PrecisionRecallCurveEvaluator(thresholds=[0.5])
    result = evaluator.run(ground_truths=["cat"], predictions=[{"cat": 0.6, "dog": 0.5}])["result"]
    result.detail("curve").columns["fp"]  # [0.0, 1.0]
    ```
    """

    def __init__(
        self,
        thresholds: Sequence[float] = THRESHOLDS,
        unlabelled: str = "ignore",
        name: str = "pr_curve_best_f1",
        *,
        positive: str | int | bool | None = None,
        labels: Sequence[str | int | bool] | None = None,
    ) -> None:
        check_options(thresholds, unlabelled)
        self.thresholds = list(thresholds)
        self.unlabelled = unlabelled
        self.name = name
        self.positive = positive
        self.labels = None if labels is None else list(labels)

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, ground_truths: list[Any], predictions: list[Any]) -> dict[str, Any]:
        """Compare the scores of each label with the true labels.

        Args:
            ground_truths: per item the true label: a text, a whole number, a `Label(key, value)`, or one
                per key as a list of labels or a dict key -> value. None leaves the item out.
            predictions: per item a dict label -> score, or key -> dict of value -> score, all labels or
                only the best; or a `LabelScores` matrix. A label without scores leaves its item out.

        Returns:
            `score`: the best F1; `individual_scores`: NaN, since one item has none; `result` with `curve`.
        """
        found, ragged = curve_statistics(self, ground_truths, predictions)
        options = tuple(self.thresholds), self.unlabelled
        measure = Measure(
            Signature.of(self.name, settings(self, *READING)), BestF1(*options), item_score=None
        )
        return outputs(found.result([measure], [PrecisionRecallCurve("curve", *options)], **ragged))
