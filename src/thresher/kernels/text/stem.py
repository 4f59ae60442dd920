"""Stemming of English words as in rouge-score."""

from collections.abc import Callable

_SHORTEST_STEMMED = 4  # rouge-score stems words of more than three characters only


def porter_stemmer() -> Callable[[str], str]:
    """Return a function from a token to its stem; tokens of up to three characters are not stemmed.

    Porter's algorithm with NLTK's extensions (the default mode of `nltk.stem.porter.PorterStemmer`), which
    differs from Snowball's `porter`. Stems are cached.

    >>> stem = porter_stemmer()
    >>> stem("flipping"), stem("cats"), stem("his")
    ('flip', 'cat', 'his')
    """
    from nltk.stem.porter import PorterStemmer  # slow to import, and only needed for stemming

    porter = PorterStemmer().stem
    stems: dict[str, str] = {}

    def stem(token: str) -> str:
        if len(token) < _SHORTEST_STEMMED:
            return token
        if token not in stems:
            stems[token] = porter(token)
        return stems[token]

    return stem
