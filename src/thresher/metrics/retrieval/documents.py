"""The documents of an entry: the value that each is compared by, and its score or grade."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from numbers import Real
from operator import attrgetter
from typing import Any

import numpy as np
from haystack import Document

from thresher.errors import InputError
from thresher.results.ids import as_id

Compared = Hashable
"""Value that a document is compared by; None for a document that equals no other."""

FORMS = "Documents, ids, or (id, score) pairs"


class DocumentReader:
    """Read the documents of an entry: the value that each is compared by, and its score or grade.

    An entry is a list of Documents, of ids, or of (id, number) pairs; or a mapping from ids to numbers.
    Documents may be given as the dictionaries that they serialise to.

    Args:
        field: field that Documents are compared by: `id`, `content` or `meta.<key>`.
        number_field: field with the number of a Document: `score` or `meta.<key>`; None for no number.
    """

    def __init__(self, field: str, number_field: str | None) -> None:
        self._field = _getter(field)
        self._number = None if number_field is None else _getter(number_field)
        # attrgetter is three times as fast, and sufficient for lists of nothing but Documents.
        self._document_field = attrgetter(field) if field in {"content", "id"} else self._field

    def read(self, entry: Any) -> tuple[list[Compared], list[float | None]]:
        """Return the values that the documents of one entry are compared by, and their numbers.

        Raises:
            InputError: for an entry that cannot be read. The message starts at the place inside the entry;
                the caller prepends the item.
        """
        if isinstance(entry, Mapping):
            entry = list(entry.items())
        elif not isinstance(entry, Sequence) or isinstance(entry, str | bytes):
            raise InputError(f" is {type(entry).__name__}; give a list of {FORMS}")
        kinds = set(map(type, entry))
        if kinds <= {str, int}:
            return [as_id(document) for document in entry], [None] * len(entry)
        if kinds == {Document}:
            return self._documents(entry)
        read = [self._any(place, document) for place, document in enumerate(entry)]
        return [compared for compared, _ in read], [number for _, number in read]

    def _documents(self, entry: Sequence[Document]) -> tuple[list[Compared], list[float | None]]:
        values = list(map(self._document_field, entry))
        if set(map(type, values)) != {str} or "" in values:
            values = [_comparable(value, place) for place, value in enumerate(values)]
        if self._number is None:
            return values, [None] * len(values)
        return values, [_number(self._number(document), place) for place, document in enumerate(entry)]

    def _any(self, place: int, document: Any) -> tuple[Compared, float | None]:
        if isinstance(document, str) or _is_whole(document):
            return as_id(document), None
        if isinstance(document, Document | Mapping):
            number = None if self._number is None else _number(self._number(document), place)
            return _comparable(self._field(document), place), number
        if isinstance(document, list | tuple) and len(document) == 2:  # noqa: PLR2004
            return _comparable(document[0], place), _number(document[1], place)
        raise InputError(f"[{place}] is {type(document).__name__}; give {FORMS}")


def _getter(field: str) -> Callable[[Any], Any]:
    """Return a function that reads a field of a Document, or of the dictionary that it serialises to."""
    if not field.startswith("meta."):
        return lambda document: _part(document, field)
    path = field.removeprefix("meta.").split(".")

    def read(document: Any) -> Any:
        meta = _part(document, "meta")
        # A Document that was serialised flat has its meta keys next to its own.
        value = document if meta is None else meta
        for key in path:
            if not isinstance(value, Mapping):
                return None
            value = value.get(key)
        return value

    return read


def _part(document: Any, name: str) -> Any:
    return getattr(document, name) if isinstance(document, Document) else document.get(name)


def _number(value: Any, place: int) -> float | None:
    if value is None:
        return None
    if not isinstance(value, Real) or not math.isfinite(value):
        raise InputError(f"[{place}] has the score or grade {value!r}; give a finite number, or none")
    return float(value)


def _comparable(value: Any, place: int) -> Compared:
    """Return the value in hashable form; None if it is missing (None, NaN or an empty text)."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str) and not value:
        return None
    if _is_whole(value):
        return as_id(value)
    try:
        hash(value)
    except TypeError:
        return _hashable(value, place)
    return value  # type: ignore[no-any-return]


def _is_whole(value: Any) -> bool:
    """Whether a value is a whole number; as an id it equals its text: 7, 7.0 and "7" are one id."""
    if isinstance(value, bool | np.bool_):
        return False
    return isinstance(value, int | np.integer) or (isinstance(value, float) and value.is_integer())


def _hashable(value: Any, place: int) -> Hashable:
    """Return lists, dictionaries and sets as hashable values; equal ones stay equal."""
    if isinstance(value, Mapping):
        return "mapping", frozenset((key, _hashable(inner, place)) for key, inner in value.items())
    if isinstance(value, list | tuple):
        return type(value).__name__, tuple(_hashable(inner, place) for inner in value)
    if isinstance(value, set):
        return frozenset(value)
    try:
        hash(value)
    except TypeError:
        raise InputError(f"[{place}] has a {type(value).__name__} to compare; give text or numbers") from None
    return value  # type: ignore[no-any-return]
