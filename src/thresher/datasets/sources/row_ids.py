"""Ids of rows: given ones must be distinct, derived ones are numbered where questions repeat."""

import heapq
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from thresher.datasets._ids import derived_key, id_of_key, numbered
from thresher.files.building import GrowingFile, Records
from thresher.files.sorted_pairs import SortedPairs, repeats

REPEATS = "repeats.bin"
"""Row and occurrence of every row whose question was asked before."""
_NO_QUESTION = -1
_SUSPECTS = 1_000
"""Rows with the hash of an earlier id whose ids are compared. Two ids of one hash are one pair in 2**64."""
_BLOCK = 10_000


class GivenIds:
    """The hashes of the ids that rows have. Rows of one hash are suspects, whose ids are to be compared.

    Args:
        folder: where the hashes are sorted.
    """

    def __init__(self, folder: Path) -> None:
        self._pairs = SortedPairs(folder / "ids.tmp")
        self._rows = 0

    def add(self, ids: Sequence[str]) -> None:
        """Add the ids of the next rows."""
        keys = np.fromiter(map(hash, ids), np.int64, len(ids))
        self._pairs.append(keys, np.arange(self._rows, self._rows + len(ids)))
        self._rows += len(ids)

    def suspects(self) -> list[tuple[int, int, int]]:
        """Row, first row and previous row of its hash, for the first rows whose hash another row has."""
        rows = (tuple(map(int, row)) for batch in repeats(self._pairs) for row in batch[:, [0, 2, 3]])
        return heapq.nsmallest(_SUSPECTS, rows)  # type: ignore[arg-type]


class DerivedIds:
    """Ids that are derived from questions and numbers of rows.

    Args:
        folder: where the index is written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._keys = GrowingFile(folder / "keys.tmp")
        self._pairs = SortedPairs(folder / "questions.tmp")
        self._rows = 0

    def add(self, questions: Sequence[Any] | None, size: int) -> None:
        """Add the questions of the next rows; None if the data have no questions."""
        entries = [None] * size if questions is None else questions
        known = (_NO_QUESTION if entry is None else derived_key(entry) for entry in entries)
        keys = np.fromiter(known, np.int64, size)
        self._keys.append(keys.tobytes())
        asked = np.flatnonzero(keys != _NO_QUESTION)
        self._pairs.append(keys[asked], asked + self._rows)
        self._rows += size

    def finish(self) -> Iterator[list[str]]:
        """Number the repeated questions; then yield all ids in order. Nothing can be added afterwards."""
        by_row = SortedPairs(self._folder / "rows.tmp")
        for batch in repeats(self._pairs):
            by_row.append(batch[:, 0], batch[:, 1])
        written = GrowingFile(self._folder / REPEATS)
        for pairs in by_row.in_order():
            written.append(pairs.tobytes())
        written.flush()
        self._keys.flush()
        keys, numbers = Records(self._keys.path, 1), Numbers(self._folder)
        for start in range(0, self._rows, _BLOCK):
            stop = min(start + _BLOCK, self._rows)
            yield numbers.ids(keys.read(start, stop)[:, 0].tolist(), start)
        self._keys.path.unlink()


class Numbers:
    """The numbers of repeated questions in an index.

    Args:
        folder: the index.
    """

    def __init__(self, folder: Path) -> None:
        self._records = Records(folder / REPEATS, 2)

    def ids(self, keys: Sequence[int], first: int) -> list[str]:
        """The ids of rows from `first` on, by the hashes of their questions."""
        occurrences = dict(self._between(first, first + len(keys)))
        return [
            f"row-{row + 1}" if key == _NO_QUESTION else numbered(id_of_key(key), occurrences.get(row, 1))
            for row, key in enumerate(keys, start=first)
        ]

    def ids_of(self, questions: Sequence[Any] | None, size: int, first: int) -> list[str]:
        """The ids of rows from `first` on, by their questions; None if the data have no questions."""
        entries = [None] * size if questions is None else questions
        return self.ids([_NO_QUESTION if entry is None else derived_key(entry) for entry in entries], first)

    def _between(self, start: int, stop: int) -> list[tuple[int, int]]:
        first, last = self._records.place_of(start), self._records.place_of(stop)
        return [(int(row), int(number)) for row, number in self._records.read(first, last)]
