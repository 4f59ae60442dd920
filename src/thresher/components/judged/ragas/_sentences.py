"""Sentences of a text, found without a model, so that what is judged does not depend on a judge."""

import re

_MARKS = ".!?…。！？؟।"  # noqa: RUF001  (the full stops of other scripts are meant)
_BREAK = re.compile(rf"\n+|(?<![{_MARKS}])[{_MARKS}]++[\"'”’»)\]]*+(?:\s+|(?<=[。！？])|$)")  # noqa: RUF001
_SHORT = re.compile(r"(?:^|[\s(])(?:([^\W\d_])|(?:[^\W\d_]\.)+[^\W\d_])\.\s*$")
_LONGEST_SHORT = 20


def sentences(text: str) -> list[str]:
    r"""Split a text after the marks that end sentences, and at line ends.

    A mark ends no sentence where the next word begins in lower case ("approx. ten"), nor after an initial
    ("J. S. Bach") or letters with points between ("e.g. Paris"). Nothing but surrounding space is lost.

    >>> sentences("It cost 3.5 m. Did J. S. Bach pay?\nNo one knows")
    ['It cost 3.5 m.', 'Did J. S. Bach pay?', 'No one knows']
    """
    parts, start = [], 0
    for match in _BREAK.finditer(text):
        if "\n" in match.group() or not _goes_on(text, start, match.end()):
            parts.append(text[start : match.end()])
            start = match.end()
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether the mark before `end` belongs to an abbreviation."""
    if text[end : end + 1].islower():
        return True
    short = _SHORT.search(text[max(start, end - _LONGEST_SHORT) : end])
    return short is not None and (short[1] is None or short[1].isupper())
