"""What an entry of a socket says about each document: what it is compared by, and its score or grade."""

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from haystack import Document

from thresher.errors import InputError

Compared = Hashable
"""What a document is compared by; None for one that equals no other."""

FORMS = "Documents, ids, or (id, score) pairs"


def read_documents(
    entry: Any, field: str, number_field: str | None
) -> Iterator[tuple[Compared, float | None]]:
    """What each document of an entry is compared by, and its number.

    Args:
        entry: a list of Documents, of ids, or of (id, number) pairs; or a mapping from ids to numbers.
            Documents may be given as the dictionaries that they serialise to.
        field: what Documents are compared by: `id`, `content` or `meta.<key>`.
        number_field: where a Document keeps its number: `score` or `meta.<key>`; None for nowhere.

    Raises:
        InputError: for anything else. The message starts at the place inside the entry; the caller puts
            the item in front of it.
    """
    if isinstance(entry, Mapping):
        entry = entry.items()
    elif not isinstance(entry, Sequence) or isinstance(entry, str | bytes):
        raise InputError(f" is {type(entry).__name__}; give a list of {FORMS}")
    compared_by = _reader(field)
    number_of = _nothing if number_field is None else _reader(number_field)
    for place, document in enumerate(entry):
        if isinstance(document, str | int | np.integer):
            yield (document if document != "" else None), None
        elif isinstance(document, Document | Mapping):
            yield _comparable(compared_by(document), place), _number(number_of(document), place)
        elif isinstance(document, list | tuple) and len(document) == 2:  # noqa: PLR2004
            yield _comparable(document[0], place), _number(document[1], place)
        else:
            raise InputError(f"[{place}] is {type(document).__name__}; give {FORMS}")


def _reader(field: str) -> Callable[[Any], Any]:
    """The function that reads a field of a Document, or of the dictionary that it serialises to."""
    if not field.startswith("meta."):
        return lambda document: _part(document, field)
    path = field.removeprefix("meta.").split(".")

    def read(document: Any) -> Any:
        meta = _part(document, "meta")
        # A Document that was serialised flat has its meta keys beside its own.
        value = document if meta is None else meta
        for key in path:
            if not isinstance(value, Mapping):
                return None
            value = value.get(key)
        return value

    return read


def _part(document: Any, name: str) -> Any:
    return document.get(name) if isinstance(document, Mapping) else getattr(document, name)


def _nothing(_: Any) -> None:
    return None


def _number(value: Any, place: int) -> float | None:
    if value is None:
        return None
    if not isinstance(value, Real) or not math.isfinite(value):
        raise InputError(f"[{place}] has the score or grade {value!r}; give a finite number, or none")
    return float(value)


def _comparable(value: Any, place: int) -> Compared:
    """The value in a form that can be looked up; None if it is missing (None, NaN or empty text)."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    try:
        hash(value)
    except TypeError:
        return _hashable(value, place)
    return value  # type: ignore[no-any-return]


def _hashable(value: Any, place: int) -> Hashable:
    """Lists, dictionaries and sets by what they hold; equal ones stay equal."""
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
