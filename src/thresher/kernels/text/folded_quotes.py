"""Texts without the differences that copying makes, with the places of their characters."""

import unicodedata
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache, lru_cache

import regex

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
"""Scripts without spaces between words; each letter counts as a word."""
_SIGNS = (
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-")
    | dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\xab\xbb", '"')
    | {"\u2026": "...", "\u200b": "", "\xad": "", "\ufeff": ""}
)

_SHORT = 20_000
"""Characters of texts that are kept folded, which takes about 150 bytes per character."""
_MARKS = ('"', "'")


@cache
def token_pattern() -> "regex.Pattern[str]":
    """Numbers with their separators, and words."""
    words = rf"[{_UNSPACED}]\p{{M}}*+|[\p{{L}}--[{_UNSPACED}]][[\p{{L}}\p{{M}}]--[{_UNSPACED}]]*+"
    return regex.compile(rf"(?V1)\d++(?:[.,:]\d++)*+|{words}")


@cache
def within_pattern() -> "regex.Pattern[str]":
    """A place within a number or word, or before an accent."""
    letters = rf"[\p{{L}}--[{_UNSPACED}]]"
    number = r"(?<=\d)(?=\d|[.,:]\d)|(?<=\d[.,:])(?=\d)"
    return regex.compile(rf"(?V1){number}|(?<=[{letters}\p{{M}}])(?={letters})|(?<=\S)(?=\p{{M}})")


@cache
def _piece_pattern() -> "regex.Pattern[str]":
    """White space, marks of Markdown, and letters with their accents.

    A mark between two letters or digits belongs to a name or a formula (`snake_case`, `2*3`). Accents are
    normalised in groups, as a long run of them takes quadratic time.
    """
    marks = r"(?<!\w)[*_`~]++|[*_`~]++(?!\w)|(?m:^)[ \t]*+(?:\#{1,6}|>)(?=\s)"
    return regex.compile(rf"(?P<space>\s++)|(?P<mark>{marks})|.\p{{M}}{{0,31}}+", regex.DOTALL)


@dataclass(frozen=True)
class FoldedText:
    """A text in lower case with single spaces, plain quotation marks and dashes, and no marks of Markdown.

    Attributes:
        text: the folded text.
        pieces: place in the folded text, start and end in the original, of each piece that is not empty.
    """

    text: str
    pieces: tuple[tuple[int, int, int], ...]

    @property
    def trimmed(self) -> str:
        """The text without surrounding space, ellipses and a pair of quotation marks."""
        text = self.text.strip()
        if text[:1] in _MARKS and text[-1:] == text[:1]:
            text = text[1:-1]
        return text.removeprefix("...").removesuffix("...").strip()

    def original(self, start: int, end: int) -> tuple[int, int] | None:
        """Start and end in the original; None if the place is within a folded letter."""
        first, after = (bisect_left(self.pieces, (place, 0, 0)) for place in (start, end))
        ends = end == len(self.text) or (after < len(self.pieces) and self.pieces[after][0] == end)
        if self.pieces[first][0] != start or not ends:
            return None
        return self.pieces[first][1], self.pieces[after - 1][2]


def folded_text(text: str) -> FoldedText:
    """Fold a text; some short ones are kept, as a context is compared with the passages of all claims."""
    return _kept(text) if len(text) <= _SHORT else _fold(text)


@lru_cache(maxsize=16)
def _kept(text: str) -> FoldedText:
    return _fold(text)


def _fold(text: str) -> FoldedText:
    parts: list[str] = []
    pieces: list[tuple[int, int, int]] = []
    length = 0
    for match in _piece_pattern().finditer(text):
        folded = _folded(match)
        if not folded or (folded == " " and parts and parts[-1] == " "):
            continue
        parts.append(folded)
        pieces.append((length, *match.span()))
        length += len(folded)
    return FoldedText("".join(parts), tuple(pieces))


def _folded(match: "regex.Match[str]") -> str:
    if match.lastgroup == "space":
        return " "
    piece = match.group()
    if match.lastgroup == "mark":
        return ""
    return _SIGNS[piece] if piece in _SIGNS else unicodedata.normalize("NFC", piece).casefold()
