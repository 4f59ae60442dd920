"""Ids of retrieved and relevant documents, as sets."""

from typing import Any

from thresher.errors import InputError
from thresher.metrics import DocumentLists, DocumentReader, Items

Ids = set[str]


def read(
    retrieved: DocumentLists, relevant: DocumentLists, field: str
) -> tuple[Items, list[tuple[Ids, Ids]]]:
    """Return the items, and the ids of retrieved and of relevant documents of each present item.

    Args:
        retrieved: the input `retrieved_documents`.
        relevant: the input `ground_truth_documents`.
        field: field with the id of a Document.
    """
    columns: dict[str, Any] = {"retrieved_documents": retrieved, "ground_truth_documents": relevant}
    items = Items(**columns)
    reader = DocumentReader(field, None)
    entries = (
        [_ids(reader, f"{socket}[{item}]", column[item]) for socket, column in columns.items()]
        for item in items.present
    )
    return items, [(ids, relevant_ids) for ids, relevant_ids in entries]


def _ids(reader: DocumentReader, where: str, entry: Any) -> Ids:
    """The ids as texts: 7 and "7" are one id."""
    try:
        ids, _ = reader.read(entry)
    except InputError as error:
        raise InputError(f"{where}{error}") from None
    return {str(id_) for id_ in ids if id_ is not None}
