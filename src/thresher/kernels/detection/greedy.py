"""Greedy matching of all images at once.

Predictions of one image and label must be matched one after the other, those of different ones need not. The
library matches them in order. With numpy, every image and label matches its next prediction in each round.
Thresholds are bits, so that all of them are processed together.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.ordering import ranks, stable_order
from thresher.kernels.detection.overlaps import Pairs
from thresher.native.kernel import Array, Kernel
from thresher.native.library import library
from thresher.results.ragged import Int64s

Floats = npt.NDArray[np.float64]
Bits = npt.NDArray[np.uint32]
_INTEGERS, _BITS, _MARKS = Array("int64"), Array("uint32", written=True), Array("uint8")

_match_greedily = Kernel(
    "match_greedily",
    *(
        _INTEGERS,
        _INTEGERS,
        Array("float64"),
        Array("uint32"),
        _INTEGERS,
        _INTEGERS,
        _MARKS,
        _MARKS,
        int,
        int,
    ),
    *(_BITS, _BITS, Array("int64", written=True), Array("float64", written=True)),
)

_outcomes_by_area = Kernel("outcomes_by_area", Array("float64"), Array("float64"), int, _BITS, _BITS)


@dataclass(frozen=True, eq=False)
class GreedyMatches:
    """The matched true object of each prediction.

    Attributes:
        taken: predictions x ranges of areas; bits of the thresholds at which it has a true object.
        took_ignored: the same; bits of the thresholds at which that true object is an ignored one.
        partner: true object at the lowest threshold in the first range; -1 for none.
        iou: overlap with that object; 0 for none.
    """

    taken: Bits
    took_ignored: Bits
    partner: Int64s
    iou: Floats

    def outcomes(self, areas: Floats, limits: Floats, thresholds: int) -> tuple[Bits, Bits]:
        """Bits of the thresholds at which each prediction is a hit, and is ignored, by ranges of areas.

        A prediction is ignored if its true object is, or if it has none and its own area is outside. The
        arrays may be changed in place, so the matches must not be used afterwards.

        Args:
            areas: of the predictions.
            limits: lowest and highest area of each range.
            thresholds: their number.
        """
        every = np.uint32((1 << thresholds) - 1)
        if library() is not None:
            given = np.ascontiguousarray(areas, np.float64), np.ascontiguousarray(limits)
            _outcomes_by_area(*given, int(every), self.taken, self.took_ignored)
            return self.taken, self.took_ignored
        free = np.where(outside(areas, limits), every & ~self.taken, np.uint32(0))
        return self.taken & ~self.took_ignored, self.took_ignored | free


@dataclass(frozen=True, eq=False)
class Turns:
    """The order in which predictions are matched.

    Attributes:
        order: all predictions in the order of matching, which matters within a group.
        group: per prediction the number of its image and label.
    """

    order: Int64s
    group: Int64s


def match_greedily(
    pairs: Pairs,
    reach: Bits,
    turns: Turns,
    ignored: npt.NDArray[np.bool_],
    shared: npt.NDArray[np.bool_],
    *,
    first: bool = False,
) -> GreedyMatches:
    """Give each prediction in turn the best true object that is still free.

    Args:
        pairs: the candidates; better ones have the larger `iou`.
        reach: per pair the bits of the thresholds that it reaches.
        turns: the order of the predictions.
        ignored: true objects x ranges of areas; whether it is only taken if no other is left.
        shared: per true object whether any number of predictions may take it.
        first: prefer the first true object among equal overlaps, not the last.
    """
    shape = len(turns.order), ignored.shape[1]
    if library() is not None:
        taken, took_ignored = np.zeros(shape, np.uint32), np.zeros(shape, np.uint32)
        partner, iou = np.full(shape[0], -1, np.int64), np.zeros(shape[0])
        _match_greedily(
            *(pairs.prediction, pairs.truth, pairs.iou, reach, turns.order, turns.group),
            *(np.ascontiguousarray(ignored).view(np.uint8), np.ascontiguousarray(shared).view(np.uint8)),
            *(shape[1], first, taken, took_ignored, partner, iou),
        )
        return GreedyMatches(taken, took_ignored, partner, iou)
    turns = Turns(stable_order(turns.group, turns.order), turns.group)
    matched = [_by_numpy(pairs, reach, turns, column, shared, first=first) for column in ignored.T]
    taken, took_ignored = (
        np.stack(columns, axis=1) for columns in zip(*(one[:2] for one in matched), strict=True)
    )
    return GreedyMatches(taken, took_ignored, *matched[0][2:])


def outside(areas: Floats, limits: Floats) -> npt.NDArray[np.bool_]:
    """Whether each area is outside each range (objects x ranges)."""
    result = np.empty((len(areas), len(limits)), np.bool_)
    for column, (lowest, highest) in zip(result.T, limits, strict=True):
        np.logical_or(areas < lowest, areas > highest, out=column)
    return result


def _by_numpy(
    pairs: Pairs,
    reach: Bits,
    turns: Turns,
    ignored: npt.NDArray[np.bool_],
    shared: npt.NDArray[np.bool_],
    *,
    first: bool,
) -> tuple[Bits, Bits, Int64s, Floats]:
    queue, steps = _queue(pairs, turns, ignored, 1 if first else -1)
    taken, took_ignored = (np.zeros(len(turns.order), np.uint32) for _ in range(2))
    partner, iou = np.full(len(taken), -1, np.int64), np.zeros(len(taken))
    used = np.zeros(len(ignored), np.uint32)
    exclusive = np.where(shared, 0, 0xFFFFFFFF).astype(np.uint32)
    ignored_bits = np.where(ignored, 0xFFFFFFFF, 0).astype(np.uint32)
    start = 0
    for size in steps.tolist():
        rows = queue[start : start + size]
        start += size
        prediction, truth = pairs.prediction[rows], pairs.truth[rows]
        new = reach[rows] & ~used[truth] & ~taken[prediction]
        taken[prediction] |= new
        took_ignored[prediction] |= new & ignored_bits[truth]
        used[truth] |= new & exclusive[truth]
        lowest = np.flatnonzero(new & 1)
        partner[prediction[lowest]] = truth[lowest]
        iou[prediction[lowest]] = pairs.iou[rows[lowest]]
    return taken, took_ignored, partner, iou


def _queue(pairs: Pairs, turns: Turns, ignored: npt.NDArray[np.bool_], sign: int) -> tuple[Int64s, Int64s]:
    """The pairs in steps without a repeated prediction or true object, and the length of each step."""
    turn = np.empty(len(turns.order), np.int64)
    turn[turns.order] = np.arange(len(turn))
    mine = turn[pairs.prediction]
    queue = stable_order(mine)
    row = ranks(mine[queue])
    several = np.flatnonzero(_in_runs(row))
    among = queue[several]
    keys = (sign * pairs.truth[among], -pairs.iou[among], ignored[pairs.truth[among]], mine[among])
    queue[several] = among[np.lexsort(keys)]
    heads = np.flatnonzero(row == 0)
    rounds = ranks(turns.group[pairs.prediction[queue[heads]]])
    step = np.repeat(rounds, np.diff(np.append(heads, len(queue)))) * (int(row.max(initial=0)) + 1) + row
    sizes = np.bincount(step)
    return queue[stable_order(step)], sizes[sizes > 0]


def _in_runs(row: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Whether each entry belongs to a prediction with several candidates."""
    return np.asarray((row > 0) | np.append(row[1:] > 0, False))
