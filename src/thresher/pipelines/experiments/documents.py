"""Documents to index: Haystack Documents, a table with one per row, or a folder of texts."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from haystack import Document

from thresher.datasets._values import describe
from thresher.datasets.read import table_of
from thresher.errors import InputError
from thresher.files.texts import whole_text

_CONTENT = ("content", "text", "body", "passage")
"""Columns with the text of a document, in order of preference."""
_IDS = ("id", "_id", "doc_id", "document_id")
_TEXTS = {".txt", ".md", ".rst"}


def read_documents(given: Any) -> list[Document]:
    """Read documents.

    Args:
        given: a list of Haystack Documents, texts or rows; a JSONL, JSON, CSV or Parquet file with a column
            `content` or `text`, an optional `id`, and further columns as `meta`; or a folder, in which each
            .txt, .md and .rst file is a document with its path as `id`.

    Raises:
        InputError: if there is no document, or one cannot be read.
    """
    if isinstance(given, str | Path):
        documents = (
            _of_folder(Path(given)) if Path(given).is_dir() else _of_table(_existing(given), str(given))
        )
    elif isinstance(given, Sequence) and given and all(isinstance(entry, Document) for entry in given):
        documents = list(given)
    elif isinstance(given, Sequence) and given and all(isinstance(entry, str) for entry in given):
        documents = [Document(content=text) for text in given]
    else:
        documents = _of_table(given, "documents")
    if not documents:
        raise InputError(
            f"documents: {given!r} holds none; give a file with one per row, or a folder of texts"
        )
    return documents


def _existing(path: str | Path) -> Path:
    if not Path(path).exists():
        raise InputError(
            f"documents: {path} does not exist; give a file with one per row, or a folder of texts"
        )
    return Path(path)


def _of_folder(folder: Path) -> list[Document]:
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in _TEXTS and path.is_file())
    names = [path.relative_to(folder).as_posix() for path in files]
    return [
        Document(id=name, content=whole_text(path), meta={"file_path": name})
        for name, path in zip(names, files, strict=True)
    ]


def _of_table(source: Any, where: str) -> list[Document]:
    if isinstance(source, Path) and source.suffix.lower() in _TEXTS:
        return [Document(id=source.name, content=whole_text(source), meta={"file_path": source.name})]
    columns = table_of(source, None).columns
    content = next((name for name in _CONTENT if name in columns), None)
    if content is None:
        raise InputError(
            f"{where}: no column holds the texts; it has {', '.join(columns)}: call one `content` or `text`"
        )
    key = next((name for name in _IDS if name in columns), None)
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return [_document(row, content, key, f"{where}, document {place}") for place, row in enumerate(rows, 1)]


def _document(row: Mapping[str, Any], content: str, key: str | None, where: str) -> Document:
    text = row[content]
    if not isinstance(text, str):
        raise InputError(f"{where}: {content} is {describe(text)}, not a text")
    meta = {
        name: value
        for name, value in row.items()
        if name not in {content, key, "meta"} and not _is_missing(value)
    }
    given = row.get("meta")
    meta |= given if isinstance(given, Mapping) else {}
    name = "" if key is None or _is_missing(row[key]) else str(row[key])
    try:
        return Document(id=name, content=text, meta=meta)
    except UnicodeEncodeError as error:
        raise InputError(f"{where}: a text has half a character (a lone surrogate): correct it") from error


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
