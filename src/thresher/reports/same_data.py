"""Whether two runs were asked the same: items of one id must have the same questions and truths."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from thresher.reports.joining import Join
from thresher.reports.run_data import RunData
from thresher.results.vocabulary import QUESTION_NAMES, VOCABULARY


def other_data(first: RunData, second: RunData, joined: Join, names: tuple[str, str]) -> list[str]:
    """Per column of the task that is not the same in both runs, one sentence.

    Only columns that the data set gives are looked at (questions and ground truths), not what the systems
    under test put out, and not columns of unknown meaning.
    """
    found = []
    for name, column in first.inputs.items():
        if not _is_task(name) or name not in second.inputs or name == joined.by:
            continue
        mine, theirs = column.take(joined.first), second.inputs[name].take(joined.second)
        differing = _differing(mine, theirs)
        if differing:
            item = first.ids[joined.first[differing[0]]]
            count = f"{len(differing)} of {len(joined.first)} items (the first is {item})"
            found.append(f"{names[0]} and {names[1]} stand on different data: `{name}` differs for {count}.")
    return found


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


def _is_task(name: str) -> bool:
    socket = VOCABULARY.get(name) or VOCABULARY.get(f"{name}s")
    return name in QUESTION_NAMES or (socket is not None and socket.role == "task")


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
    if type(one) is type(other) and callable(getattr(one, "to_dict", None)):  # images, Documents
        return _same(one.to_dict(), other.to_dict())
    return bool(one == other)
