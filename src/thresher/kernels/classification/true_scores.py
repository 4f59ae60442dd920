"""How the score of each true label compares with the scores of the other labels of its key."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.results import Ragged
from thresher.results.labels import sums_by_code

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[Any]
_SCORES_PER_BLOCK = 1 << 18
"""Scores of a matrix that are compared at a time: their results stay in the cache."""


@dataclass(frozen=True)
class TrueScores:
    """Per true label (item and key): sums over the scores that its prediction lists for the key.

    Attributes:
        score: the score of the true label; 0 if it is not listed.
        listed: whether the true label is listed.
        total: sum of all scores of the key.
        squares: sum of the squared scores of the other labels.
        above: number of labels with a higher score.
        before: number of labels with an equal score that are listed before it.
        ties: number of labels with an equal score.
    """

    score: Floats
    listed: npt.NDArray[np.bool_]
    total: Floats
    squares: Floats
    above: Floats
    before: Floats
    ties: Floats

    @classmethod
    def of(cls, truths: Ragged, scores: Ragged, keys: Ints) -> Self:
        """Compare scores in ragged entries.

        Args:
            truths: with `truth`, at most one per item and key.
            scores: with `label` and `score`.
            keys: the key of each label.
        """
        places, size = truth_places(truths, scores, keys), truths.entries
        rows = np.flatnonzero(places >= 0)
        at, label = places[rows], scores["label"][rows]
        value, order = scores["score"][rows].astype(np.float64), np.arange(len(rows))
        own = label == truths["truth"][at]
        score, position, listed = np.zeros(size), np.full(size, -1), np.zeros(size, np.bool_)
        score[at[own]], position[at[own]], listed[at[own]] = value[own], order[own], True
        tied = (value == score[at]) & ~own & listed[at]

        def count(mask: npt.NDArray[np.bool_]) -> Floats:
            return sums_by_code(at[mask], np.ones(int(mask.sum())), size)

        return cls(
            score,
            listed,
            sums_by_code(at, value, size),
            sums_by_code(at[~own], value[~own] ** 2, size),
            count((value > score[at]) & ~own),
            count(tied & (order < position[at])),
            count(tied),
        )

    @classmethod
    def of_matrix(cls, matrix: npt.NDArray[Any], columns: Ints) -> Self:
        """Compare the scores in the rows of a matrix.

        Args:
            matrix: items x labels of one key.
            columns: per item the column of its true label; -1 for a label without a column.

        >>> scores = TrueScores.of_matrix(np.array([[0.5, 0.25, 0.25]]), np.array([2]))
        >>> scores.score.tolist(), scores.above.tolist(), scores.before.tolist(), scores.squares.tolist()
        ([0.25], [1.0], [1.0], [0.3125])
        """
        step = max(_SCORES_PER_BLOCK // max(matrix.shape[1], 1), 1)
        blocks = [
            _compare(matrix[start : start + step], columns[start : start + step])
            for start in range(0, max(len(matrix), 1), step)
        ]
        joined = [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
        return cls(joined[0], joined[1] > 0, *joined[2:])


def truth_places(truths: Ragged, scores: Ragged, keys: Ints) -> Ints:
    """Per score the place of its item's true label of the same key in `truths`; -1 for none."""
    table = np.full((int(keys.max(initial=0)) + 1, truths.size), -1, np.int64)
    table[keys[truths["truth"]], truths.owners] = np.arange(truths.entries)
    return np.asarray(table[keys[scores["label"]], scores.owners])


def _compare(matrix: npt.NDArray[Any], columns: Ints) -> list[Floats]:
    rows, listed = np.arange(len(matrix)), columns >= 0
    values = matrix.astype(np.float64, copy=False)
    score = np.where(listed, values[rows, columns], 0.0)
    others = values.copy()
    others[rows[listed], columns[listed]] = 0.0
    # Where the true label is not listed, ranks mean nothing; the callers check `listed`.
    tied = values == score[:, None]
    tied[rows, columns] = False
    before = tied & (np.arange(matrix.shape[1]) < columns[:, None])
    sums = [values.sum(axis=1), (others**2).sum(axis=1)]
    counts = [(values > score[:, None]).sum(axis=1), before.sum(axis=1), tied.sum(axis=1)]
    return [score, listed.astype(np.float64), *sums, *(count.astype(np.float64) for count in counts)]
