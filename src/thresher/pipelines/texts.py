"""Check for texts that cannot be written to a file, before anything is computed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from thresher.datasets import Dataset
from thresher.errors import InputError
from thresher.files.texts import is_text
from thresher.kernels.retrieval.scored_ids import ScoredIds

_BLOCK = 4096  # entries checked together in C; a Python call for each would dominate


def check_texts(dataset: Dataset) -> None:
    r"""Raise for halves of surrogate pairs (`\ud83d` alone), which JSON can express and UTF-8 cannot.

    Raises:
        InputError: naming column, item and remedy.
    """
    for name, column in {"id": dataset.ids, **dataset.columns}.items():
        if not is_text(name):
            raise InputError(f"the column name {name!r} holds half a character: fix or remove it")
        if isinstance(column, ScoredIds):  # read from files, as UTF-8
            continue
        for start in range(0, len(column), _BLOCK):
            block = column[start : start + _BLOCK]
            if not is_text(_joined(block)):
                at = start + next(place for place, entry in enumerate(block) if not is_text(_joined([entry])))
                raise InputError(
                    rf"{name} of item {_printable(dataset.ids[at])} (entry {at + 1} of the data) holds half "
                    r"a character, such as \ud83d without its other half: fix or remove it"
                )


def _joined(entries: Sequence[Any]) -> str:
    """Concatenate all texts in the entries; fast for columns of one type, as most are."""
    kinds = set(map(type, entries)) - {type(None)}
    if kinds <= {int, float, bool}:
        return ""
    if kinds == {str}:
        return "".join(filter(None, entries))
    if kinds <= {list, tuple}:
        inside = list(chain.from_iterable(filter(None, entries)))
        if set(map(type, inside)) == {str}:
            return "".join(inside)
    return "".join(_texts(entries))


def _texts(entries: Iterable[Any]) -> Iterator[str]:
    """Yield every text in the entries, at any depth."""
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry, Mapping):
            yield from _texts(entry.keys())
            yield from _texts(entry.values())
        elif isinstance(entry, list | tuple):
            yield from _texts(entry)
        elif hasattr(entry, "__dict__"):  # Documents and the like
            yield from _texts(vars(entry).values())


def _printable(name: str) -> str:
    return repr(name.encode(errors="backslashreplace").decode())
