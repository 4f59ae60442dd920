"""Convert entries of known columns to the form that metrics expect; name line and field of a bad one."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from thresher.conversations import ConversationError, ToolCall, read_conversation, read_tool_calls
from thresher.datasets._chats import last_question, single_reply
from thresher.datasets._csv import CellKind, cell_kind, converted
from thresher.datasets._haystack import is_haystack
from thresher.datasets._image_entries import SOCKETS, is_text_with_images, with_image_texts
from thresher.datasets._table import RawTable
from thresher.datasets._unfit import UnfitError
from thresher.datasets._values import as_text, describe, parse_literal
from thresher.errors import InputError
from thresher.files.nesting import unreadable
from thresher.results.entry_kinds import completion_messages, is_chat, is_message
from thresher.results.ids import as_id
from thresher.surface import reading_with

_SEPARATORS = frozenset(",;| \t\r\n")  # a bare text with one of these is not a single document id


def kind_of_cells(table: RawTable, column: str, name: str) -> CellKind | None:
    """The kind of the cells of a column whose types are inferred; None for any other column."""
    if not table.text_only or name in _CONVERTERS or column in table.nested:
        return None
    return cell_kind(table.columns[column], decimal_commas=table.decimal_commas)


def read_entries(table: RawTable, column: str, name: str, kind: CellKind | None) -> list[Any]:
    """The entries of one column under its name in the data set.

    Args:
        table: the columns as read.
        column: its name there.
        name: its name in the data set.
        kind: kind of its cells, if their types are inferred.

    Raises:
        InputError: for an entry of a known column that has the wrong type.
    """
    values: Sequence[Any] = table.columns[column]
    if table.text_only and not table.empty_as_text and column not in table.nested:
        values = [cell or None for cell in values]
    convert = _CONVERTERS.get(name)
    if convert is None:
        return list(values) if kind is None else converted(values, kind)
    if convert in _LEAVE_TEXTS and not (table.lists_as_text and name not in _TEXTS) and _are_texts(values):
        return list(values)
    entries = []
    for row, value in enumerate(values):
        try:
            entry = _parse_cell(name, value) if table.lists_as_text and isinstance(value, str) else value
            if name in SOCKETS:
                entry = _with_images(entry, table, row)
            entries.append(None if entry is None else convert(entry))
        except UnfitError as unfit:
            field = name if column == name else f"{column!r} (read as {name})"
            remedy = f"fix the row, or name its meaning with {reading_with((column, 'NAME'))}"
            raise InputError(
                f"{table.where(row)}: {field} holds {unfit.actual}; expected {unfit.expected}; {remedy}"
            ) from None
        except InputError:
            raise
        except Exception as error:
            raise unreadable(f"{table.where(row)}: {column!r}", error) from error
    return entries


def _with_images(entry: Any, table: RawTable, row: int) -> Any:
    try:
        return with_image_texts(entry, table.source)
    except InputError as error:
        raise InputError(f"{table.where(row)}: {error}") from None


def _are_texts(values: Sequence[Any]) -> bool:
    return set(map(type, values)) <= {str, type(None)}


def _parse_cell(name: str, cell: str) -> Any:
    """Parse a cell of a table that may hold a list or an object as text; None for an empty list cell."""
    stripped = cell.strip()
    if name in _TEXTS:
        return cell
    if name == "ground_truth_answers":
        texts = _list_of_texts(stripped)
        return cell if texts is None else texts
    if not stripped:
        return None
    if name in _LABELS or (name in _OBJECTS and stripped.startswith("{")):
        return (parse_literal(stripped) if stripped.startswith(("{", "[")) else None) or cell
    value = parse_literal(stripped) if stripped.startswith("[") else None
    if value is None and re.match(r"\[(.*\]$|['\"{])", stripped, re.DOTALL):
        raise UnfitError(describe(cell), 'a JSON list such as ["first", "second"]')
    return cell if value is None else value


def _list_of_texts(text: str) -> list[str] | None:
    value = parse_literal(text) if text.startswith("[") else None
    return value if isinstance(value, list) and all(isinstance(part, str | None) for part in value) else None


def _text(entry: Any) -> str:
    if isinstance(entry, str):
        return entry
    if isinstance(entry, int | float):
        return as_text(entry)
    raise UnfitError(describe(entry), "a text")


def _question(entry: Any) -> str:
    return last_question(entry) if is_chat(entry) or is_message(entry) else _text(entry)


def _answer(entry: Any) -> str | None:
    if is_chat(entry) or is_message(entry) or completion_messages(entry):
        return single_reply(completion_messages(entry) or entry)
    if isinstance(entry, list) and is_text_with_images(entry):
        return "\n".join(entry)
    return _text(entry)


def _texts(entry: Any) -> list[str]:
    if isinstance(entry, str | int | float):
        return [_text(entry)]
    return _check_texts(entry, "a list of texts")


def _check_texts(entry: Any, expected: str) -> list[str]:
    if not isinstance(entry, list):
        raise UnfitError(describe(entry), expected)
    for position, part in enumerate(entry, start=1):
        if not isinstance(part, str):
            raise UnfitError(f"a list whose entry {position} is {describe(part)}", expected)
    return entry


def _answers(entry: Any) -> str | list[str]:
    if isinstance(entry, str | int | float):
        return _text(entry)
    if isinstance(entry, dict) and "text" in entry:  # SQuAD in Hugging Face's form
        return _answers(entry["text"])
    if isinstance(entry, list):  # SQuAD as published has objects; missing references are dropped
        entry = [part["text"] if isinstance(part, dict) and "text" in part else part for part in entry]
        entry = [part for part in entry if part is not None]
    return _check_texts(entry, "a text or a list of texts")


def _conversation(entry: Any) -> list[dict[str, Any]]:
    try:
        return read_conversation(entry).plain()
    except ConversationError as error:
        raise UnfitError(error.actual, error.expected) from None


def _tool_calls(entry: Any) -> list[dict[str, Any]]:
    try:
        return list(map(ToolCall.plain, read_tool_calls(entry)))
    except ConversationError as error:
        raise UnfitError(error.actual, error.expected) from None


def _rubric(entry: Any) -> dict[str, Any]:
    if isinstance(entry, dict):
        return entry
    raise UnfitError(describe(entry), "an object: rating -> what an answer must be like to get it")


def _conditions(entry: Any) -> dict[str, Any]:
    if isinstance(entry, dict):
        return {kind: texts for kind, texts in entry.items() if texts is not None}
    raise UnfitError(describe(entry), "an object: kind of condition -> texts")


def _documents(entry: Any) -> list[Any]:
    if isinstance(entry, str) and not _SEPARATORS.isdisjoint(entry):
        raise UnfitError(describe(entry), _DOCUMENTS)
    entries = entry if isinstance(entry, list) else [entry]
    return [
        _document(part, "" if entries is not entry else f"a list whose entry {position} is ")
        for position, part in enumerate(entries, start=1)
    ]


def _relevant(entry: Any) -> list[Any] | dict[str, Any]:
    if not isinstance(entry, dict) or _is_document(entry):
        return _documents(entry)
    grades = {as_id(key) or str(key): grade for key, grade in entry.items() if grade is not None}
    for key, grade in grades.items():
        if isinstance(grade, bool) or not isinstance(grade, int | float):
            raise UnfitError(
                f"{describe(grade)} as the grade of {key!r}", "a number as each document's grade"
            )
    return grades


def _document(part: Any, place: str) -> Any:
    name = as_id(part) if isinstance(part, str | int | float) else None
    if name is not None or is_haystack(part, "Document"):
        return name or part
    if isinstance(part, dict) and ("content" in part or "id" in part):
        return _build_document(part, place)
    raise UnfitError(f"{place}{describe(part)}", _DOCUMENTS)


def _is_document(entry: Mapping[str, Any]) -> bool:
    """Whether an object is a document rather than grades by id."""
    return isinstance(entry.get("content"), str) or isinstance(entry.get("id"), str)


def _build_document(part: Mapping[str, Any], place: str) -> Any:
    from haystack import Document

    known = {key: value for key, value in part.items() if value is not None}
    try:
        return Document.from_dict({**known, "id": as_id(part.get("id")) or ""})
    except (TypeError, ValueError, AttributeError) as error:
        raise UnfitError(f"{place}an object that is not a Document ({error})", _DOCUMENTS) from None


def _label(entry: Any) -> Any:
    """Convert truth values to text, and whole floats to integers; leave other entries unchanged."""
    if isinstance(entry, bool):
        return str(entry).lower()
    return int(entry) if isinstance(entry, float) and entry.is_integer() else entry


_DOCUMENTS = "a list of document ids or Documents"
_TEXTS = frozenset({"chatbot_roles", "questions", "predicted_answers", "second_predicted_answers"})
_OBJECTS = frozenset({"conditions", "ground_truth_documents", "rubrics"})
_LABELS = frozenset({"ground_truths", "predictions"})
_CONVERTERS: Mapping[str, Callable[[Any], Any]] = {
    "questions": _question,
    "predicted_answers": _answer,
    "second_predicted_answers": _answer,
    "conversations": _conversation,
    "reference_conversations": _conversation,
    "reference_tool_calls": _tool_calls,
    "conditions": _conditions,
    "rubrics": _rubric,
    "ground_truth_answers": _answers,
    "contexts": _texts,
    "ground_truth_contexts": _texts,
    "reference_topics": _texts,
    "difficulty_levels": _texts,
    "chatbot_roles": _text,
    "retrieved_documents": _documents,
    "ground_truth_documents": _relevant,
    "ground_truths": _label,
    "predictions": _label,
}
_LEAVE_TEXTS = frozenset({_question, _answer, _answers, _label})
"""Converters that return a text unchanged; a call for each entry costs as much as parsing its line."""
