"""Columns in which nothing can be missing."""

from typing import Any

from thresher.results import FrozenColumn


class Whole(FrozenColumn):
    """Stands for a column of arrays where only its length is asked for, and its gaps: it has none."""

    __slots__ = ("_size",)

    def __init__(self, column: Any) -> None:
        super().__init__()
        self._size = len(column)

    def __len__(self) -> int:
        return self._size

    def missing(self) -> list[int]:
        """No entry is None."""
        return []
