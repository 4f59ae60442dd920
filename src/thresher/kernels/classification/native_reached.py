"""Scores of a matrix that reach the thresholds of a curve, by the native kernels."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.native.kernel import Array, Kernel
from thresher.native.library import library
from thresher.native.threads import threads_for

Ints = npt.NDArray[Any]
_SCORES_PER_THREAD = 1 << 20
"""Scores that make another thread worth its start; they take 1 ms."""
_CODES, _BYTES = Array("int32", written=True), Array("uint8", written=True)
_SCORES = Array("float32|float64")
_MATRIX = (_SCORES, int, _SCORES, Array("int32"), Array("int32"), Array("int32"), int, int)

_count_reached = Kernel("count_reached", *_MATRIX, Array("int64", written=True))
_reached_scores = Kernel("reached_scores", *_MATRIX, Array("int64"), _CODES, _BYTES, _CODES, _BYTES, _BYTES)


@dataclass(frozen=True)
class ReachedScores:
    """Scores that reach the lowest threshold, item after item.

    Attributes:
        lengths: number of scores per item.
        labels: code of each score's label.
        steps: number of thresholds that each score reaches.
        truths: the item's true label of the same key; -1 for none.
        own: keys x items, the step of the true label's score.
        other: keys x items, the highest step of another label.
    """

    lengths: Ints
    labels: Ints
    steps: Ints
    truths: Ints
    own: Ints
    other: Ints


def reached_scores(
    scores: npt.NDArray[Any],
    thresholds: tuple[float, ...],
    columns: tuple[Ints, Ints],
    truths: Ints,
    *,
    every: bool,
) -> ReachedScores | None:
    """Return the scores that reach a threshold; None if the library cannot find them.

    Args:
        scores: items x columns, without NaN.
        thresholds: rising; compared in the precision of the scores.
        columns: per column the code of its label, and the number of the label's key.
        truths: keys x items, the code of the true label; -1 for none.
        every: whether scores for a key without a true label count as well.
    """
    if (
        library() is None
        or scores.dtype not in {np.dtype(np.float32), np.dtype(np.float64)}
        or not scores.flags.c_contiguous
    ):
        return None
    arguments = (
        scores.reshape(-1),
        scores.shape[1],
        np.asarray(thresholds).astype(scores.dtype),
        *(np.ascontiguousarray(codes, np.int32) for codes in (*columns, truths.reshape(-1))),
        every,
        threads_for(scores.size, _SCORES_PER_THREAD),
    )
    lengths = np.empty(len(scores), np.int64)
    _count_reached(*arguments, lengths)
    offsets = np.append(0, np.cumsum(lengths))
    labels, true = np.empty((2, int(offsets[-1])), np.int32)
    steps = np.empty(labels.shape, np.uint8)
    own, other = np.zeros((2, *truths.shape), np.uint8)
    _reached_scores(*arguments, offsets, labels, steps, true, own.reshape(-1), other.reshape(-1))
    kind = columns[0].dtype
    reached = labels.astype(kind), steps, true.astype(kind)
    for column in reached:
        column.flags.writeable = False  # no other reference exists, so that it need not be copied
    return ReachedScores(lengths, *reached, own, other)
