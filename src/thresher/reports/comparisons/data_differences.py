"""Whether two runs have the same data: items of one id must have the same questions and truths."""

import pickle
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from thresher.counted import counted
from thresher.files.text_hashes import as_texts, text_hashes
from thresher.reports.comparisons.join import Join, Positions, have_same_data
from thresher.reports.runs.run_data import RunData
from thresher.results import FrozenColumn
from thresher.results.column_roles import assign_roles
from thresher.results.open_columns import Columns
from thresher.results.parted_columns import PartedColumn
from thresher.results.taken_entries import is_ascending, taken_entries
from thresher.results.vocabulary import VOCABULARY, Role

_USAGE = frozenset({"seconds", "input_tokens", "output_tokens", "costs"})
_ANSWERS = ("predicted_answers", "predictions", "conversations")
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
    asked, also_asked = _columns(first, "task"), _columns(second, "task")
    for name, socket in asked.items():
        other = name if name in second.inputs else _playing(socket, also_asked)
        if other is None or name == joined.by:
            continue
        number, earliest = _count_differing(first.inputs[name], second.inputs[other], joined)
        if number:
            item = first.ids[int(joined.first[earliest])]
            count = f"{number} of {counted(len(joined.first), 'item')} (the first is {item})"
            runs = f"{names[0]} and {names[1]}"
            sentences.append(f"{runs} were evaluated on different data: `{name}` differs in {count}.")
    return sentences


def _count_differing(mine: FrozenColumn, theirs: FrozenColumn, joined: Join) -> tuple[int, int]:
    """Number of joined items whose entries differ, and the place of the first one (-1 without any)."""
    number, earliest = 0, -1
    for places, own, its in _blocks(mine, theirs, joined):
        if differing := _differing(own, its):
            earliest = int(places[differing[0]]) if not number else earliest
            number += len(differing)
    return number, earliest


def _blocks(
    mine: FrozenColumn, theirs: FrozenColumn, joined: Join
) -> Iterator[tuple[Sequence[int] | Positions, FrozenColumn, FrozenColumn]]:
    """Places and entries of the joined items, some at a time; equal ones may be left out."""
    every = isinstance(joined.first, range) and isinstance(joined.second, range)
    if (
        isinstance(mine, PartedColumn)
        and isinstance(theirs, PartedColumn)
        and every
        and mine.ends == theirs.ends
    ):
        for start, own, its in mine.differing_parts(theirs):
            yield range(start, start + len(own)), own, its
        return
    places = np.arange(len(joined.first))
    if isinstance(theirs, PartedColumn) and len(places) > _BLOCK and not is_ascending(joined.there):
        places = _places_of_other_digests(mine, theirs, joined)
    here = places if isinstance(joined.first, range) else joined.here[places]
    sides = taken_entries(mine, here, _BLOCK), taken_entries(theirs, joined.there[places], _BLOCK)
    for start, own, its in zip(range(0, len(places), _BLOCK), *sides, strict=True):
        yield places[start : start + _BLOCK], own, its


def _places_of_other_digests(mine: FrozenColumn, theirs: FrozenColumn, joined: Join) -> Positions:
    """Places of the joined items whose entries may differ, from hashes of 64 bits.

    Reading the entries of one run in the order of the other takes more time, and space on the disk.
    """
    digests, end = np.empty(len(theirs), np.int64), 0
    for others in _digests(theirs):
        start, end = end, end + len(others)
        digests[start:end] = others
    differing, end = [np.empty(0, np.int64)], 0
    for own in _digests(mine):
        start, end = end, end + len(own)
        low, high, compared = start, end, own
        if not isinstance(joined.first, range):
            low, high = np.searchsorted(joined.first, [start, end])
            compared = own[joined.here[low:high] - start]
        differing.append(np.flatnonzero(compared != digests[joined.there[low:high]]) + low)
    return np.concatenate(differing)


def _digests(column: FrozenColumn) -> Iterator[Positions]:
    """Hashes part by part; those of equal entries of the same types are equal."""
    for entries in column.parts() if isinstance(column, PartedColumn) else [column]:
        if not isinstance(entries, FrozenColumn):  # of texts
            yield text_hashes(as_texts(entries))
            continue
        hashes = text_hashes(as_texts([entry if isinstance(entry, str) else None for entry in entries]))
        for row, entry in enumerate(entries):
            if entry is not None and not isinstance(entry, str):
                hashes[row] = hash(pickle.dumps(entry))
        yield hashes


def same_answers(first: RunData, second: RunData, joined: Join) -> bool:
    """Whether two whole runs over the same items got the same answers to all of them, byte by byte.

    What an answer took, in seconds or money, is not part of it. A missing answer equals nothing.
    """
    own, other = (
        {socket: name for name, socket in _columns(run, "output").items() if socket not in _USAGE}
        for run in (first, second)
    )
    whole = first.complete and second.complete and len(joined.first) == len(first) == len(second)
    if not whole or not own or own.keys() != other.keys():
        return False
    pairs = [(first.inputs[own[socket]], second.inputs[other[socket]]) for socket in own]
    # Of most runs the first entries differ already, so that not all are read.
    if any(len(_differing(here, there)) for pair in pairs for _, here, there in _blocks(*pair, joined)):
        return False
    answers = [first.inputs[own[socket]] for socket in _ANSWERS if socket in own]
    return not any(entry is None for column in answers for entry in column)


def same_usage(first: RunData, second: RunData, joined: Join) -> bool:
    """Whether the answers of two runs took the same, in seconds, tokens and money."""
    own, other = (
        {socket: name for name, socket in _columns(run, "output").items()} for run in (first, second)
    )
    return not any(
        _count_differing(first.inputs[own[socket]], second.inputs[other[socket]], joined)[0]
        for socket in _USAGE & own.keys() & other.keys()
    )


def _columns(run: RunData, role: Role) -> dict[str, str]:
    """Column -> socket, for columns of the data set or of the outputs."""
    singular = {name: f"{name}s" for name in run.inputs if f"{name}s" in VOCABULARY}
    sockets = singular | dict(assign_roles(Columns(run.inputs)).sockets)
    return {name: socket for name, socket in sockets.items() if VOCABULARY[socket].role == role}


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
    if all(isinstance(entry, dict) for entry in plain) and ("ids" in plain[0]) != ("ids" in plain[1]):
        for entry in plain:  # of objects in files of two formats, where one does not name objects
            entry.pop("ids", None)
    if type(one) is type(other) or isinstance(one, dict) or isinstance(other, dict):  # images, Documents
        return _same(*plain) if plain[0] is not one or plain[1] is not other else bool(one == other)
    return bool(one == other)
