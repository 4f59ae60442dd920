"""How many decisions for a label are right."""

from collections.abc import Sequence
from typing import Any

from haystack import component

from thresher.components.classification._averages import check_options, evaluate
from thresher.metrics.options import checked_options
from thresher.results import MetricResult


@component
@checked_options
class ClassificationPrecisionEvaluator:
    """Share of the decisions for a label that are right, averaged over labels.

    Each item has one decision per label key: the predicted label, or the one with the highest score (the
    first of equals). An item without a true label is left out; a prediction that is empty, or has nothing
    for a key, counts as a miss for the true label of that key.

    Formula: TP / (TP + FP) per label.
        `macro` is the mean over the labels that are true or predicted somewhere, `weighted` the mean
        weighted by how often each label is true, `micro` pools the counts of all labels.
    Source: the same as scikit-learn, and as the documentation of Valor per label.

    Args:
        average: which average is the headline `score`: `macro`, `micro` or `weighted`.
        zero_division: what a label counts as where its precision is 0/0: 0, 1, or None to leave it out of
            the means. The table by label shows 0/0 as undefined in any case.
        name: stem of the measures' names: `precision_macro`, `precision_micro`, `precision_weighted`.
        report: which averages are measures, the headline among them; all three without. Where each item has
            one label, micro precision, recall and F1 and weighted recall all equal accuracy.
        positive: of two labels, the one that single scores are the probability of; 1, true or yes without.
        labels: of a matrix of scores, the label of each column; 0, 1, ... or a usual pair without.

    Raises:
        InputError: for an unknown option, and from `run` for lists of unequal length or entries that are
            no labels.

    ```python
    evaluator = ClassificationPrecisionEvaluator()
    evaluator.run(ground_truths=["cat", "dog"], predictions=["cat", "cat"])["score"]  # 0.25
    ```
    """

    def __init__(
        self,
        average: str = "macro",
        zero_division: float | None = 0.0,
        name: str = "precision",
        *,
        report: Sequence[str] | None = None,
        positive: str | int | bool | None = None,
        labels: Sequence[str | int | bool] | None = None,
    ) -> None:
        check_options(average, zero_division, report)
        self.average = average
        self.zero_division = zero_division
        self.name = name
        self.positive = positive
        self.labels = None if labels is None else list(labels)
        self.report = None if report is None else list(report)

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, ground_truths: list[Any], predictions: list[Any]) -> dict[str, Any]:
        """Compare the decisions with the true labels.

        Args:
            ground_truths: per item the true label: a text, a whole number, a `Label(key, value)`, or one
                per key as a list of labels or a dict key -> value. None leaves the item out.
            predictions: per item the predicted label in the same ways, or scores: a dict label -> score or
                key -> dict of value -> score, all labels or only the best; or a `LabelScores` matrix.

        Returns:
            `score`: the headline average; `individual_scores`: NaN, since one item has none; `result`
            with the measures and the table `by_label`.
        """
        return evaluate(self, "precision", ground_truths, predictions)
