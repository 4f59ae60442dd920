"""Normalising texts before they are compared."""

import re
import string
from collections.abc import Callable

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def squad(text: str) -> str:
    """SQuAD's normalisation: lower case, no ASCII punctuation, no English articles, single spaces.

    Source: the evaluation script of SQuAD 1.1 (Rajpurkar et al. 2016). Typographic quotes stay, and a
    text without spaces stays one token.

    >>> squad("The  Eiffel-Tower, in Paris!")
    'eiffeltower in paris'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def as_is(text: str) -> str:
    """The text unchanged."""
    return text


NORMALIZATIONS: dict[str, Callable[[str], str]] = {"none": as_is, "squad": squad}
