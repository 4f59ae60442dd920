"""The cells of Excel workbooks; needs the extra `excel`."""

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError, MissingDependencyError, ThresherError
from thresher.files.limits import beyond, current_limits
from thresher.files.opening import Source, check_archive, explain_read_errors, open_binary

RETURN = "_x000D_"
"""How workbooks write a carriage return, which XML would lose."""


@dataclass(frozen=True)
class Sheet:
    """One sheet of a workbook.

    Attributes:
        name: its name.
        is_visible: whether spreadsheets show it.
        rows: its cells, row by row: texts, numbers, truth values, dates; None for empty cells, for errors
            such as `#N/A`, and for formulas whose value is not stored.
    """

    name: str
    is_visible: bool
    rows: Sequence[Sequence[Any]]


def read_sheets(path: Source) -> list[Sheet]:
    """Read the cells of a workbook.

    Raises:
        MissingDependencyError: without openpyxl.
        InputError: if the file cannot be read.
    """
    package = openpyxl()
    with explain_read_errors(path), open_binary(path, gzipped=False) as file:
        check_archive(path, file, "an Excel workbook")
        try:
            # A file that openpyxl opens itself stays open where reading fails, in its older versions.
            with closing(package.load_workbook(file, read_only=True, data_only=True)) as workbook:
                sheets = [_sheet(path, sheet) for sheet in workbook.worksheets]
        except (ThresherError, MemoryError):
            raise
        except Exception as error:  # openpyxl raises anything for XML that it does not expect
            raise InputError(f"{path} is not an Excel workbook that can be read; save it as .xlsx") from error
    if not sheets:
        raise InputError(f"{path} has no sheet of cells; save the table as one")
    return sheets


def _sheet(path: Source, sheet: Any) -> Sheet:
    sheet.reset_dimensions()  # some programs write a range that is too small, and cells outside would be lost
    return Sheet(sheet.title, sheet.sheet_state == "visible", _limited(path, sheet.iter_rows()))


def _limited(path: Source, rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """The rows; InputError beyond the limit: one cell far away makes a table of all cells before it."""
    limit, widest, lists = current_limits().cells, 1, list[list[Any]]()
    for number, row in enumerate(rows, start=1):
        widest = max(widest, len(row))
        if number * widest > limit:
            raise beyond(path, f"has more than {counted(limit, 'cell', form=',')}", "cells")
        lists.append([_value(cell) for cell in row])
    return lists


def _value(cell: Any) -> Any:
    if cell.data_type == "e":
        return None
    return cell.value.replace(RETURN, "\r") if isinstance(cell.value, str) else cell.value


def openpyxl() -> Any:
    """The package that reads and writes workbooks.

    Raises:
        MissingDependencyError: if it is not installed.
    """
    try:
        import openpyxl as package
    except ImportError as error:
        raise MissingDependencyError("openpyxl", "excel") from error
    return package
