"""What kinds of error hide behind precision and recall."""

from collections.abc import Sequence
from typing import Any

from haystack import component

from thresher.components.classification._curve import check_options, curve_statistics
from thresher.kernels.classification.curves import THRESHOLDS, BestF1
from thresher.kernels.classification.detailed_curve import CurveExamples, DetailedPrecisionRecallCurve
from thresher.metrics.classification.scored import READING
from thresher.metrics.items import outputs, settings
from thresher.metrics.options import check_count, checked_options
from thresher.results import Measure, MetricResult, Signature


@component
@checked_options
class DetailedPrecisionRecallCurveEvaluator:
    """True positives and errors by kind, of each label at each score threshold, with examples.

    A false positive is a misclassification where the item has another label of the key, and a hallucination
    where it has none (only with `unlabelled="negative"`). A false negative is a misclassification where
    another label of the key reaches the threshold; where none does, there are no predictions.

    Formula: counts per label, threshold and kind. The headline is the highest mean F1 over the thresholds,
        over the labels that some item has. Examples are the first items of each kind, so they are the
        same in every run.
    Source: the documentation of Valor, `DetailedPrecisionRecallCurve`.

    Args:
        thresholds: rising score thresholds; a score equal to one reaches it.
        pr_curve_max_examples: how many items are named per label, threshold and kind of observation.
        unlabelled: an item with an empty ground truth (`[]`) is left out (`ignore`), or counts as one
            that has none of the labels (`negative`, as Valor's service does).
        name: name of the measure in reports.
        positive: of two labels, the one that single scores are the probability of; 1, true or yes without.
        labels: of a matrix of scores, the label of each column; 0, 1, ... or a usual pair without.

    Raises:
        InputError: for an unknown option, and from `run` for lists of unequal length, and scores
            outside 0 to 1.

    ```python
    evaluator = DetailedPrecisionRecallCurveEvaluator(thresholds=[0.5])
    result = evaluator.run(ground_truths=["cat"], predictions=[{"cat": 0.4, "dog": 0.6}])["result"]
    result.detail("detailed_curve").columns["fn_misclassifications"]  # [1.0, 0.0]
    ```
    """

    def __init__(
        self,
        thresholds: Sequence[float] = THRESHOLDS,
        pr_curve_max_examples: int = 1,
        unlabelled: str = "ignore",
        name: str = "detailed_pr_curve_best_f1",
        *,
        positive: str | int | bool | None = None,
        labels: Sequence[str | int | bool] | None = None,
    ) -> None:
        check_options(thresholds, unlabelled)
        check_count("pr_curve_max_examples", pr_curve_max_examples)
        self.thresholds = list(thresholds)
        self.pr_curve_max_examples = pr_curve_max_examples
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
            `score`: the best F1; `individual_scores`: NaN, since one item has none; `result` with
            `detailed_curve` and `examples`.
        """
        found, ragged = curve_statistics(self, ground_truths, predictions)
        steps = tuple(self.thresholds)
        told = settings(self, *READING, "pr_curve_max_examples")
        measure = Measure(Signature.of(self.name, told), BestF1(steps, self.unlabelled), item_score=None)
        shown = [
            DetailedPrecisionRecallCurve("detailed_curve", steps, self.unlabelled),
            CurveExamples("examples", steps, self.pr_curve_max_examples, self.unlabelled),
        ]
        return outputs(found.result([measure], shown, **ragged))
