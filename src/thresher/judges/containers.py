"""JSON objects and lists in foreign text: one pass, time proportional to the text's length.

Written for text by an adversary: a context with a million open braces must not stall the event loop. The
standard decoder starts again at every brace; here the braces that a failed attempt left open are never
tried again, because each of them would fail at the same place.
"""

import contextlib
import json
import re
from dataclasses import dataclass, field
from typing import Any

from thresher.judges.lenient_json import Broken, OpenContainer, scalar, unescaped

_DEEPEST = 40
"""Containers within one another; whatever holds deeper ones is skipped, they are not. Replies need 4."""
_START = re.compile(r"""\{\s*+(?=["'}])|\[(?=\s*+[\[{"'])""")
"""How a container begins that may hold something: braces of code and formulas are passed over quickly."""
_TOKEN = re.compile(r"""\s*+(?:([{\[])|([}\]])|([:,])|(["'])|([^\s{}\[\]:,"']++))""")
_SINGLE = re.compile(r"'([^'\\]*+(?:\\.[^'\\]*+)*+)'", re.DOTALL)
_DOUBLE = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL)


@dataclass(frozen=True)
class Container:
    """A complete JSON object or list.

    Attributes:
        value: the dict (`Ambiguous` where keys occur twice) or list.
        start: where its first bracket is.
        end: where it ends, exclusive.
    """

    value: Any
    start: int
    end: int


@dataclass
class Scan:
    """What a text holds.

    Attributes:
        objects: complete objects that are in no other complete object, in order; a list around them is
            ignored.
        lists: complete lists that are in no other complete container, in order.
        every: all complete containers, inner ones before those that hold them.
        strings: strings of the containers, of broken ones too, in which something may be nested.
        steps: tokens read, as a measure of the work.
    """

    objects: list[Container] = field(default_factory=list)
    lists: list[Container] = field(default_factory=list)
    every: list[Container] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    steps: int = 0

    def add(self, container: Container) -> None:
        """Put in a container that has just been completed; it may hold some that were before."""
        is_object = isinstance(container.value, dict)
        for inner in (self.lists, self.objects) if is_object else (self.lists,):
            while inner and inner[-1].start > container.start:
                inner.pop()
        (self.objects if is_object else self.lists).append(container)
        self.every.append(container)


def scan(text: str) -> Scan:
    """Find the JSON containers of a text, at any depth.

    Forgiven are trailing commas, line breaks within strings, unknown escapes and Python's way of writing
    (single quotes, True, None, adjacent strings). A Python dict in which a key occurs twice is skipped.

    >>> [found.value for found in scan('A {"a": [1, {"b": 2}],} and {broken: 3} {"c": ').every]
    [{'b': 2}, [1, {'b': 2}], {'a': [1, {'b': 2}]}]
    """
    result = Scan()
    begin = _START.search(text)
    while begin is not None:
        resume = _Attempt(text, begin.start(), result).run()
        begin = _START.search(text, resume)
    return result


class _Attempt:
    """Reading from one opening bracket on, until its container is complete or cannot be."""

    def __init__(self, text: str, start: int, result: Scan) -> None:
        self._text = text
        self._place = start
        self._opened = start
        self._closed = start
        self._result = result
        self._frames: list[OpenContainer] = []

    def run(self) -> int:
        """Read; return where the next attempt may begin."""
        try:
            while not self._token():
                continue
        except Broken:
            return self._after_failure()
        return self._place

    def _token(self) -> bool:
        """Read one token; return whether the first container is complete."""
        match = _TOKEN.match(self._text, self._place)
        if match is None:
            self._place = len(self._text)
            raise Broken
        self._result.steps += 1
        opening, closing, mark, quote, word = match.groups()
        self._place = match.end() - (1 if quote else 0)
        if opening:
            self._open(opening, match.end() - 1)
        elif closing:
            return self._close(closing)
        elif mark:
            self._frames[-1].mark(mark)
        elif quote:
            self._frames[-1].take(self._string(quote))
        else:
            self._frames[-1].take(scalar(word))
        return False

    def _open(self, bracket: str, place: int) -> None:
        if self._frames:
            outer = self._frames[-1]
            if outer.expects not in ("item", "value") or (outer.closing == "}" and outer.expects == "item"):
                raise Broken
        self._opened = place
        self._frames.append(OpenContainer(place, "}" if bracket == "{" else "]"))
        if len(self._frames) > _DEEPEST:
            raise Broken

    def _close(self, bracket: str) -> bool:
        frame = self._frames[-1]
        value = frame.whole(bracket)
        self._frames.pop()
        self._closed = self._place
        container = Container(value, frame.start, self._place)
        self._result.add(container)
        if self._frames:
            self._frames[-1].take(value)
        return not self._frames

    def _string(self, quote: str) -> str:
        text = self._joined(quote)
        if "{" in text or "[" in text:
            self._result.strings.append(text)
        return text

    def _joined(self, quote: str) -> str:
        """The string that begins here, with those beside it in Python's way: 'it''s'."""
        self._frames[-1].single |= quote == "'"
        parts = [self._single_string(quote)]
        while quote == "'" and self._text[self._place : self._place + 1] == "'":
            parts.append(self._single_string(quote))
        return "".join(parts)

    def _single_string(self, quote: str) -> str:
        match = (_SINGLE if quote == "'" else _DOUBLE).match(self._text, self._place)
        if match is None:
            self._place += 1
            raise Broken
        start, self._place = self._place, match.end()
        if "\\" not in match[1]:
            return match[1]
        if quote == '"':
            with contextlib.suppress(ValueError):  # an escape that JSON does not know, e.g. of LaTeX
                return str(json.loads(self._text[start : self._place], strict=False))
        return unescaped(match[1])

    def _after_failure(self) -> int:
        """Where to go on: at a bracket that was taken for a part of a string, else behind the failure."""
        if len(self._frames) > _DEEPEST:
            return self._opened
        inside = self._text.rfind("{", max(self._opened + 1, self._closed), self._place)
        return inside if inside >= 0 else max(self._place, self._opened + 1)
