"""Precision-recall curves over score thresholds, one binary problem per label (Valor).

Scores are stored as steps: the number of thresholds that a score reaches. The statistics are ragged columns:
`scores` with `label`, `step` and `truth` (the item's true label of that key, -1 for none) for each score
that reaches the lowest threshold, and `truths` with `label`, `own` (the step of the label's own score) and
`other` (the highest step of another label of the same key).
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.results import Breakdown, Detail, Statistics
from thresher.results.labels import Codes, sums_by_code
from thresher.results.reductions import GroupedReduction, divide

Floats = npt.NDArray[np.float64]
THRESHOLDS = tuple(step / 100 for step in range(5, 100, 5))
"""0.05, 0.10, ... 0.95."""


def steps_of(scores: npt.NDArray[Any], thresholds: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """The number of (rising) thresholds that each score reaches, compared in the precision of the scores.

    >>> steps_of(np.array([0.04, 0.05, 0.2]), [0.05, 0.1]).tolist()
    [0, 1, 2]
    """
    rising = np.asarray(thresholds).astype(scores.dtype)
    return np.searchsorted(rising, scores, "right").astype(np.uint8)


@dataclass(frozen=True)
class CurveCounts:
    """Weighted counts per label (rows) and threshold (columns), for all labels."""

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats

    @classmethod
    def of(cls, statistics: Statistics, weights: Floats, steps: int, unlabelled: str) -> "CurveCounts":
        """Count the scores that reach each threshold."""
        scores, truths = statistics.ragged["scores"], statistics.ragged["truths"]
        labels = len(statistics.labels)
        per_score = scores.per_entry(weights)
        right = scores["label"] == scores["truth"]
        tp = reaching(scores["label"], scores["step"], per_score * right, (labels, steps))
        fp = reaching(scores["label"], scores["step"], per_score * ~right, (labels, steps))
        true = sums_by_code(truths["label"], truths.per_entry(weights), labels)[:, None]
        every = _items_of_key(statistics, weights, unlabelled)[:, None]
        return cls(tp, fp, true - tp, every - true - fp)

    @property
    def precision(self) -> Floats:
        """Share of the scores reaching the threshold that are right; NaN if no score reaches it."""
        return divide(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Floats:
        """Share of the items with the label whose score reaches the threshold; NaN without such items."""
        return divide(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> Floats:
        """2 tp / (2 tp + fp + fn); NaN if all three are 0."""
        return divide(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def accuracy(self) -> Floats:
        """(tp + tn) / all items."""
        return divide(self.tp + self.tn, self.tp + self.fp + self.fn + self.tn)


def reaching(
    labels: npt.NDArray[Any], steps: npt.NDArray[Any], weights: Floats, shape: tuple[int, int]
) -> Floats:
    """Weight of the entries that reach each threshold (labels x thresholds)."""
    cells = labels.astype(np.int64) * (shape[1] + 1) + steps
    sums = sums_by_code(cells, weights, shape[0] * (shape[1] + 1)).reshape(shape[0], shape[1] + 1)
    return np.asarray(sums[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:], dtype=np.float64)


@dataclass(frozen=True)
class BestF1(GroupedReduction):
    """The highest F1 over the thresholds; F1 is the mean over labels that occur as truth."""

    kind: ClassVar[str] = "curve_best_f1"
    thresholds: tuple[float, ...] = THRESHOLDS
    unlabelled: str = "ignore"

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The highest mean, with one threshold for all labels."""
        return self._highest(CurveCounts.of(statistics, weights, len(self.thresholds), self.unlabelled))

    def group_sums(self, statistics: Statistics, group: Codes, groups: int) -> Floats:
        """True labels, and right and wrong scores that reach each threshold (groups x labels x counts)."""
        scores, truths = statistics.ragged["scores"], statistics.ragged["truths"]
        labels, steps = len(statistics.labels), len(self.thresholds)
        mine, right = scores.per_entry(group) * labels + scores["label"], scores["label"] == scores["truth"]
        ones = np.ones(scores.entries)
        reached = [
            reaching(mine[rows], scores["step"][rows], ones[rows], (groups * labels, steps))
            for rows in (right, ~right)
        ]
        true = np.bincount(truths.per_entry(group) * labels + truths["label"], minlength=groups * labels)
        return np.column_stack([true, *reached]).reshape(groups, labels, -1)

    def of_sums(self, statistics: Statistics, sums: Floats) -> float:  # noqa: ARG002
        """The highest mean from the counts."""
        true = sums[:, :1]
        tp, fp = np.split(sums[:, 1:], 2, axis=1)
        return self._highest(CurveCounts(tp, fp, true - tp, fp))

    def _highest(self, counts: CurveCounts) -> float:
        present = (counts.tp + counts.fn)[:, 0] > 0
        return float(counts.f1[present].mean(axis=0).max()) if present.any() else float("nan")


@dataclass(frozen=True)
class PrecisionRecallCurve(Breakdown):
    """Counts, precision, recall, F1 and accuracy of every label at every threshold.

    Attributes:
        name: name of the breakdown.
        thresholds: the thresholds of the statistics.
        unlabelled: the component's option.
        shown: the columns; without `tn` and `accuracy` if there can be no true negatives.
    """

    kind: ClassVar[str] = "precision_recall_curve"
    name: str = "curve"
    thresholds: tuple[float, ...] = THRESHOLDS
    unlabelled: str = "ignore"
    shown: tuple[str, ...] = ("tp", "fp", "tn", "fn", "precision", "recall", "f1", "accuracy")

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label and threshold."""
        counts = CurveCounts.of(statistics, weights, len(self.thresholds), self.unlabelled)
        columns = curve_keys(statistics, self.thresholds)
        for name in self.shown:
            columns[name] = getattr(counts, name).ravel().tolist()
        return Detail(self.name, "curve", ("key", "label", "threshold"), columns)


def curve_keys(statistics: Statistics, thresholds: tuple[float, ...]) -> dict[str, list[Any]]:
    """The key columns of a curve: every label with every threshold."""
    labels = [label for label in statistics.labels for _ in thresholds]
    return {
        "key": [label.key for label in labels],
        "label": [label.value for label in labels],
        "threshold": list(thresholds) * len(statistics.labels),
    }


def _items_of_key(statistics: Statistics, weights: Floats, unlabelled: str) -> Floats:
    """Weight of the items that count for each label's key."""
    if unlabelled == "negative":
        return np.full(len(statistics.labels), weights.sum())
    truths = statistics.ragged["truths"]
    names = sorted({label.key for label in statistics.labels})
    keys = np.array([names.index(label.key) for label in statistics.labels], dtype=np.int64)
    return sums_by_code(keys[truths["label"]], truths.per_entry(weights), len(names))[keys]
