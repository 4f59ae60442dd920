"""Markers of citations, such as [1], [2, 3], [4-6] and [doc 7]."""

import re
from collections.abc import Iterable

_MARKER = re.compile(
    r"\[\^?(?:(?:doc(?:ument)?|source|context|passage|ref)[ .#:]*+)?"
    r"(\d{1,4}(?:\s?[-\u2013]\s?\d{1,4})?(?:\s?[,;]\s?\d{1,4}(?:\s?[-\u2013]\s?\d{1,4})?)*+)\]",
    re.IGNORECASE | re.ASCII,
)
_WIDEST = 50
_PART = re.compile(r"\s?[,;]\s?")
_RANGE = re.compile(r"\s?[-\u2013]\s?")


def cited_numbers(text: str) -> list[int]:
    """The numbers in the markers of a text, in order.

    >>> cited_numbers("Blue [1, 3-5], or red [doc 2].")
    [1, 3, 4, 5, 2]
    """
    numbers: list[int] = []
    for marker in _MARKER.findall(text):
        if marker.isdecimal():
            numbers.append(int(marker))
        else:
            numbers += [number for part in _PART.split(marker) for number in _numbers(part)]
    return numbers


def _numbers(part: str) -> Iterable[int]:
    """The numbers of one part of a marker; only the ends of a wide range, which is a year or a slip."""
    ends = sorted(map(int, _RANGE.split(part)))
    return range(ends[0], ends[-1] + 1) if ends[-1] - ends[0] < _WIDEST else ends
