"""Responses as columns of a part, and back."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from haystack.dataclasses import Document

from thresher.files.texts import without_lone_surrogates
from thresher.pipelines.responses import Response
from thresher.reports.rendering.text import plain
from thresher.results import FrozenColumn

_NAMES = tuple(field.name for field in fields(Response))
_DOCUMENT = ("id", "content", "meta", "score")
"""Fields of a document that are stored; embeddings and binary content are not."""


def to_columns(responses: Sequence[Response]) -> dict[str, FrozenColumn]:
    """One column per field of a response."""
    columns = {name: [getattr(response, name) for response in responses] for name in _NAMES}
    columns["documents"] = [
        None if documents is None else [_plain(document) for document in documents]
        for documents in columns["documents"]
    ]
    return {name: FrozenColumn(entries) for name, entries in columns.items()}


def from_columns(columns: Mapping[str, FrozenColumn]) -> list[Response]:
    """The inverse of `to_columns`; columns of other versions are ignored, missing ones empty.

    Raises:
        ValueError, TypeError, KeyError: if an entry is not a stored response.
    """
    known = [name for name in _NAMES if name in columns]
    rows = zip(*(columns[name] for name in known), strict=True)
    return [_response(dict(zip(known, row, strict=True))) for row in rows]


def _plain(document: Document) -> Any:
    return _writable(plain({name: getattr(document, name) for name in _DOCUMENT}))


def _writable(value: Any) -> Any:
    """Plain data whose texts can be written as UTF-8; retrievers may return text cut within a character."""
    if isinstance(value, str):
        return without_lone_surrogates(value)
    if isinstance(value, dict):
        return {_writable(name): _writable(entry) for name, entry in value.items()}
    return [_writable(entry) for entry in value] if isinstance(value, list) else value


def _response(values: dict[str, Any]) -> Response:
    documents = values.get("documents")
    values["documents"] = None if documents is None else [Document(**entry) for entry in documents]
    return Response(**values)
