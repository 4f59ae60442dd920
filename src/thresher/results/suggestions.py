"""Suggestions for misspelt names."""

import difflib
from collections.abc import Iterable

_MOST = 3
_CUTOFF = 0.7
"""Similarity from which a name counts as a misspelt one."""


def similar_names(name: object, known: Iterable[str]) -> list[str]:
    """Return up to three known names that resemble an unknown one, the best first.

    Case, blanks, hyphens and underscores do not count. Names with the same letters come first, then
    those that begin with `name`, the shortest first, so that `recall` suggests `recall@10`.

    >>> similar_names("recall", ["precision@10", "recall@10"]), similar_names("Rouge_1", ["rouge1", "bleu"])
    (['recall@10'], ['rouge1'])
    >>> similar_names("rnu", ["run", "report"])
    ['run']
    >>> similar_names("x", ["rouge1", "bleu"])
    []
    """
    if not isinstance(name, str) or not name.strip():
        return []
    key = _key(name)
    by_key: dict[str, list[str]] = {}
    for candidate in known:
        by_key.setdefault(_key(candidate), []).append(candidate)
    swapped = [
        other for other in by_key if sorted(other) == sorted(key)
    ]  # of short names, too unlike for difflib
    longer = sorted((other for other in by_key if len(key) > 1 and other.startswith(key)), key=len)
    close = difflib.get_close_matches(key, by_key, n=_MOST, cutoff=_CUTOFF)
    return [match for other in dict.fromkeys([*swapped, *longer, *close]) for match in by_key[other]][:_MOST]


def suggest(name: object, known: Iterable[str]) -> str:
    """Return " (did you mean ...?)" to append to the unknown name in a message; empty without similar names.

    >>> suggest("recall", ["recall@10"]), suggest("x", ["recall@10"])
    (" (did you mean 'recall@10'?)", '')
    """
    names = similar_names(name, known)
    return f" (did you mean {' or '.join(map(repr, names))}?)" if names else ""


def _key(name: str) -> str:
    return "".join(character for character in name.casefold() if character not in " _-")
