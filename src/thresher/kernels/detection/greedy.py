"""Greedy matching of all images at once.

Predictions of one image and label must be matched one after the other, those of different ones need not. The
library matches image after image. With numpy, every image and label matches its next prediction in each
round. Thresholds are bits, so that all of them are processed together.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.ordering import broken_ties, by_score, ranks, stable_order
from thresher.kernels.detection.overlaps import Pairs
from thresher.kernels.detection.predicted_scores import scores_of
from thresher.native.kernel import Array, Kernel
from thresher.native.library import library
from thresher.native.threads import threads_for
from thresher.results.ragged import Int64s

Floats = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]
Bits = npt.NDArray[np.uint16 | np.uint32]
_NARROW = 16  # thresholds that fit 16 bits, which halves the memory; COCO has 10
_INTEGERS, _CODES, _NUMBERS, _MARKS = Array("int64"), Array("int32"), Array("float64"), Array("uint8")
_BITS = Array("uint16|uint32", written=True)

_match_greedily = Kernel(
    "match_greedily",
    *(_INTEGERS, _INTEGERS, _NUMBERS, int),
    *(_CODES, _NUMBERS, _NUMBERS, _CODES, _NUMBERS, _NUMBERS, _MARKS),
    *(_NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS),
    *(_INTEGERS, _INTEGERS, _MARKS, _MARKS, _NUMBERS, int, int),
    *(_BITS, _BITS, Array("int64", written=True), Array("float64", written=True)),
)
_PER_THREAD = 1 << 15
"""Predictions that make another thread worth its start; matching them takes 1 ms."""


@dataclass(frozen=True, eq=False)
class Targets:
    """How true objects count; by default all do.

    Attributes:
        ignored: true objects x ranges of areas; whether it is only taken if no other is left.
        shared: per true object whether any number of predictions may take it.
        limits: ranges x 2; lowest and highest area of predictions that count without a true object.
    """

    ignored: Marks
    shared: Marks
    limits: Floats

    @classmethod
    def shared_only(cls, shared: Marks) -> Self:
        """One range of all areas in which no true object is ignored."""
        return cls(np.zeros((len(shared), 1), bool), shared, np.array([[-np.inf, np.inf]]))


@dataclass(frozen=True, eq=False)
class GreedyMatches:
    """The matched true object of each prediction.

    Attributes:
        hits: predictions x ranges of areas; bits of the thresholds at which it is a hit.
        ignored: the same; bits of the thresholds at which it is ignored, because its true object is, or
            because it has none and its own area is outside of the range.
        partner: true object at the lowest threshold; -1 for none. Empty if there are several ranges.
        iou: overlap with that object; 0 for none. Empty if there are several ranges.
    """

    hits: Bits
    ignored: Bits
    partner: Int64s
    iou: Floats


@dataclass(frozen=True, eq=False)
class Turns:
    """The order in which the predictions of an image are matched: by falling score.

    Attributes:
        order: returns the order of all predictions by falling score, if it is known; only numpy needs it.
        ties: of equal scores, the prediction with the larger number is first; None for the first one.
    """

    order: Callable[[], Int64s] | None = None
    ties: Floats | None = None

    def positions(self, predictions: DetectionColumns) -> Int64s:
        """All predictions in this order."""
        scores = scores_of(predictions)
        order = self.order() if self.order else by_score(scores)
        return order if self.ties is None else broken_ties(order, scores, self.ties)


def match_greedily(
    predictions: DetectionColumns,
    truths: DetectionColumns,
    pairs: Pairs | None,
    thresholds: Floats,
    targets: Targets,
    *,
    turns: Turns,
    first: bool = False,
) -> GreedyMatches:
    """Give each prediction in turn the best true object of its image that is still free.

    Args:
        predictions: predicted objects, with scores.
        truths: true objects of the same images.
        pairs: the candidates; better ones have the larger `iou`. None if all objects are boxes: then the
            library computes the overlaps of boxes of one label, and no columns of pairs.
        thresholds: rising; at each of them, the pairs that reach it are matched.
        targets: how true objects count.
        turns: the order of the predictions.
        first: prefer the first true object among equal overlaps, not the last.
    """
    shape = predictions.objects, len(targets.limits)
    bits = np.uint16 if len(thresholds) <= _NARROW else np.uint32
    if pairs is None or library() is not None:
        partners = shape[0] if shape[1] == 1 else 0
        partner, iou = np.empty(partners, np.int64), np.empty(partners)
        hits, ignored = np.empty(shape, bits), np.empty(shape, bits)
        ties = np.zeros(0) if turns.ties is None else turns.ties
        sizes = map(np.ascontiguousarray, (scores_of(predictions), ties, predictions.areas))
        marks = (np.ascontiguousarray(side).view(np.uint8) for side in (targets.shared, targets.ignored))
        _match_greedily(
            *(*_candidates(predictions, truths, pairs), thresholds, *sizes),
            *(predictions.offsets, truths.offsets, *marks, np.ascontiguousarray(targets.limits), first),
            threads_for(shape[0], _PER_THREAD),
            *(hits, ignored, partner, iou),
        )
        return GreedyMatches(hits, ignored, partner, iou)
    # Predictions that share no candidate need not be matched one after the other.
    same = predictions.label[pairs.prediction] == truths.label[pairs.truth]
    group = groups(predictions) if same.all() else predictions.owners
    matching = _Rounds(
        pairs, reached(pairs.iou, thresholds), turns.positions(predictions), group, first=first
    )
    matched = [matching.matched(column, targets.shared) for column in targets.ignored.T]
    taken, ignored, *_ = (np.stack(columns, axis=1) for columns in zip(*matched, strict=True))
    every = np.uint32((1 << len(thresholds)) - 1)
    free = np.where(outside(predictions.areas, targets.limits), every, np.uint32(0)) & ~taken
    partner, iou = matched[0][2:] if len(matched) == 1 else (np.zeros(0, np.int64), np.zeros(0))
    return GreedyMatches((taken & ~ignored).astype(bits), (ignored | free).astype(bits), partner, iou)


def _candidates(
    predictions: DetectionColumns, truths: DetectionColumns, pairs: Pairs | None
) -> tuple[Any, ...]:
    """Arguments of the library: pairs, whether boxes are matched without pairs, and those boxes."""
    none, rows = np.zeros(0), np.zeros(0, np.int64)
    if pairs is not None:
        boxes = np.zeros(0, np.int32), none, none
        return pairs.prediction, pairs.truth, pairs.iou, False, *boxes, *boxes, np.zeros(0, np.uint8)
    mine, theirs = (
        (
            np.ascontiguousarray(side.label, np.int32),
            np.ascontiguousarray(side.boxes, np.float64),
            np.ascontiguousarray(side.box_areas, np.float64),
        )
        for side in (predictions, truths)
    )
    return rows, rows, none, True, *mine, *theirs, np.ascontiguousarray(truths.crowd).view(np.uint8)


def reached(iou: npt.NDArray[Any], thresholds: Floats) -> npt.NDArray[np.uint32]:
    """The thresholds that each overlap reaches, as bits."""
    count = np.searchsorted(thresholds, iou, "right").astype(np.uint64)
    return np.asarray((np.uint64(1) << count) - np.uint64(1), dtype=np.uint32)


def groups(columns: DetectionColumns) -> Int64s:
    """One number per object for its image and label."""
    firsts = np.arange(len(columns), dtype=np.int64) * max(len(columns.labels), 1)
    return np.add(np.repeat(firsts, columns.lengths), columns.label, dtype=np.int64)


def outside(areas: Floats, limits: Floats) -> npt.NDArray[np.bool_]:
    """Whether each area is outside each range (objects x ranges)."""
    result = np.empty((len(areas), len(limits)), np.bool_)
    for column, (lowest, highest) in zip(result.T, limits, strict=True):
        np.logical_or(areas < lowest, areas > highest, out=column)
    return result


class _Rounds:
    """Matching by numpy: every group of predictions matches its next one in each round."""

    def __init__(
        self, pairs: Pairs, reach: npt.NDArray[np.uint32], order: Int64s, group: Int64s, *, first: bool
    ) -> None:
        rows = np.flatnonzero(reach)
        self._pairs, self._reach = pairs.where(rows), reach[rows]
        self._turns, self._group = stable_order(group, order), group
        self._sign = 1 if first else -1

    def matched(self, ignored: Marks, shared: Marks) -> tuple[Any, Any, Int64s, Floats]:
        """Bits of the thresholds with a true object, and with an ignored one; partner and overlap."""
        queue, steps = self._queue(ignored)
        pairs = self._pairs
        taken, took_ignored = (np.zeros(len(self._turns), np.uint32) for _ in range(2))
        partner, iou = np.full(len(taken), -1, np.int64), np.zeros(len(taken))
        used = np.zeros(len(ignored), np.uint32)
        exclusive = np.where(shared, 0, 0xFFFFFFFF).astype(np.uint32)
        ignored_bits = np.where(ignored, 0xFFFFFFFF, 0).astype(np.uint32)
        start = 0
        for size in steps.tolist():
            rows = queue[start : start + size]
            start += size
            prediction, truth = pairs.prediction[rows], pairs.truth[rows]
            new = self._reach[rows] & ~used[truth] & ~taken[prediction]
            taken[prediction] |= new
            took_ignored[prediction] |= new & ignored_bits[truth]
            used[truth] |= new & exclusive[truth]
            lowest = np.flatnonzero(new & 1)
            partner[prediction[lowest]] = truth[lowest]
            iou[prediction[lowest]] = pairs.iou[rows[lowest]]
        return taken, took_ignored, partner, iou

    def _queue(self, ignored: Marks) -> tuple[Int64s, Int64s]:
        """The pairs in steps without a repeated prediction or true object, and the length of each step."""
        pairs = self._pairs
        turn = np.empty(len(self._turns), np.int64)
        turn[self._turns] = np.arange(len(turn))
        mine = turn[pairs.prediction]
        queue = stable_order(mine)
        row = ranks(mine[queue])
        several = np.flatnonzero(_in_runs(row))
        among = queue[several]
        keys = (self._sign * pairs.truth[among], -pairs.iou[among], ignored[pairs.truth[among]], mine[among])
        queue[several] = among[np.lexsort(keys)]
        heads = np.flatnonzero(row == 0)
        rounds = ranks(self._group[pairs.prediction[queue[heads]]])
        step = np.repeat(rounds, np.diff(np.append(heads, len(queue)))) * (int(row.max(initial=0)) + 1) + row
        sizes = np.bincount(step)
        return queue[stable_order(step)], sizes[sizes > 0]


def _in_runs(row: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Whether each entry belongs to a prediction with several candidates."""
    return np.asarray((row > 0) | np.append(row[1:] > 0, False))
