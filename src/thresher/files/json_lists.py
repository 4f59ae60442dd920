"""Lists in a JSON file, which are read a block at a time: the file itself, or values of its object."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

from thresher.errors import InputError
from thresher.files.nesting import check_nesting, too_deep
from thresher.files.opening import Source
from thresher.files.parsing import check_digits, decode_json, json_problem
from thresher.files.texts import text_blocks
from thresher.files.typed_json import UnexpectedFormError, check_depth, json_texts, parser

_AT_ONCE = 1 << 20
"""Characters of the entries that are yielded together."""
_AHEAD = 2
"""Blocks of entries that are in memory when one of them is cut off."""
_BETWEEN = re.compile(r"\}[ \t\n\r]*,[ \t\n\r]*(?=\{)")
_CUT = 16
"""Characters before the end of a window in which a number, a literal or an escape may be cut off."""
_DECODER = json.JSONDecoder()
_SYMBOL = re.compile(r"[ \t\n\r]*(.?)", re.DOTALL)
_FOLLOWING = re.compile(r"[ \t\n\r]*([,\]]?)[ \t\n\r]*")
_IN_LIST, _IN_OBJECT, _AFTER = '[""', '{"":""', "[]"
"""What stands for the text before the window, so that Python's parser words the errors."""


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
    window = _Window(path, exact=exact)
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


def _members(window: "_Window") -> Iterator[Entries]:
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


def _entries(window: "_Window", key: str | None) -> Iterator[Entries]:
    """The entries of a list, whose first character was read."""
    window.mark, before = window.at - 1, ""
    first = 0
    symbol = window.symbol()
    if symbol != "]":
        window.step_back(symbol)
    while symbol != "]":
        texts = window.objects()
        if texts:
            before = _IN_LIST
        else:
            texts, symbol = _some_entries(window, before)
        entries = Entries(window.path, key, first, texts)
        _check(window, entries)
        if not any(window.problems):
            yield entries
        first, before = first + len(texts), _IN_LIST
    if not first:
        yield Entries(window.path, key, 0, [])


def _some_entries(window: "_Window", before: str) -> tuple[list[bytes], str]:
    """Entries of a list, and the comma or bracket that follows them."""
    texts, size, symbol = list[bytes](), 0, ","
    while symbol == "," and size < _AT_ONCE:
        text, symbol = window.entry(before)
        texts.append(text.encode())
        before, size = _IN_LIST, size + len(text)
    return texts, symbol


def _check(window: "_Window", entries: Entries) -> None:
    """Note entries that are too deep in the file, or have numbers that are too long."""
    try:
        check_depth(b"[" + entries.content)
    except UnexpectedFormError:  # brackets and digits may be in texts
        values = entries.values if entries.key is None else {entries.key: entries.values}
        window.check(entries.content.decode(), values)


class _Window:
    """A part of the text of a file.

    Args:
        path: the file.
        exact: whether all values are parsed.

    Attributes:
        text: the part.
        at: the next character.
        mark: end of the last complete value; what comes before is dropped.
        problems: the first values that are nested too deeply, and have numbers that are too long. They are
            raised when the whole file is known to be JSON, in this order, as `parse_json` does.
    """

    def __init__(self, path: Source, *, exact: bool) -> None:
        self.path, self._exact = path, exact
        self.text, self.at, self.mark = "", 0, 0
        self.problems: list[InputError | None] = [None, None]
        self._blocks = text_blocks(path)
        self._is_last = False
        self._line, self._column = 1, 0  # of the start of the part

    def symbol(self) -> str:
        """Read the next character that is not white space; empty at the end of the file."""
        while True:
            match = _SYMBOL.match(self.text, self.at)
            if match is not None and (match[1] or not self._more()):
                self.at = match.end()
                return match[1]

    def step_back(self, symbol: str) -> None:
        """Go back to a symbol that was just read."""
        self.at -= len(symbol)

    def check(self, text: str, value: Any) -> None:
        """Note the problems of a value with this text."""
        for place, check in enumerate((_check_nesting, check_digits)):
            try:
                check(text, self.path, value)
            except InputError as error:
                self.problems[place] = self.problems[place] or error

    def value(self, before: str) -> tuple[str, Any]:
        """Read the next value; return its text too.

        Args:
            before: what stands for the text before `mark` in messages.
        """
        while True:
            value, end = self._scanned(before)
            if end < len(self.text) - _CUT or not self._more():
                break
        text, self.at = self.text[self.at : end], end
        return text, value

    def entry(self, before: str) -> tuple[str, str]:
        """Read the next entry of a list: its text, and the comma or bracket after it."""
        while True:
            _, end = self._scanned(before)
            match = _FOLLOWING.match(self.text, end)
            if match is not None and (match.end() < len(self.text) - _CUT or not self._more()):
                break
        text, self.at, self.mark = self.text[self.at : end], match.end(), end
        if not match[1]:
            self.refuse(_IN_LIST)
        return text, match[1]

    def objects(self) -> list[bytes]:
        """Read the next megabyte of a list of objects, and the comma after it; nothing if that is not sure.

        A cut inside of an object or a text leaves something before it that is not JSON. So if it can be
        parsed, it is a part of the list.
        """
        if self._exact or not parser():
            return []
        while len(self.text) - self.at < _AHEAD * _AT_ONCE and self._more():
            pass
        cut = _BETWEEN.search(self.text, self.at + _AT_ONCE)
        if cut is None:
            return []
        try:
            texts = json_texts(b"[%b]" % self.text[self.at : cut.start() + 1].encode())
        except UnexpectedFormError:
            return []
        self.at, self.mark = cut.end(), cut.start() + 1
        return texts

    def refuse(self, before: str) -> NoReturn:
        """Raise the error of Python's parser for the text from `mark` on."""
        try:
            json.loads(before + self.text[self.mark :])
        except RecursionError:
            raise too_deep(self.path) from None
        except json.JSONDecodeError as error:
            place = self.mark + error.pos - len(before)
            for _ in self._blocks:  # bytes that are not UTF-8 are refused first, as by `parse_json`
                pass
            line = self._line + self.text.count("\n", 0, place)
            newline = self.text.rfind("\n", 0, place)
            column = place - newline if newline >= 0 else self._column + place + 1
            problem = json.JSONDecodeError(error.msg, "", 0)
            problem.colno = column
            raise InputError(f"{self.path}:{line}: {json_problem(problem)}") from None
        except ValueError as error:
            raise InputError(f"{self.path}: {json_problem(error)}") from None
        raise AssertionError(f"{self.path}: a second parser accepts what the first refuses")

    def _scanned(self, before: str) -> tuple[Any, int]:
        """The value at `at`, and its end, in a window that holds it."""
        while True:
            try:
                return _DECODER.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                place, is_cut = error.pos, error.msg.startswith("Unterminated string")
            except (RecursionError, ValueError):
                self.refuse(before)
            if not (is_cut or place >= len(self.text) - _CUT) or not self._more():
                self.refuse(before)

    def _more(self) -> bool:
        """Read more, at least as much as there is, so that a long value takes linear time."""
        if self._is_last:
            return False
        passed = self.text[: self.mark]
        self._line += passed.count("\n")
        newline = passed.rfind("\n")
        self._column = len(passed) - newline - 1 if newline >= 0 else self._column + len(passed)
        parts = [self.text[self.mark :]]
        self.at, self.mark = self.at - self.mark, 0
        size = 0
        while size <= len(parts[0]):
            block = next(self._blocks, None)
            if block is None:
                self._is_last = True
                break
            parts.append(block)
            size += len(block)
        self.text = "".join(parts)
        return True


def _check_nesting(_text: str, path: Source, value: Any) -> None:
    check_nesting(path, [value])
