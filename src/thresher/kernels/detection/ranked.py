"""Predictions in the order of their scores, ready for any weights of the images.

The statistics are ragged columns. `predictions`: `label`, `score`, `hits` and `ignored` (bits of IoU
thresholds, one column per range of areas), `rank` (place within image and label), and `iou` where equal
scores are ordered by overlap. `truths`: `label` and `ignored` (one column per range of areas).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.ordering import by_score, stable_order
from thresher.results import Ragged, Statistics
from thresher.results.ragged import Int64s
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]
RECALLS = np.linspace(0.0, 1.0, 101)  # COCO's 101 points, written as pycocotools writes them, to the last bit
_TOLERANCE = 1e-9  # recalls that differ by rounding only


@dataclass(frozen=True)
class View:
    """What of the statistics is looked at.

    Attributes:
        thresholds: number of IoU thresholds in the statistics.
        first: the first threshold that counts.
        last: the threshold after the last one that counts.
        area: which range of areas.
        top_k: how many predictions of an image and label count; None for all.
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
        images: image of each prediction.
        starts: where each label starts; one more than there are labels.
        hits: per threshold the positions of the hits, in order.
        edges: per threshold where each label starts among its hits; one more than there are labels.
        ignored: per threshold the positions of the predictions that do not count.
        truth_images: image of each true object that counts, label after label.
        truth_edges: where each label starts among them; one more than there are labels.

    Weights are one number per image; or one row of them per draw, and then results have rows too.
    """

    images: Int64s
    starts: Int64s
    hits: tuple[Int64s, ...]
    edges: tuple[Int64s, ...]
    ignored: tuple[Int64s, ...]
    truth_images: Int64s
    truth_edges: Int64s

    def positives(self, weights: Floats) -> Floats:
        """Weight of the true objects of each label."""
        return sums_between(weights[..., self.truth_images], self.truth_edges)

    def found(self, weights: Floats, threshold: int) -> Floats:
        """Weight of the hits of each label."""
        return sums_between(weights[..., self.images[self.hits[threshold]]], self.edges[threshold])

    def seen(self, each: Floats, threshold: int) -> Floats:
        """Weight of the predictions that count, before each position and after all of them."""
        counted = each
        if len(self.ignored[threshold]):
            counted = each.copy()
            counted[..., self.ignored[threshold]] = 0.0
        return _sums(counted)

    def points(self, each: Floats, seen: Floats, threshold: int) -> tuple[Floats, Floats]:
        """Weight found so far and interpolated precision at each hit, label after label.

        Args:
            each: weight of each prediction.
            seen: what `seen` says of them.
            threshold: which IoU threshold.
        """
        rows, edges = self.hits[threshold], self.edges[threshold]
        lengths = np.diff(edges)
        before = np.repeat(seen[..., self.starts[:-1]], lengths, axis=-1)
        sums = _sums(each[..., rows])
        found = sums[..., 1:] - np.repeat(sums[..., edges[:-1]], lengths, axis=-1)
        highest = np.nan_to_num(divide(found, seen[..., rows + 1] - before))[..., ::-1].copy()
        turned = len(rows) - edges
        for start, stop in zip(turned[1:].tolist(), turned[:-1].tolist(), strict=True):
            if stop - start > 1:
                part = highest[..., start:stop]
                np.maximum.accumulate(part, axis=-1, out=part)
        return found, highest[..., ::-1]

    def average_precision(self, weights: Floats, thresholds: Sequence[int], exact: bool) -> Floats:
        """Mean interpolated precision at 101 recalls (thresholds x labels); NaN for labels without truths.

        Args:
            weights: per image, or draws x images.
            thresholds: which IoU thresholds.
            exact: whether a recall counts as reached as COCO's tools compare it, to the last bit; else a
                billionth less is enough, so that 29 of 100 reach 0.29.
        """
        positives = self.positives(weights)
        each = weights[..., self.images]
        every = _sums(each)
        grid = RECALLS if exact else RECALLS * (1 - _TOLERANCE)
        areas = []
        for threshold in thresholds:
            seen = self.seen(each, threshold) if len(self.ignored[threshold]) else every
            found, highest = self.points(each, seen, threshold)
            edges = self.edges[threshold]
            recall = np.nan_to_num(divide(found, np.repeat(positives, np.diff(edges), axis=-1)))
            reached = np.searchsorted(grid, recall, "right")
            steps = np.diff(reached, prepend=0)
            heads = edges[:-1][np.diff(edges) > 0]
            steps[..., heads] = reached[..., heads]
            area = sums_between(highest * steps, edges) / len(grid)
            areas.append(np.where(positives == 0, np.nan, area))
        return np.stack(areas, axis=-2)


def ranked(statistics: Statistics, view: View) -> Ranked:
    """The ranked predictions of statistics, sorted at the first call only."""
    key = ("ranked", view.thresholds, view.area, view.top_k)
    found: Ranked = statistics.memo(key, lambda: _rank(statistics, view))
    return found


def sums_between(values: Floats, edges: Int64s) -> Floats:
    """The sum of the values between each edge and the next, along the last axis.

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


def _rank(statistics: Statistics, view: View) -> Ranked:
    predictions, truths = statistics.ragged["predictions"], statistics.ragged["truths"]
    order: Int64s = statistics.memo("order", lambda: _order(predictions))
    if view.top_k is not None:
        order = order[predictions["rank"][order] < view.top_k]
    # What counts at no threshold adds nothing to any sum: most predictions of a range of areas.
    everywhere = (1 << view.thresholds) - 1
    order = order[(predictions["ignored"][order, view.area] & everywhere) != everywhere]
    label = predictions["label"][order]
    hits, ignored = predictions["hits"][order, view.area], predictions["ignored"][order, view.area]
    rows = _places(hits, view.thresholds)
    wanted = np.flatnonzero(~truths["ignored"][:, view.area])
    wanted = wanted[np.argsort(truths["label"][wanted], kind="stable")]
    return Ranked(
        predictions.owners[order],
        _edges(label, len(statistics.labels)),
        rows,
        tuple(_edges(label[each], len(statistics.labels)) for each in rows),
        _places(ignored, view.thresholds),
        truths.owners[wanted],
        _edges(truths["label"][wanted], len(statistics.labels)),
    )


def _places(bits: npt.NDArray[Any], thresholds: int) -> tuple[Int64s, ...]:
    """Per threshold the positions whose bit is set."""
    some = np.flatnonzero(bits)
    kept = bits[some]
    return tuple(some[(kept >> at) & 1 == 1] for at in range(thresholds))


def _edges(label: npt.NDArray[Any], labels: int) -> Int64s:
    return np.concatenate([[0], np.cumsum(np.bincount(label, minlength=labels))]).astype(np.int64)


def _order(predictions: Ragged) -> Int64s:
    """By label, then falling score; equal scores by falling overlap, where that is kept."""
    order = by_score(predictions["score"])
    if "iou" in predictions:
        values = predictions["score"][order]
        same = np.append(values[1:] == values[:-1], False)[: len(values)]
        among = np.flatnonzero(same | np.append(False, same[:-1])[: len(same)])
        order[among] = order[among][np.lexsort((-predictions["iou"][order[among]], -values[among]))]
    return stable_order(predictions["label"], order)
