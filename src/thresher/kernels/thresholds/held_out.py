"""The value of a threshold on items that it was not chosen on.

Each decision gets the share of the divisions in which the threshold, chosen on other items, keeps it. These
shares are statistics per item, so that intervals, slices and comparisons work as for any other metric.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import BestF, LeastCost, PrecisionAtRecall, RecallAtPrecision, Youden
from thresher.kernels.inference.objectives import Objective
from thresher.kernels.thresholds.best_threshold import Average, chosen_threshold
from thresher.kernels.thresholds.choice import best_of_labels
from thresher.kernels.thresholds.decisions import RankedDecisions, ranked_decisions
from thresher.results import Reduction, Statistics
from thresher.results.labels import key_codes, sums_by_code, sums_by_key
from thresher.results.reductions import divide
from thresher.results.registry import LATER

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Quantity = Literal["f", "precision", "recall", "youden", "cost"]
QUANTITIES: dict[type[Objective], Quantity] = {
    BestF: "f",
    RecallAtPrecision: "recall",
    PrecisionAtRecall: "precision",
    Youden: "youden",
    LeastCost: "cost",
}
"""Objective of a search -> what is reported of it."""


@dataclass(frozen=True)
class HeldOut(Reduction):
    """F, precision, recall, Youden's index or cost of what thresholds chosen on other items keep.

    Attributes:
        quantity: what is computed.
        beta: weight of recall relative to precision in F.
        pooled: whether the counts of all labels are added up; otherwise the mean over labels with true ones.
        label: position of the only label that counts; None for all.
        costs: of a false positive, a false negative, a true positive and a true negative.
    """

    kind: ClassVar[str] = "held_out"
    quantity: Quantity = "f"
    beta: float = 1.0
    pooled: bool = True
    label: int | None = None
    costs: tuple[float, ...] = field(default=(), metadata=LATER)

    @property
    def lacks(self) -> str:
        """Something to divide by."""
        return "no true label or object, or nothing that is kept"

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The value; NaN for 0/0."""
        values, _ = self._values(statistics, weights)
        known = values[~np.isnan(values)]
        return float(known.mean()) if len(known) else float("nan")

    def by_label(self, statistics: Statistics, weights: Floats) -> tuple[Floats, Floats]:
        """The value of each label (or of all together) and its number of true labels or objects."""
        rows = [self._values(statistics, row) for row in weights]
        return np.array([values for values, _ in rows]), np.array([truths for _, truths in rows])

    def _values(self, statistics: Statistics, weights: Floats) -> tuple[Floats, Floats]:
        tp, kept, truths = _sums(statistics, weights, self.label)
        if self.pooled:
            tp, kept, truths = (np.array([sums.sum()]) for sums in (tp, kept, truths))
        if self.quantity == "precision":
            return divide(tp, kept), truths
        if self.quantity == "recall":
            return divide(tp, truths), truths
        if self.quantity in ("youden", "cost"):
            return self._of_negatives(statistics, weights, tp, kept - tp, truths), truths
        below = np.where(truths > 0, kept + self.beta**2 * truths, 0.0)
        return divide((1 + self.beta**2) * tp, below), truths

    def _of_negatives(
        self, statistics: Statistics, weights: Floats, tp: Floats, fp: Floats, truths: Floats
    ) -> Floats:
        """Youden's index, or the cost per item."""
        entries = statistics.ragged["truths"]
        every = sums_by_code(entries["label"], weights[entries.owners], len(statistics.labels))
        negatives = sums_by_key(key_codes(statistics.labels), every) - every
        negatives = negatives if self.label is None else negatives[self.label][None]
        if self.pooled:
            negatives = negatives.sum()[None]
        if self.quantity == "youden":
            return divide(tp, truths) - divide(fp, negatives)
        total = LeastCost(*self.costs).total(tp, fp, truths - tp, negatives - fp)
        return divide(total, np.full(len(total), weights.sum()))


def held_out_statistics(
    statistics: Statistics, objective: Objective, average: Average, parts: Iterable[tuple[Mask, Mask]]
) -> tuple[Statistics, Mask]:
    """Choose thresholds on one part and apply them to the other, for each division.

    Args:
        statistics: ranked decisions, see the module `decisions`.
        objective: what the thresholds are chosen for.
        average: whether there is one threshold, or one per label.
        parts: masks of the items to choose on, and of those to report on.

    Returns:
        Statistics for `HeldOut`, and the mask of the items that were reported on at least once.
    """
    ranked, decisions = ranked_decisions(statistics), statistics.ragged["decisions"]
    kept, times = np.zeros(decisions.entries), np.zeros(statistics.size)
    owners, labels, scores = decisions.owners, decisions["label"], decisions["score"]
    for chosen, reported in parts:
        limits = label_limits(ranked, objective, average, chosen.astype(np.float64))
        kept += (scores >= limits[labels]) & reported[owners]
        times += reported
    shares = divide(kept, times[owners])
    ragged = {**statistics.ragged, "decisions": decisions.with_columns({"kept": np.nan_to_num(shares)})}
    return Statistics({}, ragged, statistics.labels, statistics.coded), times > 0


def label_limits(ranked: RankedDecisions, objective: Objective, average: Average, weights: Floats) -> Floats:
    """The threshold of each label: its own, or the one of all labels.

    A label without a threshold, or without one that helps, gets that of all labels, as new labels do. One
    that reaches no floor keeps nothing.
    """
    common = chosen_threshold(ranked, objective, "micro" if average == "per_label" else average, weights)
    limits = np.full(ranked.size, np.inf if np.isnan(common) else common)
    if average != "per_label":
        return limits
    choices = best_of_labels(ranked, objective, weights)
    own = choices.tp > 0
    if not isinstance(objective, BestF):
        own = choices.truths > 0
    limits[own] = np.where(np.isnan(choices.thresholds), np.inf, choices.thresholds)[own]
    return limits


def _sums(statistics: Statistics, weights: Floats, label: int | None) -> tuple[Floats, Floats, Floats]:
    """Weight of the right decisions that are kept, of all that are kept, and of the true ones, per label."""
    columns = statistics.memo(("held out", label), lambda: _columns(statistics, label))
    labels, items, kept, right, truth_labels, truth_items = columns
    size = len(statistics.labels) if label is None else 1
    per_decision = weights[items]
    return (
        sums_by_code(labels, per_decision * right, size),
        sums_by_code(labels, per_decision * kept, size),
        sums_by_code(truth_labels, weights[truth_items], size),
    )


def _columns(statistics: Statistics, label: int | None) -> tuple[npt.NDArray[Any], ...]:
    """Label, item, share kept and share kept if right of the decisions; label and item of the true ones."""
    decisions, truths = statistics.ragged["decisions"], statistics.ragged["truths"]
    rows: Any = np.flatnonzero(decisions["kept"] > 0)
    true_rows: Any = slice(None)
    if label is not None:
        rows = rows[decisions["label"][rows] == label]
        true_rows = np.flatnonzero(truths["label"] == label)
    labels, true_labels = (
        decisions["label"][rows].astype(np.int64),
        truths["label"][true_rows].astype(np.int64),
    )
    if label is not None:
        labels, true_labels = labels * 0, true_labels * 0
    kept = decisions["kept"][rows]
    right = kept * decisions["hit"][rows]
    return labels, decisions.owners[rows], kept, right, true_labels, truths.owners[true_rows]
