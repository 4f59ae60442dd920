"""Which labels are taken for which."""

from collections.abc import Sequence
from typing import Any

from haystack import component

from thresher.kernels.classification.decisions import (
    ConfusionExamples,
    ConfusionMatrix,
    DiagonalShare,
    LabelTable,
)
from thresher.metrics.classification.items import ClassifiedItems, pick
from thresher.metrics.classification.scored import READING, Scored
from thresher.metrics.items import outputs, settings
from thresher.metrics.options import check_count, checked_options
from thresher.results import Measure, MetricResult, Signature


@component
@checked_options
class ConfusionMatrixEvaluator:
    """How often each true label met each decision, with examples.

    Each item has one decision per label key: the predicted label, or the one with the highest score (the
    first of equals). A true label without a decision stands in the cell whose prediction is None.

    Formula: count of decisions per (true label, decided label); the headline is the share on the diagonal.
    Source: scikit-learn's `confusion_matrix`, rows are the truth; Valor's `ConfusionMatrix`.

    Args:
        max_examples: how many items each cell names, the first ones in the order of the items.
        name: name of the measure in reports: the share of decisions on the diagonal.
        positive: of two labels, the one that single scores are the probability of; 1, true or yes without.
        labels: of a matrix of scores, the label of each column; 0, 1, ... or a usual pair without.

    Raises:
        InputError: for a negative `max_examples`, and from `run` for lists of unequal length or entries
            that are no labels.

    ```python
    evaluator = ConfusionMatrixEvaluator()
    result = evaluator.run(ground_truths=["cat", "dog"], predictions=["cat", "cat"])["result"]
    result.detail("confusion_matrix").columns["count"]  # [1.0, 1.0]
    ```
    """

    def __init__(
        self,
        max_examples: int = 1,
        name: str = "confusion_matrix",
        *,
        positive: str | int | bool | None = None,
        labels: Sequence[str | int | bool] | None = None,
    ) -> None:
        check_count("max_examples", max_examples)
        self.max_examples = max_examples
        self.name = name
        self.positive = positive
        self.labels = None if labels is None else list(labels)

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, ground_truths: list[Any], predictions: list[Any]) -> dict[str, Any]:
        """Compare the decisions with the true labels.

        Args:
            ground_truths: per item the true label: a text, a whole number, a `Label(key, value)`, or one
                per key as a list of labels or a dict key -> value. None leaves the item out.
            predictions: per item the predicted label in the same ways, or scores: a dict label -> score or
                key -> dict of value -> score, all labels or only the best; or a `LabelScores` matrix.

        Returns:
            `score`: share of decisions on the diagonal; `individual_scores`: NaN, since one item has
            none; `result` with `confusion_matrix`, `confusion_examples` and the table `by_label`.
        """
        found = ClassifiedItems.read(ground_truths, predictions, Scored.of(self))
        measure = Measure(
            Signature.of(self.name, settings(self, *READING, "max_examples")),
            DiagonalShare(),
            item_score=None,
        )
        shown = [ConfusionMatrix(), ConfusionExamples(max_examples=self.max_examples), LabelTable()]
        decisions = pick(found.truths, "truth", "predicted")
        return outputs(found.result([measure], shown, decisions=decisions))
