"""The scores of all labels for all items, as one matrix."""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.results import Label
from thresher.results.ragged import frozen

_AXES = 2


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

    __slots__ = ("_best", "_codes", "labels", "matrix")

    def __init__(self, scores: npt.ArrayLike, labels: Sequence[Any]) -> None:
        self.matrix: npt.NDArray[Any] = frozen(scores)
        self.labels = tuple(Label.of(label) for label in labels)
        self._best: dict[tuple[int, ...], npt.NDArray[np.int64]] = {}
        self._codes: tuple[tuple[int, ...], npt.NDArray[Any]] | None = None
        if self.matrix.ndim != _AXES or self.matrix.shape[1] != len(self.labels):
            raise InputError(f"scores of shape {self.matrix.shape} are not items x {len(self.labels)} labels")
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

    def best(self, columns: tuple[int, ...]) -> npt.NDArray[np.int64]:
        """Per item the column with the highest score among some columns, the first on a tie; cached."""
        if columns not in self._best:
            matrix = self.matrix if len(columns) == len(self.labels) else self.matrix[:, columns]
            self._best[columns] = np.array(columns, dtype=np.int64)[matrix.argmax(axis=1)]
        return self._best[columns]

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
