"""Reading the sockets of judged metrics."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from thresher.errors import InputError
from thresher.metrics.items import Items

LIST_SOCKETS = frozenset({"contexts", "ground_truth_answers", "ground_truth_contexts"})
"""Sockets whose entries are lists of texts; those of the others are texts."""


def read_inputs(**sockets: Collection[Any] | None) -> tuple[Items, list[list[Any]]]:
    """The items, and for each that is present its entries in the order of the sockets.

    Args:
        sockets: the sockets as they came; None for one that is not connected, whose entries are None too.

    Raises:
        InputError: for lists of unequal length, and for entries that are no texts.
    """
    items = Items(**{name: column for name, column in sockets.items() if column is not None})
    return items, [[_entry(item, *socket) for socket in sockets.items()] for item in items.present]


def chosen_columns(sockets: Sequence[str], columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a component whose sockets are chosen when it is made, in the order of the sockets.

    Raises:
        InputError: if one lacks, or there is another.
    """
    for socket in (*sockets, *columns):
        if (socket in columns) != (socket in sockets):
            what = "is not given" if socket in sockets else "is no socket of this metric"
            raise InputError(f"{socket} {what}; give {', '.join(sockets)}, one list each")
    return {socket: columns[socket] for socket in sockets}


def read_text(item: int, socket: str, entry: Any) -> str:
    """One text.

    Raises:
        InputError: for anything else; names item and socket.
    """
    if not isinstance(entry, str):
        raise InputError(
            f"{socket}[{item}] is {type(entry).__name__}; give a text, or None where there is none"
        )
    return entry


def read_texts(item: int, socket: str, entry: Any) -> list[str]:
    """A list of texts; one text is a list of one. Parquet's readers give arrays for lists.

    Raises:
        InputError: for anything else; names item and socket.
    """
    parts = entry.tolist() if isinstance(entry, np.ndarray) else entry
    if isinstance(parts, str):
        return [parts]
    if not isinstance(parts, Sequence):
        raise InputError(f"{socket}[{item}] is {type(entry).__name__}; give a list of texts")
    for place, part in enumerate(parts):
        if not isinstance(part, str):
            raise InputError(f"{socket}[{item}][{place}] is {type(part).__name__}; give a text")
    return list(parts)


def _entry(item: int, socket: str, column: Any) -> str | list[str] | None:
    if column is None:
        return None
    return (read_texts if socket in LIST_SOCKETS else read_text)(item, socket, column[item])
