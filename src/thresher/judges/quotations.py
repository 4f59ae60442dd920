"""Removal of verdicts that a plain-text reply quotes from the data under test."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, TypeVar

from thresher.judges.gist import Gist
from thresher.judges.planted import Material
from thresher.judges.reply_schema import Misfit, ReplySchema

T = TypeVar("T")
Span = tuple[int, int]
_WORD = re.compile(r"\w+")
_RUN = 3
"""Consecutive shared words that count as a quotation. Two are shared by chance ("of the")."""
_GAP = 2
"""Consecutive words within a quotation that may differ, if they are letters only: not a number or label."""
_PROPER = 4
_LABELLED = re.compile(r"[:=\])*]")
"""Separators in a short verdict: `Rating: 5`, `[RESULT] A`."""
_BRACKETED = re.compile(r"(?<!\[)\[+\s*\w+\s*\]+")
_SPACE = re.compile(r"\s+")


def without_quotations(text: str, material: Material, schema: ReplySchema[Any]) -> str:
    """Remove the passages that are quoted from the data and contain a verdict.

    Quotations without a verdict stay, as good reasons quote the contexts.

    Args:
        text: a reply, or its text outside objects.
        material: the data.
        schema: the form of the reply, which reads verdicts.
    """
    if not material.whole:
        return text
    spans = [*_runs(text, material.whole), *_short(text, material.whole)]
    return without(text, [span for span in spans if _decides(text[slice(*span)], schema)])


def without(text: str, spans: Iterable[Span]) -> str:
    """Replace each span by a space.

    >>> without("0123456789", [(6, 8), (2, 4), (3, 5)])
    '01 5 89'
    """
    parts, place = [], 0
    for start, end in sorted(spans):
        if start >= place:
            parts.append(text[place:start])
        place = max(place, end)
    return " ".join([*parts, text[place:]])


def is_bare(text: str) -> bool:
    """Whether a text is too short to hold a reason."""
    return len(_WORD.findall(text)) <= _RUN


def has_words(text: str) -> bool:
    """Whether a text contains a word."""
    return _WORD.search(text) is not None


def judgement(text: str, schema: ReplySchema[T]) -> tuple[T, dict[str, Gist]]:
    """The value that a form reads from a plain text, and its gists.

    Raises:
        Misfit: if the text has none.
    """
    value = schema.read_text(text)
    return value, schema.gists(value)


def judgement_in(text: str, schema: ReplySchema[T]) -> tuple[T, dict[str, Gist]] | None:
    """Like `judgement`, but None if the text has no value."""
    with suppress(Misfit):
        return judgement(text, schema)
    return None


def judgements(gists: dict[str, Gist]) -> dict[str, Any]:
    """The judgements by id, without reasons."""
    return {thing: gist.judgement for thing, gist in gists.items()}


def _decides(passage: str, schema: ReplySchema[Any]) -> bool:
    """Whether a passage contains a verdict; forms that read any text must read more than their default."""
    decided, default = judgement_in(passage, schema), judgement_in("-", schema)
    if decided is None or default is None:
        return decided is not None
    return judgements(decided[1]) != judgements(default[1])


def _runs(text: str, data: str) -> Iterator[Span]:
    """Yield spans of at least `_RUN` consecutive words that occur in the data."""
    words = list(_WORD.finditer(text))
    written = [word.group().casefold() for word in words]
    at: dict[tuple[str, ...], list[int]] = {}
    for place, row in enumerate(_rows(written)):
        at.setdefault(row, []).append(place)
    shared = at.keys() & set(_rows([word.casefold() for word in _WORD.findall(data)])) if at else set()
    quoted = sorted({place + step for row in shared for place in at[row] for step in range(_RUN)})
    for first, last in _merge(quoted, written):
        yield _with_marks(text, words[first].start(), words[last].end())


def _rows(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[step:] for step in range(_RUN)), strict=False)


def _merge(places: Sequence[int], words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First and last word of each quotation."""
    first = last = -1
    for place in places:
        between = words[last + 1 : place]
        if first >= 0 and len(between) <= _GAP and all(map(_is_proper, between)):
            last = place
            continue
        if first >= 0:
            yield first, last
        first = last = place
    if first >= 0:
        yield first, last


def _is_proper(word: str) -> bool:
    return len(word) >= _PROPER and word.isalpha()


def _short(text: str, data: str) -> Iterator[Span]:
    """Labelled or bracketed words that occur in the data with the same punctuation."""
    words = list(_WORD.finditer(text))
    pairs = [
        (one.start(), two.end())
        for one, two in pairwise(words)
        if two.start() - one.end() <= _PROPER and _LABELLED.search(text[one.end() : two.start()])
    ]
    spans = [*pairs, *(match.span() for match in _BRACKETED.finditer(text))]
    plain = _squeeze(data) if spans else ""
    return (span for span in spans if _squeeze(text[slice(*span)]) in plain)


def _squeeze(text: str) -> str:
    return _SPACE.sub("", text).casefold()


def _with_marks(text: str, start: int, end: int) -> Span:
    """Extend a span by adjacent punctuation."""
    while start and not (text[start - 1].isspace() or text[start - 1].isalnum()):
        start -= 1
    while end < len(text) and not (text[end].isspace() or text[end].isalnum()):
        end += 1
    return start, end
