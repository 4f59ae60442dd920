"""What somebody probably meant by a name that is unknown."""

import difflib
from collections.abc import Iterable

_MOST = 3
_NEAR = 0.7  # similarity from which a name is taken for a misspelt one


def nearest(given: object, known: Iterable[str]) -> list[str]:
    """The known names that an unknown one resembles, the best first: at most three.

    Case does not count, and a name stands for those that begin with it, as `recall` for `recall@10`.

    >>> nearest("recall", ["precision@10", "recall@10"]), nearest("Rouge_1", ["rouge1", "bleu"])
    (['recall@10'], ['rouge1'])
    >>> nearest("x", ["rouge1", "bleu"])
    []
    """
    if not isinstance(given, str) or not given.strip():
        return []
    wanted = _plain(given)
    plain: dict[str, list[str]] = {}
    for name in known:
        plain.setdefault(_plain(name), []).append(name)
    longer = sorted((each for each in plain if len(wanted) > 1 and each.startswith(wanted)), key=len)
    alike = difflib.get_close_matches(wanted, plain, n=_MOST, cutoff=_NEAR)
    return [name for each in dict.fromkeys([*longer, *alike]) for name in plain[each]][:_MOST]


def meant(given: object, known: Iterable[str]) -> str:
    """What `nearest` finds, to be put into a message behind the unknown name; empty if it finds nothing.

    >>> meant("recall", ["recall@10"]), meant("x", ["recall@10"])
    (" (did you mean 'recall@10'?)", '')
    """
    names = nearest(given, known)
    return f" (did you mean {' or '.join(map(repr, names))}?)" if names else ""


def _plain(name: str) -> str:
    return "".join(character for character in name.casefold() if character not in " _-")
