"""Stable orders of many small integers, and ranks within groups."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.native.kernel import Array, Kernel
from thresher.native.library import library
from thresher.native.threads import threads_for
from thresher.results.ragged import Int64s

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]
_DIGIT = 16  # bits; numpy's stable sort is a radix sort up to 16 bits, and a slower one above

_POSITIONS = Array("int64", written=True)
_stable_order = Kernel("stable_order", Array("int64"), _POSITIONS)
_label_order = Kernel(
    "label_order",
    *(Array("int32"), Array("float64"), Array("int64"), int, int),
    *(Array("int32", written=True), Array("int32", written=True)),
)
_ROWS_PER_THREAD = 1 << 16
"""Rows that make another thread worth its start; sorting them takes 1 ms."""


@dataclass(frozen=True, eq=False)
class LabelOrder:
    """Predictions by label, then falling score, ties in their order.

    Attributes:
        order: positions of the predictions.
        ranks: per prediction its rank by score within its image and label, from 0.
    """

    order: Int32s
    ranks: Int32s


def stable_order(keys: npt.NDArray[Any], order: Int64s | None = None) -> Int64s:
    """Stable order of integers of at least 0, starting from `order`.

    numpy sorts 16-bit integers stably in linear time, so wider ones are sorted by digits of 16 bits.

    >>> stable_order(np.array([70000, 1, 70000, 0])).tolist()
    [3, 1, 0, 2]
    """
    result = np.arange(len(keys), dtype=np.int64) if order is None else order
    if library() is not None:
        result = result if order is None else np.array(order, dtype=np.int64)
        _stable_order(np.ascontiguousarray(keys, dtype=np.int64), result)
        return result
    highest = int(keys.max(initial=0))
    for shift in range(0, max(highest.bit_length(), 1), _DIGIT):
        digit = (keys >> shift).astype(np.uint16)  # keeps the lowest 16 bits
        result = result[np.argsort(digit[result], kind="stable")]
    return result


def by_score(scores: Floats) -> Int64s:
    """Stable order of falling scores."""
    keys = np.ascontiguousarray(_from_0_to_1(scores) + 0.0).view(np.int64)
    return stable_order(np.subtract(np.int64(0x3FF0000000000000), keys, out=keys))


def _from_0_to_1(scores: Floats) -> Floats:
    """Scores that are elsewhere, as numbers from 0 to 1 in their order: the bits of these are sorted."""
    if not len(scores) or (scores.min() >= 0 and scores.max() <= 1):
        return scores
    distinct, places = np.unique(scores, return_inverse=True)
    return np.asarray(places / len(distinct))


def broken_ties(order: Int64s, scores: Floats, ties: Floats) -> Int64s:
    """The order by falling score, with equal scores by falling `ties`."""
    values, order = scores[order], order.copy()
    same = np.append(values[1:] == values[:-1], False)[: len(values)]
    among = np.flatnonzero(same | np.append(False, same[:-1])[: len(same)])
    order[among] = order[among][np.lexsort((-ties[order[among]], -values[among]))]
    return order


def label_order(
    label: npt.NDArray[Any],
    scores: Floats,
    offsets: Int64s,
    labels: int,
    score_order: Callable[[], Int64s],
) -> LabelOrder:
    """Sort predictions by label and score.

    Args:
        label: code of each prediction, from 0.
        scores: of each prediction.
        offsets: where each image's predictions start; one more than there are images.
        labels: their number.
        score_order: returns the order of all predictions by falling score, which numpy needs.
    """
    by_image = np.empty(len(label), np.int32)
    if library() is None:
        rows = stable_order(label, score_order())
        group = np.repeat(np.arange(len(offsets) - 1) * labels, np.diff(offsets)) + label
        grouped = stable_order(group, rows)
        by_image[grouped] = ranks(group[grouped])
        order = rows.astype(np.int32)
    else:
        order = np.empty(len(label), np.int32)
        given = np.ascontiguousarray(label, np.int32), np.ascontiguousarray(_from_0_to_1(scores)), offsets
        _label_order(*given, labels, threads_for(len(label), _ROWS_PER_THREAD), order, by_image)
    by_image.flags.writeable = False  # a column of statistics, which need no copy
    return LabelOrder(order, by_image)


def starts_of(groups: npt.NDArray[Any]) -> Int64s:
    """Start positions of runs of equal numbers."""
    return np.flatnonzero(np.concatenate([[True], groups[1:] != groups[:-1]])[: len(groups)])


def ranks(groups: npt.NDArray[Any]) -> Int64s:
    """Position within its run of equal numbers, from 0.

    >>> ranks(np.array([7, 7, 2, 2, 2])).tolist()
    [0, 1, 0, 1, 2]
    """
    starts = starts_of(groups)
    lengths = np.diff(np.append(starts, len(groups)))
    return np.asarray(np.arange(len(groups)) - np.repeat(starts, lengths), dtype=np.int64)
