"""Sheets with labels filled in by people."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.errors import InputError
from thresher.files.texts import whole_text
from thresher.files.workbooks import read_sheets
from thresher.reports.labels.sampling import DRAWN, ID, LABEL
from thresher.spreadsheet_cells import unguarded

_HEADER = 1


@dataclass(frozen=True)
class Sheet:
    """Labels of some items by one or more raters.

    Attributes:
        name: name of the sheet in messages.
        ids: the items, in the sheet's order.
        rows: per item its row in the sheet.
        raters: rater -> one label per item; NaN where the cell is empty.
        drawn: description of the draw; empty if the sheet has none.
    """

    name: str
    ids: tuple[str, ...]
    rows: tuple[int, ...]
    raters: Mapping[str, tuple[float, ...]]
    drawn: str = ""

    @classmethod
    def of(cls, labels: Mapping[Any, float | None]) -> "Sheet":
        """Make a sheet of labels by id."""
        values = tuple(math.nan if value is None else float(value) for value in labels.values())
        rows = tuple(range(1, len(labels) + 1))
        return cls("labels", tuple(map(str, labels)), rows, {LABEL: values}, "given in Python")


def read_sheet(path: str | Path, columns: Sequence[str] = ()) -> Sheet:
    """Read the labels of a CSV or Excel file.

    Args:
        path: a file with a column `id` and columns of labels.
        columns: columns of labels, one per rater; default: `label` and all that begin with `label_`.

    Raises:
        InputError: if the file cannot be read, lacks a column, repeats an id or has a label in words.
        MissingDependencyError: for an Excel file without the extra `excel`.
    """
    file = Path(path)
    header, rows = _excel(file) if file.suffix.lower() == ".xlsx" else _csv(file)
    if ID not in header:
        raise InputError(f"{file} has no column {ID!r}; pass the sheet that was drawn")
    chosen = list(columns) or [name for name in header if name == LABEL or name.startswith(f"{LABEL}_")]
    missing = [name for name in chosen if name not in header]
    if missing or not chosen:
        raise InputError(
            f"{file} has no column {(missing or [LABEL])[0]!r}; its columns are {', '.join(header)}"
        )
    filled = [(number, row) for number, row in rows if any(map(str.strip, row))]
    ids = tuple(row[header.index(ID)] for _, row in filled)
    numbers = tuple(number for number, _ in filled)
    _check_ids(file, ids, numbers)
    raters = {
        name: tuple(
            _label(file, name, number, row[header.index(ID)], row[header.index(name)])
            for number, row in filled
        )
        for name in chosen
    }
    drawn = {row[header.index(DRAWN)].strip() for _, row in filled} if DRAWN in header else set()
    return Sheet(str(file), ids, numbers, raters, drawn.pop() if len(drawn) == 1 else "")


def _csv(file: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    text = whole_text(file)
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    return _split([[unguarded(cell) for cell in line] for line in lines])


def _excel(file: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    return _split([[_cell(value) for value in row] for row in read_sheets(file)[0].rows])


def _split(lines: list[list[str]]) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the header, and the other rows with their numbers, padded to its length.

    Cells keep their spaces, which may be part of an id.
    """
    header = [cell.strip() for cell in lines[0]] if lines else []
    rows = [
        (number, row + [""] * (len(header) - len(row)))
        for number, row in enumerate(lines[_HEADER:], start=_HEADER + 1)
    ]
    return header, rows


def _cell(value: Any) -> str:
    """Return a cell as CSV would have it; spreadsheets store whole numbers as floats."""
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _check_ids(file: Path, ids: Sequence[str], rows: Sequence[int]) -> None:
    for key, row in zip(ids, rows, strict=True):
        if not key.strip():
            raise InputError(f"{file}: row {row} has no id; restore the ids of the drawn sheet")
    check_unique(str(file), ids, rows)


def check_unique(sheet: str, ids: Sequence[str], rows: Sequence[int]) -> None:
    """Raise InputError if two rows of a sheet have the same id."""
    seen: dict[str, int] = {}
    for key, row in zip(ids, rows, strict=True):
        if key in seen:
            raise InputError(f"{sheet}: id {key!r} occurs twice, in rows {seen[key]} and {row}; remove one")
        seen[key] = row


def _label(file: Path, column: str, row: int, key: str, text: str) -> float:
    if not text.strip():
        return math.nan
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(
            f"{file}: row {row} (id {key}): {column} {text!r} is not a number; "
            "enter one on the metric's scale, e.g. 1 for yes and 0 for no"
        )
    return number
