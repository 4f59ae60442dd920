"""Check for texts that cannot be written to a file, before anything is computed."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.files.texts import is_text
from thresher.kernels.classification.label_scores_column import LabelScoresColumn
from thresher.kernels.detection.detections_column import DetectionsColumn
from thresher.kernels.retrieval.scored_ids import ScoredIds

if TYPE_CHECKING:
    from thresher.datasets.sources.source import Source

_BLOCK = 4096  # entries checked together in C; a Python call for each would dominate


def check_texts(dataset: Dataset, first: int = 0, names: Collection[str] | None = None) -> None:
    r"""Raise for halves of surrogate pairs (`\ud83d` alone), which JSON can express and UTF-8 cannot.

    Args:
        dataset: the items.
        first: number of items before these, for messages.
        names: the columns to check, `id` for the ids; default: all.

    Raises:
        InputError: naming column, item and remedy.
    """
    for name, column in {"id": dataset.ids, **dataset.columns}.items():
        if names is not None and name not in names:
            continue
        if not is_text(name):
            raise InputError(f"the column name {name!r} holds half a character: fix or remove it")
        if isinstance(column, ScoredIds):  # read from files, as UTF-8
            continue
        if isinstance(column, DetectionsColumn) and are_texts(column):
            continue
        if isinstance(column, LabelScoresColumn) and are_texts(column.names):
            continue
        for start in range(0, len(column), _BLOCK):
            block = column[start : start + _BLOCK]
            if not are_texts(block):
                at = start + next(place for place, entry in enumerate(block) if not are_texts([entry]))
                raise InputError(
                    rf"{name} of item {_printable(dataset.ids[at])} (entry {first + at + 1} of the data) "
                    r"holds half a character, such as \ud83d without its other half: fix or remove it"
                )


def refuse_texts(source: "Source") -> None:
    r"""Raise for the first half of a surrogate pair in data that are read by chunk.

    Raises:
        InputError: naming column, item and remedy.
    """
    for name in ["id", *source.columns]:
        for start in range(0, len(source), _BLOCK):
            check_texts(source.slice(start, start + _BLOCK), start, [name])


def are_texts(entries: Sequence[Any]) -> bool:
    """Whether all texts in the entries can be written as UTF-8."""
    return is_text(_joined(entries.texts() if isinstance(entries, DetectionsColumn) else entries))


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
