"""Labels, and the vocabularies that encode them as small integers."""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.signedinteger[Any]]


class Label(NamedTuple):
    """A true or predicted label of an item or an object; means are taken within one key.

    Attributes:
        key: the question that the label answers, e.g. `colour`; empty for plain labels.
        value: the answer, e.g. `red`.

    >>> str(Label("colour", "red")), str(Label.of("cat"))
    ('colour:red', 'cat')
    """

    key: str
    value: str

    @classmethod
    def of(cls, label: object) -> Self:
        """Build a label from a label, a dict with `key` and `value`, or a string or integer (a plain label).

        Raises:
            InputError: for anything else.
        """
        if isinstance(label, cls):
            return label
        if isinstance(label, str):
            return cls("", label)
        if isinstance(label, Integral) and not isinstance(label, bool):
            return cls("", str(int(label)))
        if isinstance(label, Mapping) and set(label) == {"key", "value"}:
            return cls(str(label["key"]), str(label["value"]))
        raise InputError(f"{label!r} is not a label; give a string, an integer or Label(key, value)")

    def __str__(self) -> str:
        return f"{self.key}:{self.value}" if self.key else self.value

    def plain(self) -> Any:
        """Plain data that `of` accepts: the value alone, or with its key."""
        return {"key": self.key, "value": self.value} if self.key else self.value


Vocabulary = tuple[Label, ...]


def vocabulary_of(labels: Iterable[Label]) -> Vocabulary:
    """The distinct labels, sorted, so that the order of the data does not matter."""
    return tuple(sorted(set(labels)))


def encode(labels: Iterable[Label | None], vocabulary: Vocabulary) -> Codes:
    """Positions of labels in a vocabulary; -1 for None.

    >>> vocabulary = vocabulary_of(map(Label.of, ["dog", "cat", "dog"]))
    >>> encode([Label.of("dog"), None, Label.of("cat")], vocabulary).tolist()
    [1, -1, 0]
    """
    position: dict[Label | None, int] = {label: code for code, label in enumerate(vocabulary)}
    position[None] = -1
    return np.array([position[label] for label in labels], dtype=code_type(len(vocabulary)))


def merge_vocabularies(vocabularies: Sequence[Vocabulary]) -> tuple[Vocabulary, list[Codes]]:
    """Merge vocabularies; also return, for each of them, the new code of each old one.

    Each table of new codes ends with -1, so that indexing it with the code -1 (no label) gives -1.
    """
    merged = vocabulary_of(label for vocabulary in vocabularies for label in vocabulary)
    return merged, [encode([*vocabulary, None], merged) for vocabulary in vocabularies]


def sums_by_code(codes: npt.NDArray[Any], weights: npt.NDArray[Any], size: int) -> Floats:
    """Sum the weights of each code from 0 to `size - 1`.

    >>> sums_by_code(np.array([2, 0, 2]), np.array([1.0, 1.0, 0.5]), 4).tolist()
    [1.0, 0.0, 1.5, 0.0]
    """
    counted = None if (weights == 1).all() else weights  # numpy counts in half of the time that it sums
    return np.asarray(np.bincount(codes, counted, size), dtype=np.float64)


def key_codes(vocabulary: Sequence[Label]) -> npt.NDArray[np.int64]:
    """The number of each label's key, in the order of their names.

    >>> key_codes([Label("size", "big"), Label("colour", "red")]).tolist()
    [1, 0]
    """
    place = {key: code for code, key in enumerate(sorted({label.key for label in vocabulary}))}
    return np.array([place[label.key] for label in vocabulary], dtype=np.int64)


def sums_by_key(keys: npt.NDArray[np.int64], values: Floats) -> Floats:
    """Per label the sum of the values of all labels of its key.

    >>> sums_by_key(np.array([0, 1, 0]), np.array([1.0, 5.0, 2.0])).tolist()
    [3.0, 5.0, 3.0]
    """
    return sums_by_code(keys, values, int(keys.max(initial=0)) + 1)[keys]


def code_type(size: int) -> type[np.signedinteger[Any]]:
    """The smallest integer type that holds -1 and the codes of `size` labels."""
    for dtype in (np.int8, np.int16):
        if size - 1 <= np.iinfo(dtype).max:
            return dtype
    return np.int32
