"""Ids of rows: given ones must be distinct, derived ones are numbered where questions repeat."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.datasets._ids import derived_key, id_of_key, numbered

NO_QUESTION = -1
"""The key of a row without a question."""
_SUSPECTS = 1_000
"""Rows with the hash of an earlier id whose ids are compared. Two ids of one hash are one pair in 2**64."""

Int64s = npt.NDArray[np.int64]


class Keys:
    """A number of 64 bits for each row; rows with equal numbers may have equal ids."""

    def __init__(self) -> None:
        self._parts: list[Int64s] = []

    def add_ids(self, ids: Sequence[str]) -> None:
        """Add the hashes of ids."""
        self._parts.append(np.fromiter(map(hash, ids), np.int64, len(ids)))

    def add_questions(self, questions: Sequence[Any] | None, size: int) -> None:
        """Add the keys of derived ids; None if the data have no questions."""
        self._parts.append(question_keys(questions, size))

    def all(self) -> Int64s:
        """The keys of all rows."""
        self._parts = [np.concatenate([np.empty(0, np.int64), *self._parts])]
        return self._parts[0]

    def suspects(self) -> list[tuple[int, int, int]]:
        """Row, first row and previous row of its hash, for the first rows whose hash another row has."""
        return list(map(tuple, repeated_rows(self.all())[:_SUSPECTS, [0, 2, 3]].tolist()))


def repeated_rows(keys: Int64s) -> Int64s:
    """Find the rows whose key an earlier row has.

    Returns:
        Row, number among those with its key, first row and previous row of its key, in the order of rows.
    """
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    again = np.flatnonzero(ordered[1:] == ordered[:-1]) + 1
    if not len(again):
        return np.empty((0, 4), np.int64)
    begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    first = begins[np.searchsorted(begins, again, "right") - 1]
    found = np.stack([order[again], again - first + 1, order[first], order[again - 1]], axis=1)
    return found[np.argsort(found[:, 0])]


def question_keys(questions: Sequence[Any] | None, size: int) -> Int64s:
    """The hashes of questions; None if the data have none."""
    if questions is None:
        return np.full(size, NO_QUESTION, np.int64)
    known = (NO_QUESTION if entry is None else derived_key(entry) for entry in questions)
    return np.fromiter(known, np.int64, size)


def ids_of_keys(keys: Int64s, numbers: Int64s, first: int) -> list[str]:
    """The ids of rows from `first` on, by the hashes of their questions."""
    return [
        f"row-{row + 1}" if key == NO_QUESTION else numbered(id_of_key(key), number)
        for row, (key, number) in enumerate(zip(keys.tolist(), numbers.tolist(), strict=True), start=first)
    ]
