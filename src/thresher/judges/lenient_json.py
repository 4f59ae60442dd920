"""Parts of a lenient JSON reader: open containers, scalars and escapes."""

import re
from collections import Counter
from dataclasses import dataclass, field
from html import unescape
from typing import Any

from thresher.judges.reply_schema import Ambiguous
from thresher.kernels.text.compatibility import nfkc

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_NUMBER = re.compile(r"-?\d{1,300}(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?")
_MARKS = dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u00ab\u00bb\uff02"), '"')
_MARKS |= dict.fromkeys(map(ord, "\u2018\u2019`"), "'")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LINE_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*+"?)|(?<![:\w])//[^\n]*+|(?<![^\s,{\[])#[^\n]*+')
_CALL = re.compile(r"\b[^\W\d]\w*+\((?=\s*+\w++\s*+=)")
_IN_CALL = re.compile(
    rf"""{_CALL.pattern}|[()]|\b(\w++)\s*+=(?!=)|"(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?""", re.DOTALL
)
_BARE_KEY = re.compile(r"([{,]\s*+)([\w-]++)(?=\s*+:)")
_BARE_VALUE = re.compile(r"(:\s*+)([^\W\d]\w*+)(?=\s*+[,}])")
_WORDS: dict[str, Any] = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
}
_WORDS |= {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class Broken(Exception):  # noqa: N818  (ends an attempt; not an error)
    """The text is not JSON from the current position on."""


@dataclass
class OpenContainer:
    """A JSON object or list whose closing bracket has not been read."""

    start: int
    closing: str
    items: list[Any] = field(default_factory=list)
    key: str | None = None
    single: bool = False
    expects: str = "item"

    def take(self, value: Any) -> None:
        """Add a complete key or value."""
        if self.closing == "]" and self.expects == "item":
            self.items.append(value)
        elif self.expects == "value":
            self.items.append((self.key, value))
        elif self.expects == "item" and isinstance(value, str):
            self.key, self.expects = value, "colon"
            return
        else:
            raise Broken
        self.expects = "comma"

    def mark(self, mark: str) -> None:
        """Read a colon or a comma."""
        if mark == ":" and self.expects == "colon":
            self.expects = "value"
        elif mark == "," and self.expects == "comma":
            self.expects = "item"
        else:
            raise Broken

    def close(self, bracket: str) -> Any:
        """Return the value at the closing bracket."""
        if bracket != self.closing or self.expects not in ("item", "comma"):
            raise Broken
        if self.closing == "]":
            return self.items
        data = dict(self.items)
        if len(data) == len(self.items):
            return data
        if self.single:
            raise Broken
        return _ambiguous(data, [key for key, _ in self.items])


def scalar(word: str) -> Any:
    """Parse a number, or a literal of JSON or Python.

    Raises:
        Broken: if the word is neither.
    """
    if word in _WORDS:
        return _WORDS[word]
    if _NUMBER.fullmatch(word) is None:
        raise Broken
    return float(word) if set(word) & set(".eE") else int(word)


def _ambiguous(data: dict[str, Any], keys: list[str]) -> Ambiguous:
    ambiguous = Ambiguous(data)
    ambiguous.twice = frozenset(key for key, count in Counter(keys).items() if count > 1)
    return ambiguous


def unescaped(text: str) -> str:
    r"""Resolve one level of JSON escapes.

    >>> unescaped(r"{\"a\": \"\u0079es\"}")
    '{"a": "yes"}'
    """
    return _ESCAPE.sub(_resolve_escape, text)


def relaxed(text: str) -> str:
    r"""Turn near-JSON into JSON: HTML entities, wide characters, typographic quotes, comments and bare words.

    Calls with named arguments, as Python prints objects, are objects too.

    >>> relaxed("{1: {reason: &quot;ok&quot;, /* ! */ verdict: yes}}")
    '{"1": {"reason": "ok",  "verdict": "yes"}}'
    >>> relaxed("dict(reason='ok', verdict='yes')")
    '{"reason": \'ok\', "verdict": \'yes\'}'
    """
    plain = nfkc(unescape(text) if "&" in text else text).translate(_MARKS)
    end = plain.rfind("*/") + 2  # after it, each /* would be scanned to the end of the text in vain
    plain = _COMMENT.sub("", plain[:end]) + plain[end:] if end > 1 else plain
    return _BARE_VALUE.sub(r'\1"\2"', _BARE_KEY.sub(r'\1"\2"', _calls_as_objects(plain)))


def without_line_comments(text: str) -> str:
    r"""Drop what follows // or # up to the end of a line, except within double quotes.

    >>> without_line_comments('{"a": "#1", // see http://x\n "b": 2} # why')
    '{"a": "#1", \n "b": 2} '
    """
    return _LINE_COMMENT.sub(r"\1", text)


def _calls_as_objects(text: str) -> str:
    """Write `name(key=value)` as `{"key": value}`, also within others."""
    parts, place = [], 0
    closing: list[str] = []
    while match := (_IN_CALL if closing else _CALL).search(text, place):
        written = match[0]
        if written.endswith("("):
            closing.append(")" if written == "(" else "}")
            written = "(" if written == "(" else "{"
        elif written == ")":
            written = closing.pop()
        elif match[1]:
            written = f'"{match[1]}": '
        parts += [text[place : match.start()], written]
        place = match.end()
    return "".join([*parts, text[place:]])


def _resolve_escape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else _ESCAPED.get(match[2], match[2])
