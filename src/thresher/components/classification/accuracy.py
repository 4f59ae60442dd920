"""How many decisions are right."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from haystack import component

from thresher.kernels.classification.decisions import (
    Accuracy,
    ConfusionExamples,
    ConfusionMatrix,
    KeyTable,
    LabelTable,
)
from thresher.metrics.classification.items import ClassifiedItems, pick
from thresher.metrics.classification.scored import READING, Scored
from thresher.metrics.items import outputs, settings
from thresher.metrics.options import checked_options
from thresher.results import Breakdown, Measure, MetricResult, Signature, Statistics
from thresher.results.labels import sums_by_code
from thresher.results.reductions import divide


@component
@checked_options
class AccuracyEvaluator:
    """Share of the decisions that are right.

    Each item has one decision per label key: the predicted label, or the one with the highest score (the
    first of equals). An item without a true label is left out. A prediction that is empty, or has nothing
    for a key, is wrong; a prediction of None leaves its item out as missing.

    Formula: right decisions / true labels, over all items and keys.
    Source: scikit-learn's `accuracy_score`; Valor's accuracy within each key is in the table `by_key`.

    Args:
        name: name of the measure in reports.
        confusion: whether the breakdowns hold the confusion matrix, and an item for each of its cells. Its
            diagonal is the accuracy, so a report needs no further metric for it.
        positive: of two labels, the one that single scores are the probability of; 1, true or yes without.
        labels: of a matrix of scores, the label of each column; 0, 1, ... or a usual pair without.

    Raises:
        InputError: from `run`, for lists of unequal length or entries that are no labels.

    ```python
    predictions = ["cat", {"cat": 0.6, "dog": 0.4}]
    AccuracyEvaluator().run(ground_truths=["cat", "dog"], predictions=predictions)["score"]  # 0.5
    ```
    """

    def __init__(
        self,
        name: str = "accuracy",
        *,
        confusion: bool = False,
        positive: str | int | bool | None = None,
        labels: Sequence[str | int | bool] | None = None,
    ) -> None:
        self.name = name
        self.positive = positive
        self.labels = None if labels is None else list(labels)
        self.confusion = confusion

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, ground_truths: list[Any], predictions: list[Any]) -> dict[str, Any]:
        """Compare the decisions with the true labels.

        Args:
            ground_truths: per item the true label: a text, a whole number, a `Label(key, value)`, or one
                per key as a list of labels or a dict key -> value. None leaves the item out.
            predictions: per item the predicted label in the same ways, or scores: a dict label -> score or
                key -> dict of value -> score, all labels or only the best; or a `LabelScores` matrix.

        Returns:
            `score`: the accuracy; `individual_scores`: share of an item's decisions that are right; `result`
            with the tables `by_key` and `by_label`, and with `confusion_matrix` and `confusion_examples` if
            they are asked for.
        """
        found = ClassifiedItems.read(ground_truths, predictions, Scored.of(self))
        right = (found.truths["truth"] == found.truths["predicted"]).astype(np.float64)
        scores = divide(
            sums_by_code(found.truths.owners, right, found.truths.size),
            found.truths.lengths.astype(np.float64),
        )
        measure = Measure(Signature.of(self.name, settings(self, *READING, "confusion")), Accuracy())
        decisions = pick(found.truths, "truth", "predicted")
        coded = {"decisions.truth", "decisions.predicted"}
        statistics = Statistics({"score": scores}, {"decisions": decisions}, found.labels, coded)
        status = found.items.status, found.items.reasons
        shown: list[Breakdown] = [KeyTable(), LabelTable()]
        shown += [ConfusionMatrix(), ConfusionExamples()] if self.confusion else []
        return outputs(MetricResult([measure], statistics, *status, breakdowns=shown))
