"""Split texts into sentences without a model, so that the judged sentences do not depend on a judge."""

import re

_MARKS = ".!?…。！？؟।"  # noqa: RUF001  (full stops of other scripts)
_BREAK = re.compile(rf"\n+|(?<![{_MARKS}])[{_MARKS}]++[\"'”’»)\]]*+(?:\s+|(?<=[。！？])|$)")  # noqa: RUF001
_SHORT = re.compile(r"(?:^|[\s(])(?:([^\W\d_])|(?:[^\W\d_]\.)+[^\W\d_])\.\s*$")
_TITLE = re.compile(
    r"(?:^|[\s(\"'])(?:Mr|Mrs|Ms|Mx|Messrs|Mme|Mlle|Hr|Dr|Prof|St|Mt|Pres|Gov|Sen|Rep|Rev|Hon|Gen|Col|Maj|Capt"
    r"|Cpt|Lt|Sgt|Adm|Supt|vs|cf|viz|approx|ca)\.\s*$"
)
"""Abbreviations before a name or a number, which do not end a sentence."""
_BEFORE_DIGITS = re.compile(r"(?i)(?:^|[\s(])(?:nos?|nr|figs?|eqs?|tab|vol|art|sec|chap|ch|pp?|ext|op)\.\s*$")
_SPACE = re.compile(r"\s++")
_ITEM = re.compile(r"\(?(?:\d{1,3}|[^\W\d_]|[ivx]{2,4})[.)]+\s*")
"""Number of a list item."""
_LONGEST_SHORT = 20


def sentences(text: str) -> list[str]:
    r"""Split a text after the marks that end sentences, and at line ends.

    A mark does not end a sentence before a word in lower case ("etc. and so on"), after an initial ("J. S.
    Bach"), letters with points between ("e.g. Paris"), a title ("Dr. Smith"), an abbreviation before a number
    ("No. 5") or the number of a list item ("1. First"). Only surrounding space is lost.

    >>> sentences("It cost 3.5 m. Did J. S. Bach pay?\nNo one knows")
    ['It cost 3.5 m.', 'Did J. S. Bach pay?', 'No one knows']
    """
    parts, start = [], _after_space(text, 0)
    for match in _BREAK.finditer(text):
        if "\n" in match.group() or not _goes_on(text, start, match.end()):
            parts.append(text[start : match.end()])
            start = _after_space(text, match.end())
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def _after_space(text: str, place: int) -> int:
    """Where the space ends: a long one is walked once, not again for every mark of the sentence after it."""
    space = _SPACE.match(text, place)
    return space.end() if space else place


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether the mark before `end` belongs to an abbreviation, or to the number of a list item."""
    following, last = text[end : end + 1], text[max(start, end - _LONGEST_SHORT) : end]
    if following.islower() or _TITLE.search(last) or _ITEM.fullmatch(text, start, end):
        return True
    if following.isdigit() and _BEFORE_DIGITS.search(last):
        return True
    short = _SHORT.search(last)
    return short is not None and (short[1] is None or short[1].isupper())
