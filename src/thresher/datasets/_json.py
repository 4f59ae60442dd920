"""JSON Lines (one object per line) and JSON (a list of objects, or an object of lists)."""

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from thresher.datasets._json_lines import parse_lines
from thresher.datasets._table import BLOCK, RawTable, check_cells, columns_of
from thresher.datasets._values import describe
from thresher.errors import InputError
from thresher.files.nesting import too_deep
from thresher.files.opening import Source, explain_read_errors, open_binary
from thresher.files.parsing import json_problem
from thresher.files.texts import decode, is_blank, raw_lines, whole_text, without_mark
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


def jsonl_blocks(path: Source, limit: int | None) -> Iterator[RawTable]:
    """Yield the first rows of a file with one JSON object per line, without blank lines."""
    names: dict[str, None] = {}
    read = values = 0
    for lines in _filled_lines(path, limit):
        rows = parse_lines([raw for _, raw in lines])
        if rows is None:
            rows = [parse_row(f"{path}:{number}", decode(path, raw, number)) for number, raw in lines]
        table = RawTable(str(path), columns_of(rows, str(path)), [number for number, _ in lines])
        names |= dict.fromkeys(table.columns)
        read, values = read + len(rows), values + sum(map(len, rows))
        check_cells(str(path), read, names, values)
        yield table


def _filled_lines(path: Source, limit: int | None) -> Iterator[list[tuple[int, bytes]]]:
    """Yield numbers and bytes of the lines that are not blank, some at a time."""
    with explain_read_errors(path), open_binary(path) as file:
        raws, number = iter(raw_lines(file)), 1
        while block := list(islice(raws, BLOCK)):
            if number == 1:
                block[0] = without_mark(block[0])
            lines = list(enumerate(block, start=number))
            number += len(block)
            if min(block) < b"!" or max(block)[:1] > b"~":  # the first byte of a line may be white space
                lines = [line for line in lines if not is_blank(line[1])]
            lines = lines[:limit]
            if lines:
                yield lines
            limit = None if limit is None else limit - len(lines)
            if limit == 0:
                return


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
