"""The join of runs' items: by id, else by question, never by position."""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.reports.comparisons.file_names import FILE_NAME, file_keys
from thresher.reports.runs.run_data import RunData
from thresher.results import FrozenColumn
from thresher.results.column_roles import columns_for
from thresher.results.parted_columns import PartedColumn

Positions = npt.NDArray[np.int64]
Keys = npt.NDArray[np.int64]
"""What items are matched by: hashes of 64 bits, seeded in each process, or `NO_KEY`.

For two runs of a million items the chance of any wrong match is 1 in 10 million.
"""
NO_KEY = -1
"""The key of an item that cannot be matched; Python's hashes are never -1."""
_REPEAT = -7046029254386353131
"""Difference between the keys of two repeats: 2^64 divided by the golden ratio."""


@dataclass(frozen=True)
class Join:
    """Items that two runs have in common.

    Attributes:
        by: `id`, the name of the question column, or `file_name`.
        here: positions in the first run, in its order.
        there: the matching positions in the second run.
        only_first: number of items that the second run lacks.
        only_second: number of items that the first run lacks.
        repeated: number of questions that occur more than once among the matched items.
    """

    by: str
    here: Positions
    there: Positions
    only_first: int
    only_second: int
    repeated: int = 0

    def is_whole(self, *sizes: int) -> bool:
        """Whether these are the positions of all items of runs of these sizes, in their order."""
        return all(map(is_every, (self.here, self.there), sizes))

    def note(self, names: tuple[str, str]) -> str | None:
        """Return which items were matched, in sentences; None if both runs have the same items once."""
        sentences = []
        parts = [
            f"{count} only in {name}"
            for count, name in zip((self.only_first, self.only_second), names, strict=True)
            if count
        ]
        if parts:
            sentences.append(
                f"Compared over the {counted(len(self.here), 'item')} in both runs ({' and '.join(parts)})."
            )
        if self.by == FILE_NAME:
            sentences.append("Ids differ: matched by the names of image files, without folder and ending.")
        if self.repeated:
            more = counted(self.repeated, "question occurs", "questions occur")
            sentences.append(
                f"{more} more than once: joined first to first, second to second; ids would be safer."
            )
        return " ".join(sentences) or None


def is_every(positions: npt.NDArray[np.signedinteger[Any]], size: int) -> bool:
    """Whether positions are those of all items of a run of this size, in their order."""
    return len(positions) == size and bool((positions == np.arange(size)).all())


def join(first: RunData, second: RunData) -> Join:
    """Match the items of two runs by their ids if both have some, else by their questions or files of images.

    A question that occurs several times is joined in the order of its repeats: the first with the first, the
    second with the second. Items without a question are in no other run.

    Raises:
        InputError: if the runs share neither ids nor questions.
    """
    tried = []
    if first.ids_given and second.ids_given:
        tried.append("ids")
        if have_same_data(first, second) or first.ids == second.ids:
            return _join("id", np.arange(len(first)), len(second))
        if matched := _match("id", id_keys(first), id_keys(second)):
            return matched
    (by, keys, numbers), (_, other_keys, _) = map(question_keys, (first, second))
    if keys is not None and other_keys is not None:
        tried.append("questions")
        if matched := _match(by, keys, other_keys, numbers):
            return matched
    if (files := file_keys(first, second)) is not None:
        tried.append("names of files")
        if matched := _match(FILE_NAME, *map(keys_of, files)):
            return matched
    names = first.name or "the first run", second.name or "the second run"
    lacking = [name for name, run in zip(names, (first, second), strict=True) if not run.ids_given]
    heads = [str(next(iter(run.ids), "")) for run in (first, second)]
    like = f"; their first ids are {heads[0]!r} and {heads[1]!r}" if "ids" in tried else ""
    trouble = (
        f"have no items in common (compared by their {' and '.join(tried)}{like})"
        if tried
        else f"cannot be joined: {' and '.join(lacking)} came without ids, and there are no questions in both"
    )
    raise InputError(f"{names[0]} and {names[1]} {trouble}; give both runs the same `id` column")


def have_same_data(first: RunData, second: RunData) -> bool:
    """Whether two runs on disk were made from equal data, item by item, so that positions identify items."""
    runs = (first, second)
    prints = {run.ids.data if isinstance(run.ids, PartedColumn) else "" for run in runs}
    return len(prints) == 1 and "" not in prints and len(first) == len(second)


def keys_of(texts: Collection[str]) -> Keys:
    """Return the keys of texts; equal texts have equal keys."""
    return np.fromiter(map(hash, texts), np.int64, len(texts))


_keys_of_ids: WeakKeyDictionary[FrozenColumn, Keys] = WeakKeyDictionary()
"""A leaderboard joins each run several times."""


def id_keys(run: RunData) -> Keys:
    """Return the keys of the ids of a run."""
    if run.ids not in _keys_of_ids:
        _keys_of_ids[run.ids] = keys_of(run.ids)
    return _keys_of_ids[run.ids]


def question_keys(run: RunData) -> tuple[str, Keys, Positions] | tuple[str, None, None]:
    """Return the name of the run's question column, keys of question and repeat, and the numbers of the repeats.

    None without a column that has an entry.
    """
    for name in columns_for("questions", run.inputs):
        column = run.inputs[name]
        keys = np.fromiter(map(_question_key, column), np.int64, len(column))
        if not len(keys) or (keys != NO_KEY).any():
            numbers = _repeats(keys)
            return name, np.where(keys == NO_KEY, keys, keys + (numbers - 1) * _REPEAT), numbers
    return "", None, None


def numbered_questions(run: RunData) -> Iterator[tuple[str, int] | None] | None:
    """Return each question with the number of its repeat, and None for a missing one; None without questions."""
    name, _, numbers = question_keys(run)
    if numbers is None:
        return None
    entries = zip(run.inputs[name], numbers.tolist(), strict=True)
    return (None if _is_missing(question) else (str(question), number) for question, number in entries)


def places_among(keys: Keys, others: Keys) -> Positions:
    """Return the place of each key among others; -1 if it is not there.

    >>> places_among(np.array([7, NO_KEY, 9]), np.array([9, NO_KEY, 7])).tolist()
    [2, -1, 0]
    """
    if not len(others):
        return np.full(len(keys), -1)
    own, order = np.argsort(keys), np.argsort(others)  # sorted, they are found in a third of the time
    sought, known = keys[own], others[order]
    found = np.minimum(np.searchsorted(known, sought), len(known) - 1)
    places = np.empty(len(keys), np.int64)
    places[own] = np.where((known[found] == sought) & (sought != NO_KEY), order[found], -1)
    return places


def _match(by: str, keys: Keys, others: Keys, numbers: Positions | None = None) -> Join | None:
    """Match keys; None if none is shared."""
    there = places_among(keys, others)
    if not (there >= 0).any() and (len(keys) or len(others)):
        return None
    return _join(by, there, len(others), numbers)


def _join(by: str, there: Positions, others: int, numbers: Positions | None = None) -> Join:
    here = np.flatnonzero(there >= 0)
    repeated = 0 if numbers is None else int(np.count_nonzero(numbers[here] == 2))  # noqa: PLR2004
    return Join(by, here, there[here], len(there) - len(here), others - len(here), repeated)


def _repeats(keys: Keys) -> Positions:
    """For each key the number of its occurrences up to there, from 1.

    >>> _repeats(np.array([5, 6, 5])).tolist()
    [1, 1, 2]
    """
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order], prepend=keys[order[:1]] - 1))
    numbers = np.empty(len(keys), np.int64)
    numbers[order] = np.arange(1, len(keys) + 1) - np.repeat(starts, np.diff(starts, append=len(keys)))
    return numbers


def _question_key(question: Any) -> int:
    return NO_KEY if _is_missing(question) else hash(str(question))


def _is_missing(question: Any) -> bool:
    return question is None or (isinstance(question, float) and math.isnan(question))
