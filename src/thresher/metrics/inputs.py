"""Inputs of metrics that read texts item by item."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from types import UnionType
from typing import Any, Union, get_args, get_origin

import numpy as np

from thresher.errors import InputError
from thresher.files.image_texts import image_from, is_image_content
from thresher.metrics.items import Items

TextColumn = list[str] | list[str | None]
"""Any entry may be missing. The types without None are for type checkers, to which lists are invariant."""
TextListColumn = list[list[str]] | list[list[str] | None]
ReferenceColumn = TextColumn | TextListColumn | list[str | list[str] | None]
LIST_SOCKETS = frozenset({"contexts", "ground_truth_answers", "ground_truth_contexts", "reference_topics"})
"""Inputs whose entries are lists of texts; entries of all others are texts."""
OBJECT_SOCKETS = frozenset(
    {
        "conversations",
        "ground_truth_documents",
        "ground_truths",
        "predictions",
        "reference_conversations",
        "reference_tool_calls",
        "retrieved_documents",
    }
)
"""Inputs whose entries are objects: documents, labels, images, messages."""


def column_type(socket: str, annotation: Any) -> Any:
    """Return the type of an input that Haystack compares when components are connected.

    Haystack accepts a sender of one entry at an input of type `list[entry]`, wraps it, and joins several
    senders. The documents of one query would then be a whole column, so lists of objects become `Iterable`,
    which Haystack neither wraps nor joins. Columns of texts are lists, as in Haystack's evaluators. Any entry
    may be missing, whatever the metric declares.

    Args:
        socket: the input.
        annotation: its type in the signature of `run`.
    """
    if get_origin(annotation) in (Union, UnionType):
        return reduce(or_, (column_type(socket, kind) for kind in get_args(annotation)))
    if get_origin(annotation) is not list:
        return annotation
    (entry,) = get_args(annotation)
    entry = entry if entry is Any else entry | None
    return Iterable[entry] if socket in OBJECT_SOCKETS else list[entry]  # type: ignore[valid-type]


def text_column_type(socket: str) -> Any:
    """Return the type of an input of texts that an option chooses."""
    if socket == "ground_truth_answers":
        return column_type(socket, ReferenceColumn)
    return column_type(socket, list[list[str]] if socket in LIST_SOCKETS else list[str])


def read_inputs(**sockets: Collection[Any] | None) -> tuple[Items, list[list[Any]]]:
    """Return the items, and for each present item its entries in the order of the inputs.

    Args:
        sockets: input of `run` -> its entries; None for an optional input without data, then all are None.

    Raises:
        InputError: for inputs of unequal length, and for entries that are not texts.
    """
    present = {name: column for name, column in sockets.items() if column is not None}
    items = Items(**(present or sockets))  # without data, `Items` names the first input
    return items, [[_entry(item, *socket) for socket in sockets.items()] for item in items.present]


def chosen_columns(sockets: Sequence[str], columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a component whose inputs an option chooses, in the order of that option.

    Raises:
        InputError: if one is missing, or there is another.
    """
    for socket in (*sockets, *columns):
        if (socket in columns) != (socket in sockets):
            what = "is missing" if socket in sockets else "is not an input of this metric"
            raise InputError(f"{socket} {what}; give {', '.join(sockets)}, one list each")
    return {socket: columns[socket] for socket in sockets}


def read_text(item: int, socket: str, entry: Any) -> str:
    """Return an entry that must be a text, an image (Haystack's ImageContent), or a list of both.

    Images are returned as texts, each on a line of its own.

    Raises:
        InputError: otherwise; names the input and the item.
    """
    if is_image_content(entry):
        return image_from(entry, f"{socket}[{item}]").text
    if isinstance(entry, list) and any(map(is_image_content, entry)):
        return "\n".join(read_texts(item, socket, entry))
    if not isinstance(entry, str):
        raise InputError(
            f"{socket}[{item}] is {type(entry).__name__}; give a text, or None where there is none"
        )
    return entry


def read_texts(item: int, socket: str, entry: Any) -> list[str]:
    """Return an entry that must be a list of texts and images; a single one is a list of one.

    Readers of Parquet give arrays for lists, so arrays are lists too.

    Raises:
        InputError: otherwise; names the input and the item.
    """
    parts = entry.tolist() if isinstance(entry, np.ndarray) else entry
    if isinstance(parts, str) or is_image_content(parts):
        parts = [parts]
    if not isinstance(parts, Sequence):
        raise InputError(f"{socket}[{item}] is {type(entry).__name__}; give a list of texts")
    return [_part(part, f"{socket}[{item}][{place}]") for place, part in enumerate(parts)]


def _part(part: Any, where: str) -> str:
    if isinstance(part, str):
        return part
    if is_image_content(part):
        return image_from(part, where).text
    raise InputError(f"{where} is {type(part).__name__}; give a text")


def _entry(item: int, socket: str, column: Any) -> str | list[str] | None:
    if column is None:
        return None
    return (read_texts if socket in LIST_SOCKETS else read_text)(item, socket, column[item])
