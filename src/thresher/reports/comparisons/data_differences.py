"""Whether two runs have the same data: items of one id must have the same questions and truths."""

import pickle
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from thresher.counted import counted
from thresher.reports.comparisons.join import Join, Keys, have_same_data
from thresher.reports.runs.run_data import RunData
from thresher.results import FrozenColumn
from thresher.results.column_roles import assign_roles
from thresher.results.open_columns import Columns
from thresher.results.parted_columns import PartedColumn
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
        places = [*chain.from_iterable(_differing_places(first.inputs[name], second.inputs[other], joined))]
        if places:
            item = first.ids[int(joined.here[places[0]])]
            count = f"{len(places)} of {counted(len(joined.here), 'item')} (the first is {item})"
            runs = f"{names[0]} and {names[1]}"
            sentences.append(f"{runs} were evaluated on different data: `{name}` differs in {count}.")
    return sentences


def _differing_places(mine: FrozenColumn, theirs: FrozenColumn, joined: Join) -> Iterator[Sequence[int]]:
    """Yield the places of the joined items whose entries differ, some at a time, in order."""
    places = np.arange(len(joined.here))
    if isinstance(mine, PartedColumn) and isinstance(theirs, PartedColumn):
        if mine.ends == theirs.ends and joined.is_whole(len(mine), len(theirs)):
            for start, own, its in mine.differing_parts(theirs):
                yield [start + row for row in _differing(own, its)]
            return
        (digests, texts), (others, also_texts) = map(_digests, (mine, theirs))
        places = np.flatnonzero(digests[joined.here] != others[joined.there])
        if texts and also_texts:
            yield places.tolist()
            return
    for start in range(0, len(places), _BLOCK):
        some = places[start : start + _BLOCK]
        own, its = mine.take(joined.here[some].tolist()), theirs.take(joined.there[some].tolist())
        yield some[_differing(own, its)].tolist()


def _digests(column: FrozenColumn) -> tuple[Keys, bool]:
    """Hashes of the entries, and whether these are texts or missing, so that other hashes mean other entries."""
    digests, only_texts, end = np.empty(len(column), np.int64), True, 0
    for entries in column.parts() if isinstance(column, PartedColumn) else [column]:
        start, end = end, end + len(entries)
        are_texts = set(map(type, entries)) <= {str, type(None)}
        digests[start:end] = np.fromiter(map(hash if are_texts else _digest, entries), np.int64, len(entries))
        only_texts &= are_texts
    return digests, only_texts


def _digest(entry: Any) -> int:
    return hash(entry if entry is None or isinstance(entry, str) else pickle.dumps(entry))


def same_answers(first: RunData, second: RunData, joined: Join) -> bool:
    """Whether two whole runs over the same items got the same answers to all of them, byte by byte.

    What an answer took, in seconds or money, is not part of it. A missing answer equals nothing.
    """
    own, other = (
        {socket: name for name, socket in _columns(run, "output").items() if socket not in _USAGE}
        for run in (first, second)
    )
    whole = first.complete and second.complete and len(joined.here) == len(first) == len(second)
    if not whole or not own or own.keys() != other.keys():
        return False
    if any(_differ(first.inputs[own[socket]], second.inputs[other[socket]], joined) for socket in own):
        return False
    answers = [first.inputs[own[socket]] for socket in _ANSWERS if socket in own]
    return not any(entry is None for column in answers for entry in column)


def same_usage(first: RunData, second: RunData, joined: Join) -> bool:
    """Whether the answers of two runs took the same, in seconds, tokens and money."""
    own, other = (
        {socket: name for name, socket in _columns(run, "output").items()} for run in (first, second)
    )
    return not any(
        _differ(first.inputs[own[socket]], second.inputs[other[socket]], joined)
        for socket in _USAGE & own.keys() & other.keys()
    )


def _differ(mine: FrozenColumn, theirs: FrozenColumn, joined: Join) -> bool:
    """Whether entries of any joined item differ."""
    return any(_differing_places(mine, theirs, joined))


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
