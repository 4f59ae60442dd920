"""Predictions sorted by score, for any weights of the images.

The statistics are ragged columns. `predictions`: `label`, `score`, `hits` and `ignored` (bits of IoU
thresholds, one column per range of areas), `rank` (within image and label), and `iou` if ties of scores are
ordered by overlap. `truths`: `label` and `ignored` (one column per range of areas).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.integration import Integration
from thresher.kernels.detection.ordered_predictions import Ordered, ordered
from thresher.results import Statistics
from thresher.results.ragged import Int64s
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class View:
    """The part of the statistics that a measure uses.

    Attributes:
        thresholds: number of IoU thresholds in the statistics.
        first: the first threshold that counts.
        last: the threshold after the last one that counts.
        area: position of the range of areas.
        top_k: predictions per image and label that count; None for all.
    """

    thresholds: int
    first: int
    last: int
    area: int = 0
    top_k: int | None = None


@dataclass(frozen=True, eq=False)
class Ranked:
    """The predictions of one range of areas, label after label, by falling score.

    Attributes:
        ordered: the predictions and true objects of all ranges.
        view: the range, and the predictions that count.

    Weights are one number per image, or one row of them per draw; then results have rows too.
    """

    ordered: Ordered
    view: View

    @cached_property
    def rows(self) -> Int64s:
        """Positions of the predictions that count among all."""
        # Predictions ignored at every threshold add nothing to any sum: most of those of a range of areas.
        counted = (self.ordered.ignored[self.view.area] & self.everywhere) != self.everywhere
        if self.view.top_k is not None:
            counted &= self.ordered.ranks < self.view.top_k
        return np.flatnonzero(counted)

    @property
    def everywhere(self) -> np.uint32:
        """The bits of all thresholds."""
        return np.uint32((1 << self.view.thresholds) - 1)

    @cached_property
    def images(self) -> npt.NDArray[np.int32]:
        """Image of each prediction."""
        return self.ordered.images[self.rows]

    @cached_property
    def starts(self) -> Int64s:
        """Where each label starts; one more than there are labels."""
        return np.searchsorted(self.rows, self.ordered.starts)

    @cached_property
    def truth_images(self) -> npt.NDArray[np.int32]:
        """Image of each true object that counts, label after label."""
        return self.ordered.truth_images[self._true_rows]

    @cached_property
    def truth_edges(self) -> Int64s:
        """Where each label starts among them; one more than there are labels."""
        return np.searchsorted(self._true_rows, self.ordered.truth_starts)

    @cached_property
    def _true_rows(self) -> Int64s:
        """Positions of the true objects that count among all."""
        return np.flatnonzero(~self.ordered.truth_ignored[self.view.area])

    @cached_property
    def hits(self) -> tuple[Int64s, ...]:
        """Per threshold the positions of the hits, in order."""
        return _places(self.ordered.hits[self.view.area][self.rows], self.view.thresholds)

    @cached_property
    def edges(self) -> tuple[Int64s, ...]:
        """Per threshold where each label starts among the hits; one more than there are labels."""
        return tuple(np.searchsorted(rows, self.starts) for rows in self.hits)

    @cached_property
    def ignored(self) -> tuple[Int64s, ...]:
        """Per threshold the positions of the predictions that do not count."""
        return _places(self.ordered.ignored[self.view.area][self.rows], self.view.thresholds)

    def positives(self, weights: Floats) -> Floats:
        """Weight of the true objects of each label."""
        return sums_between(weights[..., self.truth_images], self.truth_edges)

    def hit_weights(self, weights: Floats, threshold: int) -> Floats:
        """Weight of the hits of each label."""
        return sums_between(weights[..., self.images[self.hits[threshold]]], self.edges[threshold])

    def weight_before(self, per_prediction: Floats, threshold: int) -> Floats:
        """Weight of the counted predictions before each position, and of all of them."""
        counted = per_prediction
        if len(self.ignored[threshold]):
            counted = per_prediction.copy()
            counted[..., self.ignored[threshold]] = 0.0
        return _sums(counted)

    def points(self, per_prediction: Floats, before: Floats, threshold: int) -> tuple[Floats, Floats]:
        """Cumulative weight of hits and interpolated precision at each hit, label after label.

        Args:
            per_prediction: weight of each prediction.
            before: the result of `weight_before`.
            threshold: position of the IoU threshold.
        """
        rows, edges = self.hits[threshold], self.edges[threshold]
        lengths = np.diff(edges)
        at_label_start = np.repeat(before[..., self.starts[:-1]], lengths, axis=-1)
        sums = _sums(per_prediction[..., rows])
        hits = sums[..., 1:] - np.repeat(sums[..., edges[:-1]], lengths, axis=-1)
        highest = np.nan_to_num(divide(hits, before[..., rows + 1] - at_label_start))[..., ::-1].copy()
        turned = len(rows) - edges
        for start, stop in zip(turned[1:].tolist(), turned[:-1].tolist(), strict=True):
            if stop - start > 1:
                part = highest[..., start:stop]
                np.maximum.accumulate(part, axis=-1, out=part)
        return hits, highest[..., ::-1]

    def recall(self, weights: Floats, thresholds: Sequence[int]) -> Floats:
        """Highest recall (thresholds x labels, after any axis of draws); NaN for labels without truths."""
        positives = self.positives(weights)
        return np.stack([divide(self.hit_weights(weights, at), positives) for at in thresholds], axis=-2)

    def average_precision(
        self, weights: Floats, thresholds: Sequence[int], integration: Integration
    ) -> Floats:
        """Mean interpolated precision (thresholds x labels); NaN for labels without truths.

        Args:
            weights: per image, or draws x images.
            thresholds: positions of the IoU thresholds.
            integration: the recalls at which it is averaged.
        """
        positives = self.positives(weights)
        per_prediction = weights[..., self.images]
        every = _sums(per_prediction)
        grid = integration.recalls
        areas = []
        for threshold in thresholds:
            ignores = len(self.ignored[threshold]) > 0
            before = self.weight_before(per_prediction, threshold) if ignores else every
            hits, highest = self.points(per_prediction, before, threshold)
            edges = self.edges[threshold]
            if integration.points:
                recall = np.nan_to_num(divide(hits, np.repeat(positives, np.diff(edges), axis=-1)))
                steps = _steps(np.searchsorted(grid, recall, "right"), edges)
                area = sums_between(highest * steps, edges) / len(grid)
            else:
                area = divide(sums_between(highest * _steps(hits, edges), edges), positives)
            areas.append(np.where(positives == 0, np.nan, area))
        return np.stack(areas, axis=-2)


def ranked(statistics: Statistics, view: View) -> Ranked:
    """The ranked predictions of statistics; cached."""
    key = ("ranked", view.thresholds, view.area, view.top_k)
    order: Ranked = statistics.memo(key, lambda: Ranked(ordered(statistics), view))
    return order


def _steps(sums: npt.NDArray[Any], edges: Int64s) -> npt.NDArray[Any]:
    """Rise of sums that begin anew at each edge, along the last axis."""
    steps = np.diff(sums, prepend=0)
    heads = edges[:-1][np.diff(edges) > 0]
    steps[..., heads] = sums[..., heads]
    return steps


def sums_between(values: Floats, edges: Int64s) -> Floats:
    """Sum the values between each edge and the next, along the last axis.

    >>> sums_between(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 3])).tolist()
    [3.0, 0.0, 4.0]
    """
    sums = np.zeros((*values.shape[:-1], len(edges) - 1))
    filled = np.flatnonzero(np.diff(edges))
    if len(filled):
        sums[..., filled] = np.add.reduceat(values[..., : edges[-1]], edges[filled], axis=-1)
    return sums


def _sums(values: Floats) -> Floats:
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    np.cumsum(values, axis=-1, out=sums[..., 1:])
    return sums


def _places(bits: npt.NDArray[Any], thresholds: int) -> tuple[Int64s, ...]:
    """Per threshold the positions whose bit is set."""
    rows = np.flatnonzero(bits)
    nonzero = bits[rows]
    return tuple(rows[(nonzero >> at) & 1 == 1] for at in range(thresholds))
