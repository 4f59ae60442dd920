"""JSON objects and lists in untrusted text: one pass, in time proportional to the length of the text.

The text may be hostile: a context with a million open braces must not stall the event loop. The standard
decoder starts again at every brace; here the braces that a failed attempt leaves open are not tried again,
because they would fail at the same place.
"""

import contextlib
import json
import re
from dataclasses import dataclass, field
from typing import Any

from thresher.judges.lenient_json import Broken, OpenContainer, scalar, unescaped

_DEEPEST = 40
"""Maximum depth of nested containers; outer containers that exceed it are skipped. Replies need 4."""
_START = re.compile(r"""\{\s*+(?=["'}])|\[(?=\s*+[\[{"'])""")
"""Start of a container that may have contents; skips braces of code and formulas quickly."""
_TOKEN = re.compile(
    r"""\s*+(?:(?P<opening>[{\[])|(?P<closing>[}\]])|(?P<mark>[:,])|(?P<quote>["'])"""
    r"""|(?P<word>[^\s{}\[\]:,"']++))"""
)
_SINGLE = re.compile(r"'([^'\\]*+(?:\\.[^'\\]*+)*+)'", re.DOTALL)
_DOUBLE = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL)


@dataclass(frozen=True)
class Container:
    """A complete JSON object or list.

    Attributes:
        value: the dict (`Ambiguous` where keys occur twice) or list.
        start: position of its first bracket.
        end: its end, exclusive.
    """

    value: Any
    start: int
    end: int


@dataclass
class Scan:
    """Containers in a text.

    Attributes:
        objects: outermost complete objects, in order; lists around them are ignored.
        lists: complete lists outside any other complete container, in order.
        every: all complete containers, inner ones before outer ones.
        strings: strings of all containers, broken ones included, that may hold nested containers.
        steps: number of tokens read, a measure of the work.
    """

    objects: list[Container] = field(default_factory=list)
    lists: list[Container] = field(default_factory=list)
    every: list[Container] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    steps: int = 0

    def add(self, container: Container) -> None:
        """Add a container that was just completed; drop containers inside it from `objects` and `lists`."""
        is_object = isinstance(container.value, dict)
        for inner in (self.lists, self.objects) if is_object else (self.lists,):
            while inner and inner[-1].start > container.start:
                inner.pop()
        (self.objects if is_object else self.lists).append(container)
        self.every.append(container)


def scan(text: str) -> Scan:
    """Find the JSON containers of a text, at any depth.

    Trailing commas, line breaks within strings, unknown escapes and Python's syntax (single quotes, True,
    None, adjacent strings) are accepted. A Python dict with a repeated key is skipped.

    >>> [container.value for container in scan('A {"a": [1, {"b": 2}],} and {broken: 3} {"c": ').every]
    [{'b': 2}, [1, {'b': 2}], {'a': [1, {'b': 2}]}]
    """
    result = Scan()
    begin = _START.search(text)
    while begin is not None:
        resume = _Attempt(text, begin.start(), result).run()
        begin = _START.search(text, resume)
    return result


def only_object(text: str) -> Container | None:
    """The object of a text that is exactly one object of standard JSON, as `scan` reads it; None for others.

    The standard library's decoder reads such a text in an eighth of the time. What the two might read
    differently is left to `scan`: repeated keys, deep nesting and very long numbers.

    >>> only_object(' {"a": [1, {"b": 2}]}'), only_object('{"a": 1} or {"a": 2}')
    (Container(value={'a': [1, {'b': 2}]}, start=1, end=21), None)
    """
    start = len(text) - len(text.lstrip())
    if not text.startswith("{", start) or text.count("{") + text.count("[") > _DEEPEST:
        return None
    try:
        value = _STANDARD.decode(text)
    except (ValueError, Broken):
        return None
    return Container(value, start, len(text.rstrip()))


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise Broken
    return entries


_STANDARD = json.JSONDecoder(
    object_pairs_hook=_unrepeated, parse_int=scalar, parse_float=scalar, parse_constant=scalar
)


class _Attempt:
    """Reads from one opening bracket until its container is complete or broken."""

    def __init__(self, text: str, start: int, result: Scan) -> None:
        self._text = text
        self._place = start
        self._opened = start
        self._closed = start
        self._result = result
        self._stack: list[OpenContainer] = []

    def run(self) -> int:
        """Read; return the position of the next attempt."""
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
        kind, token = match.lastgroup, match[match.lastgroup or 0]
        self._place = match.end()
        if kind == "opening":
            self._open(token, self._place - 1)
        elif kind == "closing":
            return self._close(token)
        elif kind == "mark":
            self._stack[-1].mark(token)
        elif kind == "quote":
            self._place -= 1
            self._stack[-1].take(self._string(token))
        else:
            self._stack[-1].take(scalar(token))
        return False

    def _open(self, bracket: str, place: int) -> None:
        if self._stack:
            outer = self._stack[-1]
            if outer.expects not in ("item", "value") or (outer.closing == "}" and outer.expects == "item"):
                raise Broken
        self._opened = place
        self._stack.append(OpenContainer(place, "}" if bracket == "{" else "]"))
        if len(self._stack) > _DEEPEST:
            raise Broken

    def _close(self, bracket: str) -> bool:
        container = self._stack[-1]
        value = container.close(bracket)
        self._stack.pop()
        self._closed = self._place
        self._result.add(Container(value, container.start, self._place))
        if self._stack:
            self._stack[-1].take(value)
        return not self._stack

    def _string(self, quote: str) -> str:
        text = self._joined(quote)
        if ("{" in text or "[" in text) and ("}" in text or "]" in text or "\\" in text):
            self._result.strings.append(text)
        return text

    def _joined(self, quote: str) -> str:
        """The string that begins here, joined with adjacent strings as in Python: 'it''s'."""
        self._stack[-1].single |= quote == "'"
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
        """Position to continue at: a bracket that was read as part of a string, or after the failure."""
        if len(self._stack) > _DEEPEST:
            return self._opened
        inside = self._text.rfind("{", max(self._opened + 1, self._closed), self._place)
        return inside if inside >= 0 else max(self._place, self._opened + 1)
