"""Judgement and reason of a reply, compared as values, independent of spelling."""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields, is_dataclass
from difflib import SequenceMatcher
from typing import Any

from thresher.kernels.text.compatibility import nfkc

WHOLE = "reply"
"""Id of the only subject of a reply that does not judge several."""
_ALIKE = 0.9
"""Similarity at which two reasons count as copies."""
_MOST_LETTERS = 400
"""Letters of a reason compared by similarity, which takes quadratic time."""
_MOST_REASONS = 200
"""Planted reasons of similar length that are compared. With more of them the data are hostile, and every
reason counts as a copy."""
_FEW = 3
"""Length from which reasons that differ by one letter count as copies."""
_WORD = 8
"""Letters, such as a label, that may be added to a planted reason without making it a different one."""


@dataclass(frozen=True)
class Gist:
    """Judgement of one subject.

    Attributes:
        judgement: the decision; equal for equal decisions.
        reason: the reason in words; None if the form has none.
        worded: whether the words are the answer itself, such as a list of claims, and not a reason for it.
    """

    judgement: Hashable
    reason: str | None = None
    worded: bool = field(default=False, compare=False)

    @property
    def decision(self) -> Hashable:
        """The judgement, with the words if they are the answer itself."""
        return (self.judgement, folded(self.reason or "")) if self.worded else self.judgement


def gist_of(value: Any) -> Gist:
    """Judgement and reason of a value that a form reads.

    The reason is the attribute `reason`. In values without it, such as lists of claims, the strings are the
    reason and all other leaves the judgement.
    """
    if is_dataclass(value) and isinstance(getattr(value, "reason", None), str):
        others = {part.name: getattr(value, part.name) for part in fields(value) if part.compare}
        return Gist(judgement_of({k: v for k, v in others.items() if k != "reason"}), others["reason"])
    leaves = list(_leaves(value))
    words = [leaf for leaf in leaves if isinstance(leaf, str)]
    rest = tuple(canonical(leaf) for leaf in leaves if not isinstance(leaf, str))
    return Gist(
        (bool(words), len(leaves) - len(words), rest), " ".join(words) if words else None, worded=True
    )


def canonical(value: Any) -> Hashable:
    """Normalise data: equal up to the order of keys, case, space and punctuation.

    >>> canonical({"b": "Yes!", "a": 1}) == canonical({"a": 1.0, "B": "yes"})
    True
    """
    return _frozen(value, folded)


def judgement_of(value: Any) -> Hashable:
    """Numbers and labels that a form has read. Labels are distinct as they are: "A+" is not "A-".

    >>> judgement_of({"score": "+"}) == judgement_of({"score": "-"})
    False
    """
    return _frozen(value, str)


def _frozen(value: Any, text: Callable[[str], str]) -> Hashable:
    if isinstance(value, Mapping):
        return frozenset((text(str(key)), _frozen(entry, text)) for key, entry in value.items())
    if isinstance(value, str):
        return text(value)
    if isinstance(value, AbstractSet):
        return frozenset(_frozen(entry, text) for entry in value)
    if isinstance(value, Sequence):
        return tuple(_frozen(entry, text) for entry in value)
    return value if isinstance(value, Hashable) else repr(value)


def folded(text: str) -> str:
    """Letters and digits of a text, ignoring case and Unicode form."""
    return "".join(filter(str.isalnum, nfkc(text).casefold()))


def letters(text: str) -> str:
    """Letters of a text, ignoring case and Unicode form."""
    return "".join(filter(str.isalpha, folded(text)))


def is_copy(reason: str, planted: Collection[str]) -> bool:
    """Whether a reason is empty, equal to a planted one, part of it, or similar to it.

    Args:
        reason: letters of a reply's reason.
        planted: letters of the reasons in the data.
    """
    if not reason or reason in planted:
        return True
    near = [other for other in planted if _may_be_near(reason, other)]
    return len(near) > _MOST_REASONS or any(_is_near(reason, other) for other in near)


def _may_be_near(reason: str, planted: str) -> bool:
    """Cheap test that all similar pairs pass."""
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
    """Whether texts of at least three letters differ by one insertion, deletion or substitution."""
    if min(len(first), len(second)) < _FEW:
        return False
    head = _shared(first, second)
    tail = _shared(first[head:][::-1], second[head:][::-1])
    return max(len(first), len(second)) - head - tail <= 1


def _shared(first: str, second: str) -> int:
    """Length of the common prefix."""
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
