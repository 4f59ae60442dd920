"""JSON Lines (one object per line) and JSON (a list of objects, or an object of lists)."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from thresher.datasets._table import RawTable, columns_of
from thresher.datasets._values import describe
from thresher.errors import InputError
from thresher.files.nesting import too_deep
from thresher.files.opening import Source
from thresher.files.parsing import json_problem
from thresher.files.texts import text_lines, whole_text
from thresher.surface import option


class _RepeatedKeyError(ValueError):
    pass


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) != len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedKeyError(next(name for name in names if names.count(name) > 1))
    return unique


def _constant(text: str) -> float | None:
    return None if text == "NaN" else float(text)


_RESULTS = "thresher-results"
"""The entry `format` of files that `results.save` writes."""
_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_constant)


def read_jsonl(path: Source, limit: int | None) -> RawTable:
    """Read one JSON object per line, skipping blank lines; stop after `limit` rows."""
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    for number, text in enumerate(text_lines(path), start=1):
        if text.isspace():
            continue
        rows.append(parse_row(f"{path}:{number}", text))
        lines.append(number)
        if len(rows) == limit:
            break
    return RawTable(str(path), columns_of(rows, str(path)), lines)


def parse_row(where: str, text: str) -> dict[str, Any]:
    """Parse one line of JSON Lines.

    Raises:
        InputError: naming `where`, for anything but one object.
    """
    try:
        row = _DECODER.decode(text.rstrip(" \t\r\n"))  # else errors at the end would name the next line
    except json.JSONDecodeError as error:
        raise InputError(f"{where}: {_complaint(error)}; write one JSON object per line") from None
    except RecursionError:
        raise too_deep(where) from None
    except ValueError as error:
        raise InputError(f"{where}: {_complaint(error)}") from None
    return _object(where, row, "write one JSON object per line, or name a file that is one JSON list .json")


def _object(where: str, row: Any, remedy: str) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise InputError(f"{where}: holds {describe(row)}, not an object; {remedy}")
    return row


def _complaint(error: ValueError) -> str:
    if isinstance(error, _RepeatedKeyError):
        return f"the key {str(error)!r} appears twice in one object; remove one"
    return json_problem(error)


def read_json(path: Source, limit: int | None) -> RawTable | Mapping[str, Any]:
    """Read a list of objects, one per row; or return the object of a file for the caller to interpret."""
    text = whole_text(path)
    start = _skip(text, 0)
    if start == len(text):
        return RawTable(str(path), {})
    if text.startswith("[", start):
        rows, lines = _listed_rows(path, text, start + 1, limit)
        return RawTable(str(path), columns_of(rows, str(path)), lines)
    content, end = _value(path, text, start)
    _at_end(path, text, end)
    remedy = "give a list of objects, one per row, or an object of lists, one per column"
    if isinstance(content, dict) and content.get("format") == _RESULTS:
        export = option(
            f"`thresher export {path} -o items.jsonl`", "EvaluationResults.load(path).export(file)"
        )
        raise InputError(f"{path} holds results, not items: {export} writes their items")
    return _object(str(path), content, remedy)


def _listed_rows(
    path: Source, text: str, start: int, limit: int | None
) -> tuple[list[dict[str, Any]], list[int]]:
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    line, counted = 1, 0
    for begin, row in _elements(path, text, start):
        line, counted = line + text.count("\n", counted, begin), begin
        rows.append(_object(f"{path}:{line}", row, "give one object per row"))
        lines.append(line)
        if len(rows) == limit:
            break
    return rows, lines


def _elements(path: Source, text: str, start: int) -> Iterator[tuple[int, Any]]:
    """Yield each element of a list and its position, which the standard parser does not report."""
    position = _skip(text, start)
    if text.startswith("]", position):
        return _at_end(path, text, position + 1)
    while True:
        element, end = _value(path, text, position)
        yield position, element
        end = _skip(text, end)
        if text.startswith("]", end):
            return _at_end(path, text, end + 1)
        if not text.startswith(",", end):
            raise _misplaced(path, text, end, "Expecting ',' delimiter")
        position = _skip(text, end + 1)


def _value(path: Source, text: str, position: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, position)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: {_complaint(error)}") from None
    except ValueError as error:
        raise InputError(f"{path}:{text.count(chr(10), 0, position) + 1}: {_complaint(error)}") from None


def _at_end(path: Source, text: str, end: int) -> None:
    rest = _skip(text, end)
    if rest < len(text):
        raise _misplaced(path, text, rest, "Extra data", "; name a file with one object per line .jsonl")


def _misplaced(path: Source, text: str, position: int, message: str, remedy: str = "") -> InputError:
    error = json.JSONDecodeError(message, text, position)
    return InputError(f"{path}:{error.lineno}: {_complaint(error)}{remedy}")


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position
