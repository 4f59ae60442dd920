"""A column of scores of the same labels for all items, stored as a matrix."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self, overload

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.kernels.classification.label_scores import LabelScores
from thresher.results import FrozenColumn, Label
from thresher.results.columns import BuiltColumn

_BLOCK = 4096
"""Rows that become Python numbers at a time."""


class LabelScoresColumn(BuiltColumn):
    """One dict label -> score per item, built on access.

    It behaves as a frozen column of them. Metrics of labels, fingerprints and run directories read the matrix
    instead, so that a million scores cost no Python objects.

    Args:
        matrix: items x labels, without NaN.
        names: the label of each column, distinct texts.
    """

    __slots__ = ("names", "scores")

    def __init__(self, matrix: npt.NDArray[Any], names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.scores = LabelScores(matrix, self.names)

    @classmethod
    def of_entries(cls, entries: Sequence[Any]) -> Self | None:
        """The same entries as a matrix; None if they are not all dicts of decimals with the same labels."""
        if isinstance(entries, cls):
            return entries
        if not len(entries) or type(entries[0]) is not dict or not entries[0]:
            return None
        names = list(entries[0])
        if any(type(entry) is not dict or list(entry) != names for entry in entries):
            return None
        if set(map(type, names)) != {str} or len(set(map(Label.of, names))) < len(names):
            return None
        rows = [list(entry.values()) for entry in entries]
        if any(set(map(type, row)) != {float} for row in rows):
            return None
        matrix = np.array(rows)
        return None if np.isnan(matrix).any() else cls(matrix, names)

    @property
    def matrix(self) -> npt.NDArray[Any]:
        """Items x labels."""
        return self.scores.matrix

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(self.matrix[index], self.names)
        return dict(zip(self.names, self.matrix[index].tolist(), strict=True))

    def __len__(self) -> int:
        return len(self.scores)

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), _BLOCK):
            for row in self.matrix[start : start + _BLOCK].tolist():
                yield dict(zip(self.names, row, strict=True))

    def missing(self) -> list[int]:
        """Positions of missing entries: none."""
        return []

    def _equals(self, other: Sequence[Any]) -> bool:
        if isinstance(other, LabelScoresColumn) and other.names == self.names:
            return np.array_equal(self.matrix, other.matrix)
        return super()._equals(other)

    def __repr__(self) -> str:
        return f"LabelScoresColumn({counted(len(self), 'item')}, {counted(len(self.names), 'label')})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.matrix, self.names)

    def take(self, indices: Iterable[int]) -> Self:
        """The entries at `indices`, in that order."""
        return type(self)(self.matrix[np.fromiter(indices, np.int64)], self.names)

    @classmethod
    def concatenate(cls, parts: Sequence[FrozenColumn]) -> FrozenColumn:
        """Join several columns, in the given order."""
        known = [part for part in parts if isinstance(part, cls)]
        if len(known) < len(parts) or len({part.names for part in known}) != 1:
            return FrozenColumn.concatenate(parts)
        return (
            known[0] if len(known) == 1 else cls(np.vstack([part.matrix for part in known]), known[0].names)
        )
