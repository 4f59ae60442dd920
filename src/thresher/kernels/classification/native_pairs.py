"""Pairs of items that the positive one wins, counted for all labels of a matrix of scores at once."""

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.entries import ScoreMatrix, score_matrix
from thresher.native.kernel import Array, Kernel
from thresher.native.library import library
from thresher.native.threads import threads_for
from thresher.results import Statistics

_SCORES_PER_THREAD = 1 << 20
"""Scores that make another thread worth its start; they take 3 ms."""
_MOST_ITEMS = 1 << 29
"""What the library numbers; numpy counts the pairs of more."""
_COMMON = (int, Array("int32"), Array("int64"), Array("int32"), int, Array("int64", written=True))
_KERNELS = {
    np.dtype(np.float32): Kernel("pairs_won_32", Array("float32"), *_COMMON),
    np.dtype(np.float64): Kernel("pairs_won_64", Array("float64"), *_COMMON),
}


def pairs_by_label(
    statistics: Statistics, labels: list[int], counted: npt.NDArray[np.bool_] | None
) -> dict[int, float]:
    """Per label the pairs won, a tie counting half.

    Args:
        statistics: ragged `scores` and `truths`.
        labels: codes of labels.
        counted: which items count; None for all.

    Returns:
        The labels that the library can count; none without the library, or if items list different labels.
    """
    if library() is None or not labels or statistics.size > _MOST_ITEMS:
        return {}
    matrix = score_matrix(statistics)
    if matrix is None or matrix.scores.dtype not in _KERNELS or not matrix.scores.flags.c_contiguous:
        return {}
    counts: dict[int, float] = {}
    for key in np.unique(matrix.keys[labels]).tolist():
        chosen = [label for label in labels if matrix.keys[label] == key and label in matrix.columns]
        if chosen:
            counts |= _count(matrix, chosen, _truths(matrix, key, counted))
    return counts


def _truths(matrix: ScoreMatrix, key: int, counted: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.int32]:
    truths = matrix.truths[key]
    return np.ascontiguousarray(truths if counted is None else np.where(counted, truths, -1), np.int32)


def _count(matrix: ScoreMatrix, labels: list[int], truths: npt.NDArray[np.int32]) -> dict[int, float]:
    scores = matrix.scores
    columns = np.array([matrix.columns[label] for label in labels], np.int64)
    twice = np.empty(len(labels), np.int64)
    threads = threads_for(len(truths) * len(labels), _SCORES_PER_THREAD)
    _KERNELS[scores.dtype](
        scores.reshape(-1), scores.shape[1], truths, columns, np.array(labels, np.int32), threads, twice
    )
    return dict(zip(labels, (twice / 2).tolist(), strict=True))
