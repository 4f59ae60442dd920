"""Entries of the known columns: brought to the form that metrics expect, or refused by line and field."""

import ast
import json
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from thresher.datasets._chats import asked, replied
from thresher.datasets._csv import recognised
from thresher.datasets._haystack import is_haystack
from thresher.datasets._table import Table
from thresher.datasets._unfit import UnfitError
from thresher.datasets._values import as_text, described
from thresher.errors import InputError
from thresher.results.entry_kinds import is_chat, is_message
from thresher.results.ids import as_id

_SEPARATORS = frozenset(",;| \t\r\n")  # a bare text with one of these is no single document id


def read_entries(table: Table, column: str, name: str) -> list[Any]:
    """The entries of one column under its name in the data set.

    Raises:
        InputError: for an entry of a known column that has the wrong type.
    """
    values: Sequence[Any] = table.columns[column]
    if table.text_only and not table.empty_as_text:
        values = [cell or None for cell in values]
    convert = _CONVERTERS.get(name)
    if convert is None:
        return recognised(values) if table.text_only else list(values)
    entries = []
    for row, value in enumerate(values):
        try:
            entry = _unwritten(name, value) if table.lists_as_text and isinstance(value, str) else value
            entries.append(None if entry is None else convert(entry))
        except UnfitError as unfit:
            field = name if column == name else f"{column!r} (read as {name})"
            remedy = f"mend the row, or say what the column means with --map {column}=NAME"
            raise InputError(
                f"{table.where(row)}: {field} holds {unfit.found}; wanted {unfit.wanted}; {remedy}"
            ) from None
    return entries


def _unwritten(name: str, cell: str) -> Any:
    """A cell of a table, which may hold a list written as text; an empty cell of a list is nothing."""
    stripped = cell.strip()
    if name in _TEXTS:
        return cell
    if name == "ground_truth_answers":
        texts = _list_of_texts(stripped)
        return cell if texts is None else texts
    if not stripped:
        return None
    if name in _LABELS or (name in _OBJECTS and stripped.startswith("{")):
        return (_written(stripped) if stripped.startswith(("{", "[")) else None) or cell
    found = _written(stripped) if stripped.startswith("[") else None
    if found is None and re.match(r"\[(.*\]$|['\"{])", stripped, re.DOTALL):
        raise UnfitError(described(cell), 'a JSON list such as ["first", "second"]')
    return cell if found is None else found


def _written(text: str) -> Any:
    """The JSON in a text, or the list as Python prints it; None if it is neither."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        with warnings.catch_warnings(action="ignore"):  # of stray backslashes in the text
            value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError):
        return None
    # Only what prints as it was read: numpy prints lists without commas, which would join the texts.
    return value if repr(value) == text else None


def _list_of_texts(text: str) -> list[str] | None:
    found = _written(text) if text.startswith("[") else None
    return found if isinstance(found, list) and all(isinstance(part, str | None) for part in found) else None


def _text(entry: Any) -> str:
    if isinstance(entry, str):
        return entry
    if isinstance(entry, int | float):
        return as_text(entry)
    raise UnfitError(described(entry), "a text")


def _question(entry: Any) -> str:
    return asked(entry) if is_chat(entry) or is_message(entry) else _text(entry)


def _answer(entry: Any) -> str:
    return replied(entry) if is_chat(entry) or is_message(entry) else _text(entry)


def _texts(entry: Any) -> list[str]:
    if isinstance(entry, str | int | float):
        return [_text(entry)]
    return _each_text(entry, "a list of texts")


def _each_text(entry: Any, wanted: str) -> list[str]:
    if not isinstance(entry, list):
        raise UnfitError(described(entry), wanted)
    for position, part in enumerate(entry, start=1):
        if not isinstance(part, str):
            raise UnfitError(f"a list whose entry {position} is {described(part)}", wanted)
    return entry


def _answers(entry: Any) -> str | list[str]:
    wanted = "a text or a list of texts"
    if isinstance(entry, str | int | float):
        return _text(entry)
    if isinstance(entry, dict) and "text" in entry:  # SQuAD in Hugging Face's form
        return _answers(entry["text"])
    if isinstance(entry, list):  # SQuAD as published has objects; a reference that is missing is none
        entry = [part["text"] if isinstance(part, dict) and "text" in part else part for part in entry]
        entry = [part for part in entry if part is not None]
    return _each_text(entry, wanted)


def _rubric(entry: Any) -> dict[str, Any]:
    if isinstance(entry, dict):
        return entry
    raise UnfitError(described(entry), "an object: rating -> what an answer must be like to get it")


def _documents(entry: Any) -> list[Any]:
    wanted = "a list of document ids or Documents"
    if isinstance(entry, str) and not _SEPARATORS.isdisjoint(entry):
        raise UnfitError(described(entry), wanted)
    entries = entry if isinstance(entry, list) else [entry]
    return [
        _document(part, wanted, "" if entries is not entry else f"a list whose entry {position} is ")
        for position, part in enumerate(entries, start=1)
    ]


def _relevant(entry: Any) -> list[Any] | dict[str, Any]:
    if not isinstance(entry, dict) or _is_document(entry):
        return _documents(entry)
    grades = {as_id(key) or str(key): grade for key, grade in entry.items() if grade is not None}
    for key, grade in grades.items():
        if isinstance(grade, bool) or not isinstance(grade, int | float):
            raise UnfitError(
                f"{described(grade)} as the grade of {key!r}", "a number as each document's grade"
            )
    return grades


def _document(part: Any, wanted: str, place: str) -> Any:
    name = as_id(part) if isinstance(part, str | int | float) else None
    if name is not None or is_haystack(part, "Document"):
        return name or part
    if isinstance(part, dict) and ("content" in part or "id" in part):
        return _built(part, wanted, place)
    raise UnfitError(f"{place}{described(part)}", wanted)


def _is_document(entry: Mapping[str, Any]) -> bool:
    """Whether an object is a document rather than grades by id."""
    return isinstance(entry.get("content"), str) or isinstance(entry.get("id"), str)


def _built(part: Mapping[str, Any], wanted: str, place: str) -> Any:
    from haystack import Document

    known = {key: value for key, value in part.items() if value is not None}
    try:
        return Document.from_dict({**known, "id": as_id(part.get("id")) or ""})
    except (TypeError, ValueError, AttributeError) as error:
        raise UnfitError(f"{place}an object that is no Document ({error})", wanted) from None


def _label(entry: Any) -> Any:
    """A truth value or a whole number as the text of a label; everything else as it is."""
    if isinstance(entry, bool):
        return str(entry).lower()
    return int(entry) if isinstance(entry, float) and entry.is_integer() else entry


_TEXTS = frozenset({"questions", "predicted_answers", "second_predicted_answers"})
_OBJECTS = frozenset({"ground_truth_documents", "rubrics"})
_LABELS = frozenset({"ground_truths", "predictions"})
_CONVERTERS: Mapping[str, Callable[[Any], Any]] = {
    "questions": _question,
    "predicted_answers": _answer,
    "second_predicted_answers": _answer,
    "rubrics": _rubric,
    "ground_truth_answers": _answers,
    "contexts": _texts,
    "ground_truth_contexts": _texts,
    "retrieved_documents": _documents,
    "ground_truth_documents": _relevant,
    "ground_truths": _label,
    "predictions": _label,
}
