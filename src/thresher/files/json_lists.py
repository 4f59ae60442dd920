"""Lists in a JSON file, which are read a block at a time: the file itself, or values of its object."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from thresher.files.json_window import IN_LIST, JsonWindow
from thresher.files.opening import Source
from thresher.files.parsing import decode_json
from thresher.files.typed_json import UnexpectedFormError, check_depth

_AT_ONCE = 1 << 20
"""Characters of the entries that are yielded together."""
_IN_OBJECT, _AFTER = '{"":""', "[]"
"""A replacement for the text before a window, so that messages are those of Python's parser."""


class RepeatedKeyError(Exception):
    """An object has a key twice: the last value counts, which is known only at the end of the file."""


@dataclass(frozen=True)
class Entries:
    """Consecutive entries of a list.

    Attributes:
        path: the file.
        key: key of the list in the object; None if the file is a list.
        first: position of the first entry in the list.
        texts: the JSON of each entry.
    """

    path: Source
    key: str | None
    first: int
    texts: list[bytes]

    @property
    def content(self) -> bytes:
        """The entries as a JSON list."""
        return b"[%b]" % b",".join(self.texts)

    @cached_property
    def values(self) -> list[Any]:
        """Each entry."""
        return list(decode_json(self.content.decode(), self.path, line=False))


def read_lists(path: Source, *, exact: bool = False) -> Iterator[Entries]:
    """Yield the entries of a list, or of the lists that an object has, a megabyte at a time.

    Memory holds such a block and the largest value that is in no list. The last block of a list may have no
    entries, and is yielded for an empty list too.

    Args:
        path: the file.
        exact: whether all entries are parsed; otherwise texts inside of objects may not be, and their errors
            are raised where `values` are used.

    Raises:
        InputError: as `parse_json` of the whole text.
        RepeatedKeyError: if the object has a key twice.
    """
    window = JsonWindow(path, exact=exact)
    opening = window.symbol()
    if opening == "[":
        yield from _entries(window, None)
    elif opening == "{":
        yield from _members(window)
    else:
        window.step_back(opening)
        window.check(*window.value(""))
    window.mark = window.at
    if window.symbol():
        window.refuse(_AFTER)
    for problem in filter(None, window.problems):
        raise problem


def _members(window: JsonWindow) -> Iterator[Entries]:
    """The lists in an object, whose first character was read."""
    window.mark, before = window.at - 1, ""
    keys = set()
    symbol = window.symbol()
    if symbol == "}":
        return
    while symbol == '"':
        window.step_back(symbol)
        key = window.value(before)[1]
        if window.symbol() != ":":
            window.refuse(before)
        if key in keys:
            raise RepeatedKeyError
        keys.add(key)
        symbol = window.symbol()
        if symbol == "[":
            yield from _entries(window, key)
        else:
            window.step_back(symbol)
            text, value = window.value(before)
            window.check(text, {key: value})
        window.mark, before = window.at, _IN_OBJECT
        symbol = window.symbol()
        if symbol == "}":
            return
        if symbol == ",":
            symbol = window.symbol()
        else:
            break
    window.refuse(before)


def _entries(window: JsonWindow, key: str | None) -> Iterator[Entries]:
    """The entries of a list, whose first character was read."""
    window.mark, before = window.at - 1, ""
    first = 0
    symbol = window.symbol()
    if symbol != "]":
        window.step_back(symbol)
    while symbol != "]":
        texts = window.objects(_AT_ONCE)
        if texts:
            before = IN_LIST
        else:
            texts, symbol = _some_entries(window, before)
        entries = Entries(window.path, key, first, texts)
        _check(window, entries)
        if not any(window.problems):
            yield entries
        first, before = first + len(texts), IN_LIST
    if not first:
        yield Entries(window.path, key, 0, [])


def _some_entries(window: JsonWindow, before: str) -> tuple[list[bytes], str]:
    """Entries of a list, and the comma or bracket that follows them."""
    texts, size, symbol = list[bytes](), 0, ","
    while symbol == "," and size < _AT_ONCE:
        text, symbol = window.entry(before)
        texts.append(text.encode())
        before, size = IN_LIST, size + len(text)
    return texts, symbol


def _check(window: JsonWindow, entries: Entries) -> None:
    """Note entries that are too deep in the file, or have numbers that are too long."""
    try:
        check_depth(b"[" + entries.content)
    except UnexpectedFormError:  # brackets and digits may be in texts
        values = entries.values if entries.key is None else {entries.key: entries.values}
        window.check(entries.content.decode(), values)
