"""How well scores separate a label from the rest."""

from collections.abc import Sequence
from typing import Any

from haystack import component

from thresher.errors import InputError
from thresher.kernels.classification.roc_auc import RocAuc, RocAucTable
from thresher.metrics.classification.items import ClassifiedItems, pick
from thresher.metrics.classification.scored import READING, Scored
from thresher.metrics.items import outputs, settings
from thresher.metrics.options import checked_options
from thresher.results import Measure, MetricResult, Signature


@component
@checked_options
class RocAucEvaluator:
    """Area under the receiver operating characteristic: each label against the rest, then the mean.

    The area is exact: the chance that an item with the label scores higher than one without, a tie counting
    half. A label that no item has, or that every item has, has no area: it is left out of the mean, and the
    table `by_label` says why. Items without a true label of the key are left out.

    Formula: (sum of the positives' mid-ranks - P (P + 1) / 2) / (P N)
    Source: Hanley and McNeil 1982; equals scikit-learn's `roc_auc_score` label by label. Valor's releases
        leave out area where scores tie, so their numbers are lower.

    Args:
        missing_score: the score of a label that an item's prediction does not list (top-k predictions).
        name: name of the measure in reports.
        positive: of two labels, the one that single scores are the probability of; 1, true or yes without.
        labels: of a matrix of scores, the label of each column; 0, 1, ... or a usual pair without.

    Raises:
        InputError: if `missing_score` is no number, and from `run` for lists of unequal length, entries
            that are no labels, and scores that are not finite.

    ```python
    predictions = [{"cat": 0.9, "dog": 0.1}, {"cat": 0.2, "dog": 0.8}]
    RocAucEvaluator().run(ground_truths=["cat", "dog"], predictions=predictions)["score"]  # 1.0
    ```
    """

    def __init__(
        self,
        missing_score: float = 0.0,
        name: str = "roc_auc",
        *,
        positive: str | int | bool | None = None,
        labels: Sequence[str | int | bool] | None = None,
    ) -> None:
        if isinstance(missing_score, bool) or not isinstance(missing_score, int | float):
            raise InputError(f"missing_score={missing_score!r} must be a number")
        self.missing_score = missing_score
        self.name = name
        self.positive = positive
        self.labels = None if labels is None else list(labels)

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, ground_truths: list[Any], predictions: list[Any]) -> dict[str, Any]:
        """Rank the items by the score of each label.

        Args:
            ground_truths: per item the true label: a text, a whole number, a `Label(key, value)`, or one
                per key as a list of labels or a dict key -> value. None leaves the item out.
            predictions: per item a dict label -> score, or key -> dict of value -> score, all labels or
                only the best; or a `LabelScores` matrix. A label without scores leaves its item out.
                Scores may be any finite numbers.

        Returns:
            `score`: mean over the labels that have an area; `individual_scores`: NaN, since one item has
            none; `result` with the table `by_label`.
        """
        found = ClassifiedItems.read(ground_truths, predictions, Scored.of(self))
        found.check_scores("ROC AUC", bounded=False)
        reduction = RocAuc(float(self.missing_score))
        measure = Measure(Signature.of(self.name, settings(self, *READING)), reduction, item_score=None)
        tables = [RocAucTable(missing_score=float(self.missing_score))]
        truths = pick(found.truths, label="truth")
        return outputs(found.result([measure], tables, truths=truths, scores=found.scores))
