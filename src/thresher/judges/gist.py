"""What a reply says, apart from how it is written: judgement and reason, compared as values."""

import unicodedata
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, is_dataclass
from difflib import SequenceMatcher
from typing import Any

WHOLE = "reply"
"""Name of the one thing that a reply is about, where it is not about several."""
_ALIKE = 0.9
"""Similarity from which on two reasons are copies of each other."""
_MOST_LETTERS = 400
"""Letters of a reason that are compared when it is not equal to another; comparing takes their square."""
_MOST_REASONS = 200
"""Planted reasons of similar length that are compared. With more of them, every reason counts as a copy: such
data are hostile."""
_FEW = 3
"""Letters from which on one letter more or less makes no other reason."""
_WORD = 8
"""Letters that may stand beside a planted reason, such as a label, without making it another reason."""


@dataclass(frozen=True)
class Gist:
    """What is said about one thing.

    Attributes:
        judgement: what was decided, equal for equal decisions.
        reason: why, in words; None where the form has no words, so that the judgement is all there is.
    """

    judgement: Hashable
    reason: str | None = None


def gist_of(value: Any) -> Gist:
    """Judgement and reason of a value that a form reads.

    The attribute `reason` is the reason. Values without one, such as lists of claims, are all words: these
    are taken for the reason, and what is not a string is the judgement.
    """
    if is_dataclass(value) and isinstance(getattr(value, "reason", None), str):
        others = {part.name: getattr(value, part.name) for part in fields(value) if part.compare}
        return Gist(canonical({k: v for k, v in others.items() if k != "reason"}), others["reason"])
    leaves = list(_leaves(value))
    words = [leaf for leaf in leaves if isinstance(leaf, str)]
    rest = tuple(canonical(leaf) for leaf in leaves if not isinstance(leaf, str))
    return Gist((bool(words), len(leaves) - len(words), rest), " ".join(words) if words else None)


def canonical(value: Any) -> Hashable:
    """A value that is equal for data equal but for the order of keys, case, space and marks.

    >>> canonical({"b": "Yes!", "a": 1}) == canonical({"a": 1.0, "B": "yes"})
    True
    """
    if isinstance(value, Mapping):
        return frozenset((folded(str(key)), canonical(entry)) for key, entry in value.items())
    if isinstance(value, str):
        return folded(value)
    if isinstance(value, AbstractSet):
        return frozenset(map(canonical, value))
    if isinstance(value, Sequence):
        return tuple(map(canonical, value))
    return value if isinstance(value, Hashable) else repr(value)


def folded(text: str) -> str:
    """Letters and digits of a text, without regard to case and to how they are encoded."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, plain))


def letters(text: str) -> str:
    """Letters of a text, the same."""
    return "".join(filter(str.isalpha, folded(text)))


def is_copy(reason: str, planted: Collection[str]) -> bool:
    """Whether a reason is empty, equal to a planted one, a part of it, or nearly the same.

    Args:
        reason: letters of a reply's reason.
        planted: letters of the reasons in the data.
    """
    if not reason or reason in planted:
        return True
    near = [other for other in planted if _may_be_near(reason, other)]
    return len(near) > _MOST_REASONS or any(_is_near(reason, other) for other in near)


def _may_be_near(reason: str, planted: str) -> bool:
    """A cheap test that everything near passes."""
    shorter, longer = sorted((len(reason), len(planted)))
    return reason in planted or longer - shorter <= _WORD or 2 * shorter >= _ALIKE * (shorter + longer)


def _is_near(reason: str, planted: str) -> bool:
    if reason in planted or _adds_a_word(reason, planted) or _one_letter_apart(reason, planted):
        return True
    matcher = SequenceMatcher(None, reason[:_MOST_LETTERS], planted[:_MOST_LETTERS], autojunk=False)
    return matcher.quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


def _adds_a_word(reason: str, planted: str) -> bool:
    return len(planted) >= _WORD and planted in reason and len(reason) - len(planted) <= _WORD


def _one_letter_apart(first: str, second: str) -> bool:
    """Whether one letter was put in, taken out or changed. Two letters are too few to say so."""
    if min(len(first), len(second)) < _FEW:
        return False
    head = _shared(first, second)
    tail = _shared(first[head:][::-1], second[head:][::-1])
    return max(len(first), len(second)) - head - tail <= 1


def _shared(first: str, second: str) -> int:
    """Length of the common beginning."""
    pairs = zip(first, second, strict=False)
    unequal = (place for place, (one, other) in enumerate(pairs) if one != other)
    return next(unequal, min(len(first), len(second)))


def _leaves(value: Any) -> Iterator[Any]:
    if is_dataclass(value) and not isinstance(value, type):
        value = [getattr(value, part.name) for part in fields(value) if part.compare]
    if isinstance(value, Mapping):
        value = [part for entry in sorted(value.items(), key=lambda item: str(item[0])) for part in entry]
    if isinstance(value, Sequence) and not isinstance(value, str):
        for part in value:
            yield from _leaves(part)
    else:
        yield value
