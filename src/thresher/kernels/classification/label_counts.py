"""Counts of decisions per label, from which precision, recall and F1 follow."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.results import Statistics
from thresher.results.labels import sums_by_code
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[Any]


@dataclass(frozen=True)
class LabelCounts:
    """Weighted counts per label: decisions for it that are right, decisions for it, and its truths.

    >>> counts = LabelCounts.of(np.array([0, 0, 1]), np.array([0, 1, -1]), np.ones(3), 2)
    >>> counts.right.tolist(), counts.predicted.tolist(), counts.true.tolist()
    ([1.0, 0.0], [1.0, 1.0], [2.0, 1.0])
    """

    right: Floats
    predicted: Floats
    true: Floats

    @classmethod
    def of(cls, truth: Codes, predicted: Codes, weights: Floats, labels: int) -> "LabelCounts":
        """Count decisions; truth and prediction are codes below `labels`; -1 means "none"."""
        true, chosen = (codes.astype(np.int64) + 1 for codes in (truth, predicted))
        counts = (
            sums_by_code(true, weights * (truth == predicted), labels + 1),
            sums_by_code(chosen, weights, labels + 1),
            sums_by_code(true, weights, labels + 1),
        )
        return cls(*(by_code[1:] for by_code in counts))

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """Labels that occur as truth or decision."""
        return np.asarray((self.true > 0) | (self.predicted > 0))

    def quantity(self, name: str, zero_division: float = np.nan) -> Floats:
        """Precision, recall or F1 per label; `zero_division` for 0/0."""
        above, below = self._quotient(name)
        values = divide(above, below)
        return np.where(np.isnan(values), zero_division, values)

    def average(self, name: str, average: str, zero_division: float) -> float:
        """One number over the labels that are present; NaN without any.

        `macro` is the plain mean over labels, `weighted` the mean weighted by the number of truths, `micro`
        the quotient of the sums. If `zero_division` is NaN, labels with 0/0 are left out of both means.
        """
        if average == "micro":
            above, below = self._quotient(name)
            return float(divide(above.sum(), below.sum()))
        values = self.quantity(name, zero_division)
        shares = self.true if average == "weighted" else self.present.astype(np.float64)
        shares = np.where(np.isnan(values), 0.0, shares)
        return float(divide((shares * np.nan_to_num(values)).sum(), shares.sum()))

    def _quotient(self, name: str) -> tuple[Floats, Floats]:
        if name == "precision":
            return self.right, self.predicted
        if name == "recall":
            return self.right, self.true
        return 2 * self.right, self.predicted + self.true


def label_counts(statistics: Statistics, weights: Floats) -> LabelCounts:
    """Counts of the statistics' decisions under weights per item; those of all items once are cached."""
    if (weights == 1).all():  # precision, recall, F1 and their tables ask for them
        counts: LabelCounts = statistics.total("label counts", lambda: _counted(statistics, weights))
        return counts
    return _counted(statistics, weights)


def _counted(statistics: Statistics, weights: Floats) -> LabelCounts:
    decisions, labels = statistics.ragged["decisions"], len(statistics.labels)
    return LabelCounts.of(decisions["truth"], decisions["predicted"], decisions.per_entry(weights), labels)


def group_counts(statistics: Statistics, group: Codes, groups: int) -> Floats:
    """The counts of the decisions of each group of items (groups x fields of `LabelCounts` x labels)."""
    decisions, labels = statistics.ragged["decisions"], len(statistics.labels)
    first = decisions.per_entry(group) * (labels + 1)  # of the group; -1 without a label
    truth, predicted = decisions["truth"], decisions["predicted"]
    right = truth == predicted
    cells = (first + truth)[right], first + predicted, first + truth
    counts = [np.bincount(cell + 1, minlength=groups * (labels + 1)) for cell in cells]
    table = np.stack(counts).reshape(3, groups, labels + 1)[..., 1:]
    return table.swapaxes(0, 1).astype(np.float64)
