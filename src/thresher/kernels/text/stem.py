"""Stemming of English words as in rouge-score."""

from collections.abc import Callable
from functools import cache

from thresher.kernels.text.native_counts import porter_stems
from thresher.native.library import library

Stem = Callable[[str], str]
_SHORTEST_STEMMED = 4  # rouge-score stems words of more than three characters only


def porter_stemmer() -> Stem:
    """Return a function from a token to its stem; tokens of up to three characters are not stemmed.

    Porter's algorithm with NLTK's extensions (the default mode of `nltk.stem.porter.PorterStemmer`), which
    differs from Snowball's `porter`. Stems are cached.

    >>> stem = porter_stemmer()
    >>> stem("flipping"), stem("cats"), stem("his")
    ('flip', 'cat', 'his')
    """
    stems: dict[str, str] = {}

    def stem(token: str) -> str:
        if len(token) < _SHORTEST_STEMMED:
            return token
        if token not in stems:
            native = token.isascii() and library() is not None
            stems[token] = porter_stems([token.lower()])[0] if native else _nltk_stem()(token)
        return stems[token]

    return stem


@cache
def _nltk_stem() -> Stem:
    from nltk.stem.porter import PorterStemmer  # takes 1.4 s to import

    return PorterStemmer().stem  # type: ignore[no-any-return]
