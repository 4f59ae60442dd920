"""Measures of label sets: Hamming loss, and averages over items.

The statistics are columns per item: `right`, the number of labels that are both true and predicted, `true`
and `predicted`, the numbers of true and of predicted ones.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.decisions import LabelAverage
from thresher.results import Ragged, Statistics
from thresher.results.labels import sums_by_code
from thresher.results.reductions import SumReduction, divide

Floats = npt.NDArray[np.float64]


def set_counts(decisions: Ragged) -> dict[str, Floats]:
    """Count the true, predicted and right labels of each item.

    >>> pairs = Ragged([2], {"truth": [0, 1], "predicted": [0, -1]})
    >>> {name: counts.tolist() for name, counts in set_counts(pairs).items()}
    {'right': [1.0], 'predicted': [1.0], 'true': [2.0]}
    """
    true, predicted = decisions["truth"] >= 0, decisions["predicted"] >= 0
    owners, size = decisions.owners, decisions.size
    masks = {"right": true & predicted, "predicted": predicted, "true": true}
    return {name: sums_by_code(owners, mask.astype(np.float64), size) for name, mask in masks.items()}


@dataclass(frozen=True)
class HammingLoss(SumReduction):
    """Share of all pairs of item and label that are decided wrong."""

    kind: ClassVar[str] = "hamming_loss"

    def terms(self, statistics: Statistics) -> Floats:
        """Wrong decisions, and decisions, of each item."""
        wrong = statistics["predicted"] + statistics["true"] - 2 * statistics["right"]
        return np.stack([wrong, np.full(statistics.size, float(len(statistics.labels)))], axis=1)

    def of_sums(self, sums: Floats) -> Floats:
        """Wrong decisions over all."""
        return divide(sums[..., 0], sums[..., 1])


@dataclass(frozen=True)
class LabelSetAverage(LabelAverage):
    """Precision, recall or F1 of labels of sets, averaged over labels.

    A kind of its own, since Valor's metrics of that name are of items with one label.
    """

    kind: ClassVar[str] = "label_set_average"


@dataclass(frozen=True)
class ItemAverage(SumReduction):
    """The mean over items of the precision, recall or F1 of an item's labels.

    Attributes:
        quantity: `precision`, `recall` or `f1`.
        zero_division: value of an item whose quantity is 0/0; None leaves it out of the mean.
    """

    kind: ClassVar[str] = "item_average"
    size_term: ClassVar[int | None] = 1
    quantity: str
    zero_division: float | None = 0.0

    def terms(self, statistics: Statistics) -> Floats:
        """The quantity, and whether it counts, of each item."""
        right, predicted, true = (statistics[name] for name in ("right", "predicted", "true"))
        values = {
            "precision": divide(right, predicted),
            "recall": divide(right, true),
            "f1": divide(2 * right, predicted + true),
        }[self.quantity]
        if self.zero_division is not None:
            values = np.where(np.isnan(values), self.zero_division, values)
        return np.stack([np.nan_to_num(values), (~np.isnan(values)).astype(np.float64)], axis=1)

    def of_sums(self, sums: Floats) -> Floats:
        """The mean."""
        return divide(sums[..., 0], sums[..., 1])
