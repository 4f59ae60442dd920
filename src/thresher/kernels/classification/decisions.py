"""Hard decisions: accuracy, precision, recall, F1 and the confusion matrix.

The statistics are a ragged column `decisions` with one entry per item and label key: `truth` and
`predicted`, both codes of labels, `predicted` -1 without a prediction for that key. Detections use
the confusion matrix too, with a `truth` of -1 for predictions without a true object; pixels as well, with a
`count` per entry.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.label_counts import LabelCounts, group_counts, label_counts
from thresher.results import Breakdown, Detail, Label, Reduction, Statistics
from thresher.results.labels import sums_by_code
from thresher.results.reductions import GroupedReduction, divide

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[Any]


@dataclass(frozen=True)
class LabelAverage(GroupedReduction):
    """Precision, recall or F1, averaged over labels as scikit-learn defines it.

    Attributes:
        quantity: `precision`, `recall` or `f1`.
        average: `macro`, `micro` or `weighted`.
        zero_division: value of a label whose quantity is 0/0; None leaves it out of the mean.
    """

    kind: ClassVar[str] = "label_average"
    quantity: str
    average: str
    zero_division: float | None = 0.0

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The average over the labels present under `weights`."""
        return label_counts(statistics, weights).average(self.quantity, self.average, self._zero)

    def label_names(self, statistics: Statistics) -> Sequence[Label] | None:
        """All labels; None for averages that are not plain means over labels."""
        return statistics.labels if self.average == "macro" else None

    def by_label(self, statistics: Statistics, weights: Floats) -> tuple[Floats, Floats] | None:
        """The quantity of each label that occurs, and its number of true items; None as for the names."""
        if self.average != "macro":
            return None
        rows = [self._by_label(label_counts(statistics, row)) for row in weights]
        return np.stack([values for values, _ in rows]), np.stack([true for _, true in rows])

    def group_sums(self, statistics: Statistics, group: Codes, groups: int) -> Floats:
        """The counts of each label."""
        return group_counts(statistics, group, groups)

    def of_sums(self, statistics: Statistics, sums: Floats) -> float:  # noqa: ARG002
        """The average from the counts."""
        return LabelCounts(*sums).average(self.quantity, self.average, self._zero)

    def labels_of_sums(self, statistics: Statistics, sums: Floats) -> tuple[Floats, Floats] | None:  # noqa: ARG002
        """The quantity of each label from the counts."""
        return self._by_label(LabelCounts(*sums)) if self.average == "macro" else None

    def _by_label(self, counts: LabelCounts) -> tuple[Floats, Floats]:
        values = counts.quantity(self.quantity, self._zero)
        return np.where(counts.present, values, np.nan), counts.true

    @property
    def _zero(self) -> float:
        return np.nan if self.zero_division is None else self.zero_division


@dataclass(frozen=True)
class Accuracy(GroupedReduction):
    """Share of decisions that are right; a missing decision is wrong."""

    kind: ClassVar[str] = "accuracy"

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """Right decisions over all truths."""
        counts = label_counts(statistics, weights)
        return float(divide(counts.right.sum(), counts.true.sum()))

    def group_sums(self, statistics: Statistics, group: Codes, groups: int) -> Floats:
        """The counts of each label."""
        return group_counts(statistics, group, groups)

    def of_sums(self, statistics: Statistics, sums: Floats) -> float:  # noqa: ARG002
        """Right decisions over all truths."""
        right, _, true = sums
        return float(divide(right.sum(), true.sum()))


@dataclass(frozen=True)
class DiagonalShare(Reduction):
    """Share of the decisions whose truth and prediction agree."""

    kind: ClassVar[str] = "diagonal_share"

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """Agreeing decisions over all; NaN without any."""
        if _is_whole(weights):
            return float(self.many(statistics, weights[None])[0])
        decisions = statistics.ragged["decisions"]
        per_decision = decisions.per_entry(weights)
        agreed = per_decision @ (decisions["truth"] == decisions["predicted"])
        return float(divide(np.asarray(agreed, dtype=np.float64), per_decision.sum()))

    def many(self, statistics: Statistics, weights: Floats) -> Floats:
        """The share for each row of weights, from counts per item where sums are exact in any order."""
        if not _is_whole(weights):
            return super().many(statistics, weights)
        decisions = statistics.ragged["decisions"]
        agreed = decisions.owners[decisions["truth"] == decisions["predicted"]]
        per_item = np.bincount(agreed, minlength=decisions.size), decisions.lengths
        # Not a product of matrices: BLAS would start threads, whose waiting takes longer than these sums.
        return divide(*(np.einsum("ri,i->r", weights, counts.astype(np.float64)) for counts in per_item))


def _is_whole(weights: Floats) -> bool:
    return bool((weights == np.floor(weights)).all())


@dataclass(frozen=True)
class LabelTable(Breakdown):
    """Precision, recall, F1 and counts of each label that occurs as truth or decision."""

    kind: ClassVar[str] = "label_table"
    name: str = "by_label"

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label; 0/0 is NaN here, even if means count it as another value."""
        counts = label_counts(statistics, weights)
        rows = np.flatnonzero(counts.present)
        labels = [statistics.labels[code] for code in rows]
        columns: dict[str, list[Any]] = {
            "key": [label.key for label in labels],
            "label": [label.value for label in labels],
        }
        for quantity in ("precision", "recall", "f1"):
            columns[quantity] = counts.quantity(quantity)[rows].tolist()
        columns["true_positives"] = counts.right[rows].tolist()
        columns["predicted"] = counts.predicted[rows].tolist()
        columns["true"] = counts.true[rows].tolist()
        return Detail(self.name, "table", ("key", "label"), columns)


@dataclass(frozen=True)
class KeyTable(Breakdown):
    """Accuracy within each label key."""

    kind: ClassVar[str] = "key_accuracy"
    name: str = "by_key"

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label key."""
        counts = label_counts(statistics, weights)
        keys = np.array([label.key for label in statistics.labels], dtype=object)
        present = sorted({key for key, true in zip(keys, counts.true, strict=True) if true > 0})
        totals = [counts.true[keys == key].sum() for key in present]
        right = [counts.right[keys == key].sum() for key in present]
        accuracy = divide(np.array(right), np.array(totals)).tolist()
        columns = {"key": present, "accuracy": accuracy, "decisions": [float(total) for total in totals]}
        return Detail(self.name, "table", ("key",), columns)


@dataclass(frozen=True)
class ConfusionMatrix(Breakdown):
    """Count of each pair of truth and decision; the decision None is a missing one."""

    kind: ClassVar[str] = "confusion_matrix"
    name: str = "confusion_matrix"

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per (truth, prediction) that occurs, in the order of the labels."""
        cells, _, count = _cells(statistics)
        decisions = statistics.ragged["decisions"]
        counts = decisions.per_entry(weights)
        counts = counts * decisions["count"] if "count" in decisions else counts
        sums = sums_by_code(cells, counts, count)
        filled = np.flatnonzero(sums)
        columns = {**_names(statistics, filled), "count": sums[filled].tolist()}
        return Detail(self.name, "confusion", ("truth", "predicted"), columns)


@dataclass(frozen=True)
class ConfusionExamples(Breakdown):
    """The first items of each cell of the confusion matrix."""

    kind: ClassVar[str] = "confusion_examples"
    name: str = "confusion_examples"
    max_examples: int = 1

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per example: the cell and the item."""
        cells, owners, _ = _cells(statistics)
        counted = np.flatnonzero(weights[owners] > 0)
        order = counted[np.argsort(cells[counted], kind="stable")]
        starts = np.flatnonzero(np.diff(cells[order], prepend=-1))
        rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
        chosen = order[rank < self.max_examples]
        columns = {**_names(statistics, cells[chosen]), "item": owners[chosen].tolist()}
        return Detail(self.name, "examples", ("truth", "predicted"), columns)


def _cells(statistics: Statistics) -> tuple[Codes, Codes, int]:
    """The confusion cell and the item of each decision, and the number of cells."""
    decisions = statistics.ragged["decisions"]
    width = len(statistics.labels) + 1
    cells = (decisions["truth"].astype(np.int64) + 1) * width + decisions["predicted"] + 1
    return cells, decisions.owners, width * width


def _names(statistics: Statistics, cells: Codes) -> dict[str, list[Any]]:
    """Truth and prediction of each cell."""
    names: list[str | None] = [None, *(label.value for label in statistics.labels)]
    truth, predicted = np.divmod(cells, len(names))
    known = np.where(truth > 0, truth, predicted) - 1
    return {
        "key": [statistics.labels[code].key for code in known],
        "truth": [names[code] for code in truth],
        "predicted": [names[code] for code in predicted],
    }
