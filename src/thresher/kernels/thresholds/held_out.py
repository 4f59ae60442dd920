"""The value of a threshold on items that it was not chosen on.

Each decision gets the share of the divisions in which the threshold, chosen on other items, keeps it. These
shares are statistics per item, so that intervals, slices and comparisons work as for any other metric.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from thresher.kernels.thresholds.best_threshold import BestThreshold, chosen_threshold
from thresher.kernels.thresholds.choice import best_of_labels
from thresher.kernels.thresholds.decisions import RankedDecisions, ranked_decisions
from thresher.results import Reduction, Statistics
from thresher.results.labels import sums_by_code
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Quantity = Literal["f", "precision", "recall"]
QUANTITIES: dict[str, Quantity] = {
    "f": "f",
    "recall_at_precision": "recall",
    "precision_at_recall": "precision",
}
"""Goal of a search -> what is reported of it."""


@dataclass(frozen=True)
class HeldOut(Reduction):
    """F, precision or recall of the decisions that thresholds chosen on other items keep.

    Attributes:
        quantity: what is computed.
        beta: weight of recall relative to precision in F.
        pooled: whether the counts of all labels are added up; otherwise the mean over labels with true ones.
        label: position of the only label that counts; None for all.
    """

    kind: ClassVar[str] = "held_out"
    quantity: Quantity = "f"
    beta: float = 1.0
    pooled: bool = True
    label: int | None = None

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
        below = np.where(truths > 0, kept + self.beta**2 * truths, 0.0)
        return divide((1 + self.beta**2) * tp, below), truths


def held_out_statistics(
    statistics: Statistics, search: BestThreshold, parts: Iterable[tuple[Mask, Mask]]
) -> tuple[Statistics, Mask]:
    """Choose thresholds on one part and apply them to the other, for each division.

    Args:
        statistics: ranked decisions, see the module `decisions`.
        search: what the thresholds are chosen for.
        parts: masks of the items to choose on, and of those to report on.

    Returns:
        Statistics for `HeldOut`, and the mask of the items that were reported on at least once.
    """
    ranked, decisions = ranked_decisions(statistics), statistics.ragged["decisions"]
    kept, times = np.zeros(decisions.entries), np.zeros(statistics.size)
    owners, labels, scores = decisions.owners, decisions["label"], decisions["score"]
    for chosen, reported in parts:
        limits = label_limits(ranked, search, chosen.astype(np.float64))
        kept += (scores >= limits[labels]) & reported[owners]
        times += reported
    shares = divide(kept, times[owners])
    ragged = {**statistics.ragged, "decisions": decisions.with_columns({"kept": np.nan_to_num(shares)})}
    return Statistics({}, ragged, statistics.labels, statistics.coded), times > 0


def label_limits(ranked: RankedDecisions, search: BestThreshold, weights: Floats) -> Floats:
    """The threshold of each label: its own, or the one of all labels.

    A label without a threshold, or without one that helps, gets that of all labels, as new labels do. One
    that reaches no floor keeps nothing.
    """
    pooled = search if search.average != "per_label" else replace(search, average="micro")
    common = chosen_threshold(ranked, pooled, weights)
    limits = np.full(ranked.size, np.inf if np.isnan(common) else common)
    if search.average != "per_label":
        return limits
    choices = best_of_labels(ranked, search.objective, weights)
    if search.goal != "f":
        limits[(choices.truths > 0) & np.isnan(choices.thresholds)] = np.inf
    own = choices.tp > 0
    limits[own] = choices.thresholds[own]
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
