"""Scored labels in the order of their scores, for any weights of the items.

The statistics are ragged columns: `decisions` with `label`, `score` and `hit` (1 if the label is right, else
0), one entry per scored label of an item or per detected object that counts; and `truths` with a `label` per
true label or object.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import OperatingPoints
from thresher.kernels.thresholds.order import Cuts, Order
from thresher.results import Statistics
from thresher.results.labels import key_codes, sums_by_code, sums_by_key

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LabelPoints:
    """The operating points of all labels, label after label.

    Attributes:
        points: from the highest to the lowest score of each label.
        cuts: the label of each point (its group), and the first point of each label.
        truths: weight of the true labels or objects of each label.
    """

    points: OperatingPoints
    cuts: Cuts
    truths: Floats


@dataclass(frozen=True, eq=False)
class RankedDecisions:
    """All decisions by falling score, and those of each label.

    Attributes:
        together: the decisions of all labels as one group.
        by_label: one group per label.
        truth_items: item of each true label or object.
        truth_labels: its label.
        keys: the number of each label's key.
    """

    together: Order
    by_label: Order
    truth_items: npt.NDArray[np.int32]
    truth_labels: npt.NDArray[Any]
    keys: Int64s

    @property
    def size(self) -> int:
        """Number of labels."""
        return len(self.by_label.starts) - 1

    @cached_property
    def places(self) -> Int64s:
        """Per distinct score of each label, its place among the distinct scores of all labels."""
        distinct = self.together.scores[self.together.every_cut.ends]
        own = self.by_label.scores[self.by_label.every_cut.ends]
        return np.asarray(len(distinct) - 1 - np.searchsorted(distinct[::-1], own))

    def truths(self, weights: Floats) -> Floats:
        """Weight of the true labels or objects of each label."""
        return sums_by_code(self.truth_labels, weights[self.truth_items], self.size)

    def negatives(self, weights: Floats) -> Floats:
        """Weight of the items of a classifier that have another label of the key; objects have no such."""
        truths = self.truths(weights)
        return sums_by_key(self.keys, truths) - truths

    def decided(self, weights: Floats) -> Floats:
        """Weight of the decisions of each label."""
        sums = np.concatenate([[0.0], np.cumsum(weights[self.by_label.items])])
        return np.asarray(np.diff(sums[self.by_label.starts]))

    def pooled(
        self, weights: Floats, cuts: Cuts | None = None, *, negatives: bool = False
    ) -> OperatingPoints:
        """Counts over all labels at some cuts; by default at each distinct score that may be the best."""
        truths = np.array([weights[self.truth_items].sum()])
        others = self.negatives(weights).sum()[None] if negatives else None
        return self.together.points(weights, truths, cuts or self.together.useful_cuts, others)

    def separate(self, weights: Floats, cuts: Cuts | None = None, *, negatives: bool = False) -> LabelPoints:
        """Counts of each label at some cuts; by default at the scores that may be the best."""
        cuts = self.by_label.useful_cuts if cuts is None else cuts
        truths = self.truths(weights)
        others = self.negatives(weights) if negatives else None
        return LabelPoints(self.by_label.points(weights, truths, cuts, others), cuts, truths)


def ranked_decisions(statistics: Statistics) -> RankedDecisions:
    """The ranked decisions of statistics; cached."""
    ranked: RankedDecisions = statistics.memo("ranked decisions", lambda: _ranked(statistics))
    return ranked


def _ranked(statistics: Statistics) -> RankedDecisions:
    decisions, truths = statistics.ragged["decisions"], statistics.ragged["truths"]
    falling = np.argsort(-decisions["score"], kind="stable")
    labels = decisions["label"][falling]
    by_label = falling[np.argsort(labels, kind="stable")]
    sizes = np.bincount(labels, minlength=len(statistics.labels)).tolist()
    columns = decisions.owners, decisions["score"], decisions["hit"]
    together, separate = Order.of(columns, falling, [len(falling)]), Order.of(columns, by_label, sizes)
    true = truths.owners.astype(np.int32), truths["label"]
    return RankedDecisions(together, separate, *true, key_codes(statistics.labels))
