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
from thresher.results import Ragged, Statistics
from thresher.results.labels import sums_by_code

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LabelPoints:
    """The operating points of all labels, label after label.

    Attributes:
        points: from the highest to the lowest score of each label.
        labels: the label of each point.
        edges: where each label starts; one more than there are labels.
        truths: weight of the true labels or objects of each label.
    """

    points: OperatingPoints
    labels: npt.NDArray[Any]
    edges: Int64s
    truths: Floats

    @property
    def starts(self) -> Int64s:
        """The first point of each label that has any."""
        return self.edges[:-1][np.diff(self.edges) > 0]


@dataclass(frozen=True, eq=False)
class RankedDecisions:
    """All decisions by falling score.

    Attributes:
        items: item of each decision.
        labels: label of each decision.
        scores: score of each decision.
        hits: 1 for a right decision, else 0.
        truth_items: item of each true label or object.
        truth_labels: its label.
        size: number of labels.
    """

    items: npt.NDArray[np.int32]
    labels: npt.NDArray[Any]
    scores: Floats
    hits: Floats
    truth_items: npt.NDArray[np.int32]
    truth_labels: npt.NDArray[Any]
    size: int

    @cached_property
    def ends(self) -> Int64s:
        """Position of the last decision of each distinct score: equal scores enter together."""
        return _last_of_equal(self.scores)

    @cached_property
    def by_label(self) -> Int64s:
        """The decisions by label, then falling score."""
        return np.argsort(self.labels, kind="stable")

    @cached_property
    def label_starts(self) -> Int64s:
        """Where the decisions of each label start in that order; one more than there are labels."""
        return np.searchsorted(self.labels[self.by_label], np.arange(self.size + 1))

    @cached_property
    def label_ends(self) -> Int64s:
        """Position in that order of the last decision of each distinct score of each label."""
        return _last_of_equal(self.scores[self.by_label], self.labels[self.by_label])

    def truths(self, weights: Floats) -> Floats:
        """Weight of the true labels or objects of each label."""
        return sums_by_code(self.truth_labels, weights[self.truth_items], self.size)

    def decided(self, weights: Floats) -> Floats:
        """Weight of the decisions of each label."""
        return sums_by_code(self.labels, weights[self.items], self.size)

    def pooled(self, weights: Floats) -> OperatingPoints:
        """Counts over all labels at each distinct score."""
        per_decision = weights[self.items]
        tp = np.cumsum(per_decision * self.hits)[self.ends]
        fp = np.cumsum(per_decision * (1 - self.hits))[self.ends]
        positives = float(weights[self.truth_items].sum())
        return _points(self.scores[self.ends], tp, fp, np.full(len(tp), positives))

    def separate(self, weights: Floats) -> LabelPoints:
        """Counts of each label at each of its distinct scores."""
        order, ends = self.by_label, self.label_ends
        per_decision = weights[self.items[order]]
        hits = self.hits[order]
        labels = self.labels[order][ends]
        tp, fp = (
            _sums_within(per_decision * part, ends, self.label_starts, labels) for part in (hits, 1 - hits)
        )
        truths = self.truths(weights)
        points = _points(self.scores[order][ends], tp, fp, truths[labels])
        return LabelPoints(points, labels, np.searchsorted(labels, np.arange(self.size + 1)), truths)


def ranked_decisions(statistics: Statistics) -> RankedDecisions:
    """The ranked decisions of statistics; cached."""
    ranked: RankedDecisions = statistics.memo("ranked decisions", lambda: _ranked(statistics))
    return ranked


def _ranked(statistics: Statistics) -> RankedDecisions:
    decisions, truths = statistics.ragged["decisions"], statistics.ragged["truths"]
    order = np.argsort(-decisions["score"], kind="stable")
    return RankedDecisions(
        _owners(decisions)[order],
        decisions["label"][order],
        decisions["score"][order].astype(np.float64, copy=False),
        decisions["hit"][order].astype(np.float64),
        _owners(truths),
        truths["label"],
        len(statistics.labels),
    )


def _owners(entries: Ragged) -> npt.NDArray[np.int32]:
    return entries.owners.astype(np.int32)


def _last_of_equal(scores: Floats, labels: npt.NDArray[Any] | None = None) -> Int64s:
    if not len(scores):
        return np.empty(0, np.int64)
    changes = scores[1:] != scores[:-1]
    if labels is not None:
        changes |= labels[1:] != labels[:-1]
    return np.append(np.flatnonzero(changes), len(scores) - 1)


def _sums_within(values: Floats, ends: Int64s, starts: Int64s, labels: npt.NDArray[Any]) -> Floats:
    """Sums from the start of each label to each end."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    return np.asarray(sums[ends + 1] - sums[starts[labels]])


def _points(scores: Floats, tp: Floats, fp: Floats, positives: Floats) -> OperatingPoints:
    """Operating points; true negatives are unknown, since objects that are not there cannot be counted."""
    return OperatingPoints(scores, tp, fp, positives - tp, np.full(len(tp), np.nan), "higher")
