"""Location of a quotation in the text that it was copied from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from thresher.kernels.text.folded_quotes import folded_text, token_pattern, within_pattern

_PASSAGE_SHARE = 0.9
"""Least share of a passage's letters and digits that a similar quotation contains, in the same order."""
_QUOTE_SHARE = 0.7
"""Least share of the quotation's that the passage contains: judges add words, e.g. "in the year 1904"."""
_FEWEST = 3
"""Least words of a quotation that is compared by similarity; fewer words are similar by chance."""
_NEAR_LENGTH = 4
_NEAR_RATIO = 0.8
"""Length and similarity from which two words may be one word with a typing error."""
_MOST_CELLS = 200_000
"""Words of the quotation times words of the text that are compared by similarity: about a second."""
_FAMILIAR = 0.6
"""Least share of the quotation's letters in words that occur in the text; it excludes most texts cheaply."""
_MOST_PLACES = 100
"""Occurrences of a quotation that are checked."""
_LONGEST = 1_000_000
"""Characters of a text, such as one with an image in it, from which only exact copies are located."""
_NEVER = float("inf")
How = Literal["exact", "normalised", "fuzzy"]


@dataclass(frozen=True)
class Location:
    """Where a quotation is.

    Attributes:
        start: first code point in the text.
        end: code point after the last.
        how: `exact`; `normalised`: other white space, case, quotation marks, dashes, composition of letters
            or marks of Markdown; `fuzzy`: a few other words.
    """

    start: int
    end: int
    how: How


def locate(quote: str, text: str) -> Location | None:
    """Return the first passage of a text that a quotation copies; None if the text has no such passage.

    A passage neither begins nor ends within a word or number. A fuzzy one has the numbers of the quotation,
    at least 0.9 of its characters are in the quotation, and at least 0.7 of the quotation's are in it.

    >>> locate("It burned down.", "Built in 1821. It  burned down.")
    Location(start=15, end=31, how='normalised')
    >>> locate("Built in 1921.", "Built in 1821. It burned down.") is None
    True
    """
    known = locate_in(quote, [text])
    return None if known is None else known[1]


def locate_in(quote: str, texts: Sequence[str]) -> tuple[int, Location] | None:
    """Return the position of the text that has the most literal copy, and the passage, as `locate` does."""
    for search in (_exact, _normalised, _fuzzy):
        for number, text in enumerate(texts):
            long = max(len(quote), len(text)) > _LONGEST
            place = None if long and search is not _exact else search(quote, text)
            if place is not None:
                return number, place
    return None


class _Token(NamedTuple):
    """A word or number in lower case with its place in the text."""

    word: str
    start: int
    end: int


def _tokens(text: str) -> tuple[_Token, ...]:
    return tuple(_Token(match.group().casefold(), *match.span()) for match in token_pattern().finditer(text))


def _exact(quote: str, text: str) -> Location | None:
    quote = quote.strip()
    spans = ((start, start + len(quote)) for start in _occurrences(quote, text))
    return next((Location(*span, "exact") for span in spans if not _cuts(text, span)), None)


def _normalised(quote: str, text: str) -> Location | None:
    folded, source = folded_text(quote), folded_text(text)
    for form in (folded.text.strip(), folded.trimmed):  # marks may be of the text, or added by the judge
        for start in _occurrences(form, source.text):
            span = source.original(start, start + len(form))
            if span is not None and not _cuts(text, span):
                return Location(*span, "normalised")
    return None


def _cuts(text: str, span: tuple[int, int]) -> bool:
    """Whether a span begins or ends within a word or number."""
    return any(within_pattern().match(text, place) for place in span)


def _occurrences(quote: str, text: str) -> Iterator[int]:
    """Places of a quotation, up to a number: a text of one repeated letter has one at every letter."""
    place = text.find(quote) if quote else -1
    for _ in range(_MOST_PLACES):
        if place < 0:
            return
        yield place
        place = text.find(quote, place + 1)


def _fuzzy(quote: str, text: str) -> Location | None:
    """The passage with the cheapest alignment of words, if enough of both sides is shared."""
    quoted, tokens = [token.word for token in _tokens(quote)], _tokens(text)
    if len(quoted) < _FEWEST or len(quoted) * len(tokens) > _MOST_CELLS:
        return None
    words = [token.word for token in tokens]
    known, of_quote = frozenset(words), sum(map(len, quoted))
    if sum(len(word) for word in quoted if word in known) < _FAMILIAR * of_quote:
        return None
    first, last, cost = _cheapest(quoted, words)
    if cost == _NEVER or first == last:
        return None
    of_passage = sum(len(token.word) for token in tokens[first:last])
    shared = (of_quote + of_passage - cost) / 2
    if shared < _PASSAGE_SHARE * of_passage or shared < _QUOTE_SHARE * of_quote:
        return None
    return Location(tokens[first].start, tokens[last - 1].end, "fuzzy")


def _cheapest(quoted: list[str], words: list[str]) -> tuple[int, int, float]:
    """First word, word after the last, and cost of the passage that is cheapest to align (Sellers, 1980).

    Leaving out a word costs its length, a number is never left out, and a typing error costs its letters.
    """
    costs: list[float] = [0.0] * (len(words) + 1)
    starts = [*range(len(words) + 1)]
    for word in quoted:
        left_out = _price(word)
        row, begins = [costs[0] + left_out], [0]
        for place, (other, (diagonal, above)) in enumerate(zip(words, pairwise(costs), strict=True)):
            options = (
                (diagonal + _exchange(word, other), starts[place]),
                (above + left_out, starts[place + 1]),
                (row[-1] + _price(other), begins[-1]),
            )
            cost, begin = min(options, key=_cost)
            row.append(cost)
            begins.append(begin)
        costs, starts = row, begins
    last = min(range(len(costs)), key=costs.__getitem__)
    return starts[last], last, costs[last]


def _cost(option: tuple[float, int]) -> float:
    return option[0]


def _price(word: str) -> float:
    return _NEVER if word[0].isdigit() else len(word)


def _exchange(word: str, other: str) -> float:
    if word == other:
        return 0.0
    if word[0] != other[0] and word[-1] != other[-1]:  # most pairs, without a call
        return _NEVER
    return _typing_error(word, other)


@cache
def _similarity() -> "SequenceMatcher[Any]":
    return SequenceMatcher(autojunk=False)


def _typing_error(word: str, other: str) -> float:
    """Letters that differ between two spellings of a word; infinite for two words and for numbers."""
    shorter, longer = sorted((len(word), len(other)))
    if shorter < _NEAR_LENGTH or longer - shorter > shorter // 4 or word[0].isdigit():
        return _NEVER
    matcher = _similarity()
    matcher.set_seqs(word, other)
    ratio = matcher.ratio()
    return (1 - ratio) * (shorter + longer) if ratio >= _NEAR_RATIO else _NEVER
