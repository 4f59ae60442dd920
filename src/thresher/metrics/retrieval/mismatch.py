"""Raise if ids equal another field of Documents than the one compared: every score would be 0."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from haystack import Document

from thresher.errors import InputError
from thresher.results.ids import as_id
from thresher.surface import metric_option

_SOCKETS = ("retrieved_documents", "ground_truth_documents")
_OWN = frozenset({"id", "content", "score", "embedding", "sparse_embedding", "blob"})
_SHOWN = 40  # characters of an id that a message shows


def check_same_field(item: int, retrieved: Any, ground_truth: Any, field: str) -> None:
    """Check an item without any match: raise if different fields were compared.

    Ids (or texts) on one side are not compared with the right field of the Documents on the other if they
    equal the Documents' id, content or a meta field, and never the field chosen. Only the item itself is
    examined, so the outcome does not depend on the other items.

    Args:
        item: the item's position, for the message.
        retrieved: its entry of `retrieved_documents`.
        ground_truth: its entry of `ground_truth_documents`.
        field: field that Documents are compared by.

    Raises:
        InputError: names the id, the field that it equals, and the option to set.
    """
    if set(map(type, retrieved)) == set(map(type, ground_truth)) in ({Document}, {str}):
        return  # nearly all items: the same on both sides
    sides = _parted(retrieved), _parted(ground_truth)
    for plain, other in ((0, 1), (1, 0)):
        names, documents = sides[plain][0], sides[other][1]
        equal = _equal_field(names, documents, field) if names and documents else None
        if equal is None:
            continue
        name, its_field = equal
        shown = name if len(name) <= _SHOWN else name[: _SHOWN - 3] + "..."
        raise InputError(
            f"{_SOCKETS[plain]}[{item}] holds {shown!r}, which is the {its_field} of a Document in "
            f"{_SOCKETS[other]}[{item}], and Documents are compared by their {field}: "
            f"set {metric_option(f'document_comparison_field={its_field!r}')}, or give ids on both sides"
        )


def check_same_documents(item: int, retrieved: Any, ground_truth: Any, field: str) -> None:
    """Raise if a retrieved Document without the compared field has the id of a relevant one.

    Raises:
        InputError: names the Document and what to do.
    """
    relevant = {_value(document, "id") for document in _parted(ground_truth)[1]}
    for document in _parted(retrieved)[1]:
        if _value(document, field) in (None, "") and (name := _value(document, "id")) in relevant and name:
            by_id = metric_option("document_comparison_field='id'")
            raise InputError(
                f"the Document {name!r} in retrieved_documents[{item}] has no {field}, by which it would be "
                f"compared with the relevant Document of that id; set {by_id}"
            )


def _parted(entry: Any) -> tuple[list[str], list[Any]]:
    """The ids of an entry, as texts, and its Documents."""
    if isinstance(entry, Mapping):
        return [name for key in entry if (name := as_id(key))], []
    names, documents = [], []
    for part in entry:
        if isinstance(part, Document | Mapping):
            documents.append(part)
        elif name := as_id(part[0] if isinstance(part, list | tuple) else part):
            names.append(name)
    return names, documents


def _equal_field(names: Sequence[str], documents: Sequence[Any], field: str) -> tuple[str, str] | None:
    """A name and the field of the Documents that it equals: the field that most of them equal."""
    known = set(names)
    hits: dict[str, list[str]] = {}
    for document in documents:
        for other, name in _named(document, known, numbers=field == "content"):
            if other != field:
                hits.setdefault(other, []).append(name)
    for certain in ("id", "content"):
        if certain in hits:
            return hits[certain][0], certain
    most = max(hits, key=lambda other: len(hits[other]), default=None)
    return None if most is None else (hits[most][0], most)


def _named(document: Any, known: Collection[str], *, numbers: bool) -> Iterator[tuple[str, str]]:
    """The fields of a Document that hold one of the names, and which.

    Numbers such as the place of a passage equal ids by chance, unless ids cannot be right at all.
    """
    places: list[tuple[str, Any]] = [("", _fields(document))]
    while places:
        path, fields = places.pop()
        for key, value in fields.items():
            if isinstance(value, Mapping):
                places.append((f"{path}{key}.", value))
            elif isinstance(value, str):
                if value in known:
                    yield f"{path}{key}", value
            elif numbers and value is not None and (name := as_id(value)) in known:
                yield f"{path}{key}", str(name)


def _fields(document: Any) -> dict[str, Any]:
    """Fields that a Document can be compared by."""
    if isinstance(document, Document):
        return {"id": document.id, "content": document.content, "meta": document.meta}
    own = {"id": document.get("id"), "content": document.get("content")}
    meta = document.get("meta")
    if meta is None:  # serialised flat: its meta keys are next to its own
        meta = {key: value for key, value in document.items() if key not in _OWN}
    return {**own, "meta": meta}


def _value(document: Any, field: str) -> Any:
    value: Any = _fields(document)
    for key in field.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
