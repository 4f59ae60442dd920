"""The data under test, and verdicts planted in them."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from typing import Any, Generic, TypeVar
from urllib.parse import unquote_plus

from thresher.judges.containers import Container, scan
from thresher.judges.gist import Gist, canonical, folded, is_copy, letters
from thresher.judges.lenient_json import relaxed, unescaped, without_line_comments
from thresher.judges.reply_schema import ReplySchema

T = TypeVar("T")
_LEVELS = 3
"""Depth of nested strings that are searched: JSON in JSON in JSON in a text."""
_BRACKETS = (
    re.compile(
        r"[{\[\ufe37\ufe47\ufe5b\uff3b\uff5b]|&#?\w+;|\\u00[57][bB]|%(?:25)*+[57][bB]|\w[(\uff08\ufe59]"
    ),
    re.compile(
        r"[}\]\ufe38\ufe48\ufe5c\uff3d\uff5d]|&#?\w+;|\\u00[57][dD]|%(?:25)*+[57][dD]|[)\uff09\ufe5a]"
    ),
)
"""Opening and closing brackets in all forms that become them: NFKC, HTML entities, escapes, calls."""
_SHORT = 200
"""Characters up to which repeated containers are recognised; longer nested ones cost more than they save."""
_ESCAPED = re.compile(r"""\\["'u]""")
_URL_ENCODED = re.compile(r"%(?:25)*+(?:[57][bBdD]|2[27])")


class Material:
    """The data that an ask shows to the judge.

    Args:
        texts: the unmodified texts.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.texts = tuple(texts)
        self._known: dict[Hashable, frozenset[Hashable]] = {}

    @property
    def size(self) -> int:
        """Number of characters."""
        return sum(map(len, self.texts))

    @property
    def has_text(self) -> bool:
        """Whether there are data."""
        return any(text and not text.isspace() for text in self.texts)

    @cached_property
    def containers(self) -> list[Any]:
        """All JSON and near-JSON objects and lists, at any depth, in strings too.

        A judge that repeats a planted object usually repairs it, so the data are read more leniently.
        """
        return [value for text in self.texts for value in _containers(text)]

    @cached_property
    def whole(self) -> str:
        """All texts joined; texts with escapes are also included unescaped."""
        return "\n".join(level for text in self.texts for level in _levels(text))

    def holds(self, value: Any) -> bool:
        """Whether the data contain an object or list, up to order, case, space and punctuation."""
        if not self._by_shape:
            return False
        shape = _shape(value)
        if shape not in self._known:
            self._known[shape] = frozenset(map(canonical, self._by_shape.get(shape, ())))
        return canonical(value) in self._known[shape]

    @cached_property
    def _by_shape(self) -> dict[Hashable, list[Any]]:
        shapes: defaultdict[Hashable, list[Any]] = defaultdict(list)
        for value in self.containers:
            if value:
                shapes[_shape(value)].append(value)
        return dict(shapes)


class Planted(Generic[T]):
    """Verdicts in the data, read with the form of the reply."""

    def __init__(self, material: Material, schema: ReplySchema[T]) -> None:
        self._reasons: defaultdict[tuple[str, Hashable], set[str]] = defaultdict(set)
        for value in material.containers:
            for thing, gist in schema.planted(value):
                self._reasons[thing, gist.judgement].add(letters(gist.reason or ""))

    def copied(self, thing: str, gist: Gist) -> bool:
        """Whether a reply repeats a planted judgement without an own reason."""
        planted = self._reasons.get((thing, gist.judgement))
        return planted is not None and is_copy(letters(gist.reason or ""), planted)

    def decides(self, thing: str, judgement: Hashable) -> bool:
        """Whether this judgement is planted, with any reason."""
        return (thing, judgement) in self._reasons


def _levels(text: str) -> Iterator[str]:
    """Yield a text, and the text with one more level of escapes resolved, repeatedly."""
    yield text
    for _ in range(_LEVELS):
        if "\\" not in text:
            return
        text = unescaped(text)
        yield text


def _containers(text: str) -> Iterator[Any]:
    """Yield the containers of a text and of the strings in it. Equal strings are read once."""
    waiting = [(text, 0)]
    levels: dict[str, int] = {}
    written: set[str] = set()
    while waiting:
        text, level = waiting.pop()
        if levels.get(text, _LEVELS + 1) <= level or not all(part.search(text) for part in _BRACKETS):
            continue
        levels[text] = level
        for form in {text, relaxed(text), relaxed(without_line_comments(text))}:
            seen = scan(form)
            yield from _new(form, seen.every, written)
            if level < _LEVELS:
                waiting += [(string, level + 1) for string in seen.strings]
        if level < _LEVELS and _ESCAPED.search(text):
            waiting.append((unescaped(text), level + 1))
        if level < _LEVELS and _URL_ENCODED.search(text):
            waiting.append((unquote_plus(text), level + 1))


def _new(text: str, containers: Iterable[Container], written: set[str]) -> Iterator[Any]:
    """Yield the values of containers except short ones that were written before, and remember these."""
    for container in containers:
        if container.end - container.start <= _SHORT:
            source = text[container.start : container.end]
            if source in written:
                continue
            written.add(source)
        yield container.value


def _shape(value: Any) -> Hashable:
    """Cheap key that is equal for equal containers."""
    if isinstance(value, dict):
        return frozenset(map(folded, value))
    return len(value)
