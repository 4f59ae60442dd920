"""Ids of retrieved and relevant documents, as sets."""

from typing import Any

from thresher.errors import InputError
from thresher.metrics import DocumentLists, DocumentReader, Items

Ids = set[str]


def read(
    retrieved: DocumentLists, relevant: DocumentLists, field: str
) -> tuple[Items, list[tuple[Ids, Ids]]]:
    """The items, and the ids of retrieved and of relevant documents of each that is present.

    Args:
        retrieved: the socket `retrieved_documents`.
        relevant: the socket `ground_truth_documents`.
        field: what names a Document.
    """
    columns: dict[str, Any] = {"retrieved_documents": retrieved, "ground_truth_documents": relevant}
    items = Items(**columns)
    reader = DocumentReader(field, None)
    entries = (
        [_ids(reader, f"{socket}[{item}]", column[item]) for socket, column in columns.items()]
        for item in items.present
    )
    return items, [(ours, theirs) for ours, theirs in entries]


def _ids(reader: DocumentReader, where: str, entry: Any) -> Ids:
    """The ids as texts: ids that were numbers in one file and texts in another are the same."""
    try:
        found, _ = reader.read(entry)
    except InputError as error:
        raise InputError(f"{where}{error}") from None
    return {str(id_) for id_ in found if id_ is not None}
