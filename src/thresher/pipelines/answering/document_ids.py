"""Retrieved documents as ids, where the data name the relevant ones by ids."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from haystack.dataclasses import Document

from thresher.pipelines.responses import Response

_OF_PARENT = "meta.source_id"
"""Where Haystack's splitters store the id of the document that a chunk is part of."""

Ranking = list[str] | list[Document] | None


def retrieved(responses: Sequence[Response | None], ground_truth: Sequence[Any]) -> list[Ranking]:
    """Return the retrieved ids of each question in the form of its relevant documents.

    The data may name whole documents, while a pipeline retrieves chunks that have separate ids. The field
    that contains most of the data's ids is therefore used: the chunk's id, its parent's id, or an entry of
    its `meta`. Chunks of one document count once, at the best place.

    Args:
        responses: one per question; None for one that was not asked.
        ground_truth: the relevant documents of each question.

    Returns:
        Ids; the documents themselves if the data contain documents instead of ids.
    """
    known = {entry for entries in ground_truth for entry in _ids(entries)}
    rankings = [None if response is None else response.documents for response in responses]
    if not known:
        return [None if documents is None else list(documents) for documents in rankings]
    field = _field([document for documents in rankings for document in documents or ()], known)
    return [
        None if documents is None else list(dict.fromkeys(_id(document, field) for document in documents))
        for documents in rankings
    ]


def _ids(entries: Any) -> Iterator[str]:
    """The ids among the relevant documents of a question, which may have grades."""
    for entry in entries if isinstance(entries, list | tuple) else ():
        key = entry[0] if isinstance(entry, list | tuple) and entry else entry
        if isinstance(key, str | int):
            yield str(key)


def _field(documents: Sequence[Document], known: set[str]) -> str:
    """The field that holds most of the ids; the own id on a tie."""
    hits: Counter[str] = Counter()
    for document in documents:
        for field, value in [
            ("id", document.id),
            *((f"meta.{key}", value) for key, value in document.meta.items()),
        ]:
            if isinstance(value, str | int) and str(value) in known:
                hits[field] += 1
    if hits:
        most = max(hits.values())
        return "id" if hits["id"] == most else next(field for field, count in hits.items() if count == most)
    return _OF_PARENT if documents and all("source_id" in document.meta for document in documents) else "id"


def _id(document: Document, field: str) -> str:
    """The id of a document; its own if it lacks the field."""
    value = document.id if field == "id" else document.meta.get(field.removeprefix("meta."))
    return document.id if value is None else str(value)
