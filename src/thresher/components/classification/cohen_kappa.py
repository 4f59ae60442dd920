"""Cohen's kappa of decisions and true labels, also for ordinal labels."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from thresher.errors import InputError
from thresher.kernels.classification.agreement import CohenKappa, Distance, position
from thresher.kernels.classification.decisions import LabelTable
from thresher.kernels.classification.two_labels import label_text
from thresher.metrics import (
    ClassifiedItems,
    LabelMetric,
    Measure,
    PredictedLabels,
    Signature,
    Status,
    TrueLabels,
    distinct,
    metric,
    outputs,
    pick_columns,
)
from thresher.surface import metric_option


@metric
class ClassificationCohenKappaEvaluator(LabelMetric):
    """Cohen's kappa: agreement of decisions and true labels beyond what chance gives.

    1 if all decisions are right, 0 for as much agreement as independent decisions with the same frequencies
    have. For ordinal labels (grades, ratings), `distance="quadratic"` or `"linear"` makes near misses cost
    less. Several label keys are averaged.

    Formula: 1 - sum d_ij O_ij / sum d_ij E_ij, with the observed counts O, E_ij = t_i p_j / n from the
        frequencies t of true labels and p of decisions, and d_ij = 1 for different labels, |x_i - x_j| or
        (x_i - x_j)^2 for positions x. Undefined (0/0) if all truths and decisions are one label
    Source: Cohen 1960 and 1968; scikit-learn's `cohen_kappa_score` (its `weights` are `distance` here), with
        `labels=` all values of the scale.
    Differs: whole numbers are their own positions here, so that 1 and 4 are 3 apart although no item has 2
        or 3; scikit-learn takes places among the labels that occur.

    Args:
        distance: cost of a wrong decision: `equal` for all, or `linear` or `quadratic` in the distance.
        order: the labels from lowest to highest, for a `distance` between labels that are not whole numbers.

    Raises:
        InputError: for a `distance` between labels without an order.

    ```python
    evaluator = ClassificationCohenKappaEvaluator(distance="quadratic")
    evaluator.run(ground_truths=[1, 2, 3, 4], predictions=[1, 2, 4, 4])["score"]  # 0.909
    ```
    """

    distance: Distance = "equal"
    order: Annotated[Sequence[str | int], distinct] | None = None
    name: str = "classification_cohen_kappa"

    def __post_init__(self) -> None:
        if self.order is not None and self.distance == "equal":
            raise InputError("order needs distance='linear' or distance='quadratic'")

    def run(self, ground_truths: TrueLabels, predictions: PredictedLabels) -> dict[str, Any]:
        """Compare the decisions with the true labels.

        Returns:
            `score`: kappa; `individual_scores`: NaN, since one item has none; `result` with the table
            `by_label`. With a `distance`, an item without a decision is left out: it has no position.
        """
        classified = self._read(ground_truths, predictions)
        order = None if self.order is None else tuple(label_text(label) for label in self.order)
        if self.distance != "equal":
            _check_positions(classified, order)
        reduction = CohenKappa(self.distance, order)
        signature = Signature.of(self.name, self._settings())
        measure = Measure(signature, reduction, item_score=None, bounds=(-1.0, 1.0))
        decisions = pick_columns(classified.truths, "truth", "predicted")
        return outputs(classified.result([measure], [LabelTable()], decisions=decisions))


def _check_positions(classified: ClassifiedItems, order: Sequence[str] | None) -> None:
    """Leave out items without a decision, and raise for a label without a position."""
    truths = classified.truths
    for item in np.unique(truths.owners[truths["predicted"] < 0]).tolist():
        classified.items.leave_out(item, Status.UNDEFINED, "no decision, so no distance from the truth")
    placed = np.array([position(label, order) is not None for label in classified.labels] + [True])
    for side, socket in (("truth", "ground_truths"), ("predicted", "predictions")):
        lost = np.flatnonzero(~placed[truths[side]])
        if not lost.size:
            continue
        label, item = classified.labels[truths[side][lost[0]]], truths.owners[lost[0]]
        if order is None:
            raise InputError(
                f"{socket}[{item}] is {str(label)!r}, which is not a whole number, so its distance from "
                "other labels is unknown; list the labels from lowest to highest with "
                f"{metric_option('order=[...]')}"
            )
        raise InputError(f"{socket}[{item}] is {str(label)!r}, which order={list(order)} lacks; add it")
