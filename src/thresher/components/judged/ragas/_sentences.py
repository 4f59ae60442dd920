"""Sentences of a text, found without a model, so that what is judged does not depend on a judge."""

import re

_MARKS = ".!?…。！？؟।"  # noqa: RUF001  (the full stops of other scripts are meant)
_BREAK = re.compile(rf"\n+|(?<![{_MARKS}])[{_MARKS}]++[\"'”’»)\]]*+(?:\s+|(?<=[。！？])|$)")  # noqa: RUF001
_SHORT = re.compile(r"(?:^|[\s(])(?:([^\W\d_])|(?:[^\W\d_]\.)+[^\W\d_])\.\s*$")
_TITLE = re.compile(
    r"(?:^|[\s(\"'])(?:Mr|Mrs|Ms|Mx|Messrs|Mme|Mlle|Hr|Dr|Prof|St|Mt|Pres|Gov|Sen|Rep|Rev|Hon|Gen|Col|Maj|Capt"
    r"|Cpt|Lt|Sgt|Adm|Supt|vs|cf|viz|approx|ca)\.\s*$"
)
"""What stands before a name or a number, and so at no sentence's end."""
_BEFORE_DIGITS = re.compile(r"(?i)(?:^|[\s(])(?:nos?|nr|figs?|eqs?|tab|vol|art|sec|chap|ch|pp?|ext|op)\.\s*$")
_ITEM = re.compile(r"\s*\(?(?:\d{1,3}|[^\W\d_]|[ivx]{2,4})[.)]+\s*")
"""What numbers an item of a list."""
_LONGEST_SHORT = 20


def sentences(text: str) -> list[str]:
    r"""Split a text after the marks that end sentences, and at line ends.

    A mark ends no sentence where the next word begins in lower case ("etc. and so on"), nor after an initial
    ("J. S. Bach"), letters with points between ("e.g. Paris"), a title ("Dr. Smith"), what numbers ("No. 5")
    or the number of a list's item ("1. First"). Nothing but surrounding space is lost.

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
    """Whether the mark before `end` belongs to an abbreviation, or to the number of an item."""
    following, last = text[end : end + 1], text[max(start, end - _LONGEST_SHORT) : end]
    if following.islower() or _TITLE.search(last) or _ITEM.fullmatch(text, start, end):
        return True
    if following.isdigit() and _BEFORE_DIGITS.search(last):
        return True
    short = _SHORT.search(last)
    return short is not None and (short[1] is None or short[1].isupper())
