"""Whether two runs have the same data: items of one id must have the same questions and truths."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from thresher.reports.comparisons.join import Join, have_same_data
from thresher.reports.runs.run_data import RunData
from thresher.results import FrozenColumn
from thresher.results.column_roles import assign_roles
from thresher.results.open_columns import Columns
from thresher.results.parted_columns import PartedColumn
from thresher.results.vocabulary import VOCABULARY

_BLOCK = 100_000
"""Items whose entries are compared at a time, so that texts of long runs do not fill the memory."""


def other_data(first: RunData, second: RunData, joined: Join, names: tuple[str, str]) -> list[str]:
    """Return one sentence per column of the task that differs between the runs.

    Only columns of the data set are compared (questions and ground truths), not outputs of the systems under
    test, and not columns of unknown meaning.
    """
    if have_same_data(first, second):
        return []
    sentences = []
    asked, also_asked = _task_columns(first), _task_columns(second)
    for name, socket in asked.items():
        other = name if name in second.inputs else _playing(socket, also_asked)
        if other is None or name == joined.by:
            continue
        number, earliest = _count_differing(first.inputs[name], second.inputs[other], joined)
        if number:
            item = first.ids[int(joined.first[earliest])]
            count = f"{number} of {len(joined.first)} items (the first is {item})"
            runs = f"{names[0]} and {names[1]}"
            sentences.append(f"{runs} were evaluated on different data: `{name}` differs in {count}.")
    return sentences


def _count_differing(mine: FrozenColumn, theirs: FrozenColumn, joined: Join) -> tuple[int, int]:
    """Number of joined items whose entries differ, and the place of the first one (-1 without any)."""
    number, earliest = 0, -1
    for start, own, its in _blocks(mine, theirs, joined):
        if differing := _differing(own, its):
            earliest = start + differing[0] if not number else earliest
            number += len(differing)
    return number, earliest


def _blocks(
    mine: FrozenColumn, theirs: FrozenColumn, joined: Join
) -> Iterator[tuple[int, FrozenColumn, FrozenColumn]]:
    """Entries of the joined items, a part or `_BLOCK` of them at a time; equal ones may be left out."""
    every = isinstance(joined.first, range) and joined.first == joined.second
    if (
        isinstance(mine, PartedColumn)
        and isinstance(theirs, PartedColumn)
        and every
        and mine.ends == theirs.ends
    ):
        yield from mine.differing_parts(theirs)
        return
    for start in range(0, len(joined.first), _BLOCK):
        block = slice(start, start + _BLOCK)
        yield start, mine.take(joined.here[block].tolist()), theirs.take(joined.there[block].tolist())


def _task_columns(run: RunData) -> dict[str, str]:
    """Column -> socket, for columns of the data set."""
    singular = {name: f"{name}s" for name in run.inputs if f"{name}s" in VOCABULARY}
    sockets = singular | dict(assign_roles(Columns(run.inputs)).sockets)
    return {name: socket for name, socket in sockets.items() if VOCABULARY[socket].role == "task"}


def _playing(socket: str, columns: Mapping[str, str]) -> str | None:
    return next((name for name, own in columns.items() if own == socket), None)


def same_entries(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two columns hold the same, entry by entry, whatever the entries are."""
    return len(one) == len(other) and not _differing(one, other)


def _differing(one: Sequence[Any], other: Sequence[Any]) -> list[int]:
    """Positions of the entries that are not the same."""
    try:
        if tuple(one) == tuple(other):
            return []
    except ValueError:  # arrays among the entries
        pass
    pairs = zip(one, other, strict=True)
    return [item for item, (mine, theirs) in enumerate(pairs) if not _same(mine, theirs)]


def _same(one: Any, other: Any) -> bool:  # noqa: PLR0911  (one return a kind)
    """Equality of entries of any kind; nothing equals nothing."""
    if one is other:
        return True
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (one != one and other != other)  # noqa: PLR0124 (NaN)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, Sequence) and isinstance(other, Sequence) and not isinstance(one, str):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    plain = [
        entry.to_dict() if callable(getattr(entry, "to_dict", None)) else entry for entry in (one, other)
    ]
    if type(one) is type(other) or isinstance(one, dict) or isinstance(other, dict):  # images, Documents
        return _same(*plain) if plain[0] is not one or plain[1] is not other else bool(one == other)
    return bool(one == other)
