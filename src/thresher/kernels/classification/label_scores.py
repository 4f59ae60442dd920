"""The scores of all labels for all items, as one matrix."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.native.threads import threads_for
from thresher.results import Label
from thresher.results.ragged import frozen

_AXES = 2
_SCORES_PER_BLOCK = 1 << 18
"""Scores whose lowest and highest are read while the cache still holds them."""
_SCORES_PER_THREAD = 1 << 20
_Best = tuple[npt.NDArray[np.int64], npt.NDArray[Any]]


class LabelScores(Sequence[dict[str, float]]):
    """A column of predictions with one score per item and label, stored as a matrix.

    It behaves as a list of dictionaries label -> score; its deep copy is the column itself, so that pipelines
    do not copy it.

    Args:
        scores: items x labels.
        labels: the label of each column: strings, integers or `Label`s.

    Raises:
        InputError: if the matrix does not hold numbers or does not have two axes, or if the labels do not fit
            its columns or repeat.

    >>> column = LabelScores([[0.9, 0.1], [0.2, 0.8]], ["cat", "dog"])
    >>> len(column), column[1]
    (2, {'cat': 0.2, 'dog': 0.8})
    """

    __slots__ = ("_best", "_bounds", "_codes", "labels", "matrix")

    def __init__(self, scores: npt.ArrayLike, labels: Sequence[Any]) -> None:
        self.matrix: npt.NDArray[Any] = frozen(scores)
        self.labels = tuple(Label.of(label) for label in labels)
        self._best: dict[tuple[int, ...], _Best] = {}
        self._bounds: tuple[float, float] | None = None
        self._codes: tuple[tuple[int, ...], npt.NDArray[Any]] | None = None
        if self.matrix.ndim != _AXES or self.matrix.shape[1] != len(self.labels):
            raise InputError(
                f"scores of shape {self.matrix.shape} are not items x {counted(len(self.labels), 'label')}"
            )
        if len(set(self.labels)) < len(self.labels):
            raise InputError("two columns of scores have the same label; give each label once")

    def __len__(self) -> int:
        return len(self.matrix)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(self.matrix[index], self.labels)
        return dict(zip(map(str, self.labels), self.matrix[index].tolist(), strict=True))

    def __iter__(self) -> Iterator[dict[str, float]]:
        return (self[item] for item in range(len(self)))

    def best(self, columns: tuple[int, ...]) -> _Best:
        """Per item the best column among some, the first on a tie, and its score; cached."""
        if columns not in self._best:
            if len(columns) == len(self.labels):
                self._best[columns], self._bounds = _best_and_bounds(self.matrix)
            else:
                best = np.array(columns, dtype=np.int64)[self.matrix[:, columns].argmax(axis=1)]
                self._best[columns] = best, self.matrix[np.arange(len(best)), best]
        return self._best[columns]

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest score, both NaN if one is NaN; cached. The matrix must not be empty."""
        if self._bounds is None:
            self._bounds = float(self.matrix.min()), float(self.matrix.max())
        return self._bounds

    def entries(self, codes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The label of each score, item after item, as codes of a vocabulary; the last ones are cached.

        Args:
            codes: the code of each column's label.
        """
        key = tuple(codes.tolist())
        if self._codes is None or self._codes[0] != key or self._codes[1].dtype != codes.dtype:
            table = np.empty(self.matrix.shape, codes.dtype)
            table[:] = codes
            table.flags.writeable = False  # no other reference exists, so that it need not be copied
            self._codes = key, table.reshape(-1)
        return self._codes[1]

    def __contains__(self, entry: object) -> bool:
        return entry is not None and any(entry == scores for scores in self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _best_and_bounds(matrix: npt.NDArray[Any]) -> tuple[_Best, tuple[float, float] | None]:
    """The best column of each row and its score; the lowest and highest score of all, None without rows."""
    best, highest = np.empty(len(matrix), np.int64), np.empty(len(matrix), matrix.dtype)
    step = max(_SCORES_PER_BLOCK // matrix.shape[1], 1)

    def read(start: int) -> tuple[float, float]:
        block = slice(start, start + step)
        rows = matrix[block]
        np.argmax(rows, axis=1, out=best[block])
        highest[block] = rows[np.arange(len(rows)), best[block]]
        return float(rows.min()), float(rows.max())

    with ThreadPoolExecutor(threads_for(matrix.size, _SCORES_PER_THREAD)) as threads:
        extremes = np.array(list(threads.map(read, range(0, len(matrix), step))))
    bounds = (float(extremes[:, 0].min()), float(extremes[:, 1].max())) if len(matrix) else None
    return (best, highest), bounds
