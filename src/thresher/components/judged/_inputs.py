"""Reading the sockets of judged metrics."""

from collections.abc import Sequence
from typing import Any

from thresher.errors import InputError


def text(item: int, socket: str, entry: Any) -> str:
    """One text.

    Raises:
        InputError: for anything else; names item and socket.
    """
    if not isinstance(entry, str):
        raise InputError(
            f"{socket}[{item}] is {type(entry).__name__}; give a text, or None where there is none"
        )
    return entry


def texts(item: int, socket: str, entry: Any) -> list[str]:
    """A list of texts; one text is a list of one.

    Raises:
        InputError: for anything else; names item and socket.
    """
    if isinstance(entry, str):
        return [entry]
    if not isinstance(entry, Sequence):
        raise InputError(f"{socket}[{item}] is {type(entry).__name__}; give a list of texts")
    return [text(item, f"{socket}[{item}]", part) if not isinstance(part, str) else part for part in entry]
