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
from thresher.kernels.detection.ordering import Int32s, broken_ties, by_score, label_order, stable_order
from thresher.native.kernel import Array, Kernel
from thresher.native.library import library
from thresher.native.threads import threads_for
from thresher.results import Ragged, Statistics
from thresher.results.ragged import Int64s
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]
_ROWS_PER_THREAD = 1 << 16
"""Predictions that make another thread worth its start; bringing them into order takes 0.5 ms."""
_BITS, _TURNED, _COLUMN = (
    Array("uint16|uint32"),
    Array("uint16|uint32", written=True),
    Array("int32", written=True),
)
_order_outcomes = Kernel(
    "order_outcomes",
    *(Array("int32"), Array("int64"), Array("int32"), _BITS, _BITS, int, int),
    *(_COLUMN, _COLUMN, _TURNED, _TURNED),
)


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
class Ordered:
    """All predictions by label and falling score, and all true objects by label.

    Attributes:
        images: image of each prediction.
        starts: where each label starts; one more than there are labels.
        ranks: rank of each prediction within its image and label.
        hits: ranges of areas x predictions; the thresholds at which each prediction is a hit.
        ignored: the same; the thresholds at which it does not count.
        truth_images: image of each true object.
        truth_starts: where each label starts among them; one more than there are labels.
        truth_ignored: ranges of areas x true objects; whether it does not count.
    """

    images: npt.NDArray[np.int32]
    starts: Int64s
    ranks: npt.NDArray[np.int32]
    hits: npt.NDArray[np.uint16 | np.uint32]
    ignored: npt.NDArray[np.uint16 | np.uint32]
    truth_images: npt.NDArray[np.int32]
    truth_starts: Int64s
    truth_ignored: npt.NDArray[np.bool_]


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
    ordered = statistics.memo("ordered", lambda: _ordered(statistics))
    order: Ranked = statistics.memo(key, lambda: Ranked(ordered, view))
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


def _ordered(statistics: Statistics) -> Ordered:
    labels = len(statistics.labels)
    predictions, truths = statistics.ragged["predictions"], statistics.ragged["truths"]
    order: Int32s = statistics.memo("label order", lambda: _label_order(statistics))
    true_order = stable_order(truths["label"])
    images, ranks, hits, ignored = _in_order(predictions, order)
    return Ordered(
        images,
        _edges(predictions["label"], order, labels),
        ranks,
        hits,
        ignored,
        truths.owners.astype(np.int32)[true_order],
        _edges(truths["label"], true_order, labels),
        truths["ignored"].take(true_order, axis=0).T.copy(),
    )


def _label_order(statistics: Statistics) -> Int32s:
    predictions, labels = statistics.ragged["predictions"], len(statistics.labels)
    if "iou" in predictions or statistics.known_total("score order") is not None:
        return stable_order(predictions["label"], score_order(statistics)).astype(np.int32)
    columns = predictions["label"], predictions["score"], predictions.offsets
    return label_order(*columns, labels, lambda: score_order(statistics)).order


def _in_order(predictions: Ragged, order: Int32s) -> tuple[Any, Any, Any, Any]:
    """Image, rank and outcomes (ranges of areas x predictions) of the predictions in an order."""
    names = "hits", "ignored"
    bits = np.uint16 if {predictions[name].dtype.name for name in names} == {"uint16"} else np.uint32
    outcomes = [np.ascontiguousarray(predictions[name], bits) for name in names]
    ranks = predictions["rank"].astype(np.int32, copy=False)
    if library() is None:
        hits, ignored = (column.take(order, axis=0).T.copy() for column in outcomes)
        return predictions.owners.astype(np.int32)[order], ranks[order], hits, ignored
    size, ranges = outcomes[0].shape
    images, new_ranks = np.empty(size, np.int32), np.empty(size, np.int32)
    hits, ignored = np.empty((ranges, size), bits), np.empty((ranges, size), bits)
    threads = threads_for(size, _ROWS_PER_THREAD)
    given = order, predictions.offsets, ranks, *outcomes
    _order_outcomes(*given, ranges, threads, images, new_ranks, hits, ignored)
    return images, new_ranks, hits, ignored


def _places(bits: npt.NDArray[Any], thresholds: int) -> tuple[Int64s, ...]:
    """Per threshold the positions whose bit is set."""
    rows = np.flatnonzero(bits)
    nonzero = bits[rows]
    return tuple(rows[(nonzero >> at) & 1 == 1] for at in range(thresholds))


def _edges(label: npt.NDArray[Any], order: npt.NDArray[Any], labels: int) -> Int64s:
    """Where each label starts in an order by label; one more than there are labels."""
    codes = np.arange(labels, dtype=label.dtype)  # of another type, all labels would be converted
    return np.concatenate([[0], np.searchsorted(label, codes, "right", order)]).astype(np.int64)


def score_order(statistics: Statistics) -> Int64s:
    """The order of predictions by falling score, ties by falling overlap if it is known; cached."""
    order: Int64s = statistics.memo("score order", lambda: _score_order(statistics.ragged["predictions"]))
    return order


def _score_order(predictions: Ragged) -> Int64s:
    order = by_score(predictions["score"])
    return broken_ties(order, predictions["score"], predictions["iou"]) if "iou" in predictions else order
