"""Tables as Excel workbooks; needs the extra `excel`."""

import io
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from thresher.files.workbooks import RETURN, openpyxl
from thresher.files.writing import replace_file
from thresher.known_secrets import without_secrets
from thresher.reports.rendering.registry import Renderer
from thresher.reports.rendering.text import TableLike, json_text
from thresher.reports.report import Report
from thresher.reports.table import Table

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LONGEST = 32_767
"""Characters that a cell can hold."""
_WIDEST, _NARROWEST, _TITLE = 60, 9, 31


def write_workbook(path: str | Path, tables: Mapping[str, TableLike]) -> None:
    """Write one sheet per table: numbers as numbers, texts as texts, never as formulas.

    Args:
        path: the file; an existing one is replaced.
        tables: name of the sheet -> table.

    Raises:
        MissingDependencyError: without openpyxl.
        InputError: if the file cannot be written.
        DiskFullError: if the disk is full.
    """
    workbook = openpyxl().Workbook()
    workbook.remove(workbook.active)
    for name, table in tables.items():
        _fill(workbook.create_sheet(re.sub(r"[\[\]:*?/\\]", " ", name)[:_TITLE]), table)
    replace_file(path, _packed(workbook))


def _packed(workbook: Any) -> bytes:
    """The file of a workbook, made in memory.

    `Workbook.save` writes each sheet to a temporary file first. If the disk is full, openpyxl's generators
    fail a second time when they are collected, and Python prints a traceback per generator.
    """
    from openpyxl.worksheet._writer import WorksheetWriter
    from openpyxl.writer.excel import ExcelWriter

    sink = io.BytesIO()
    archive = ZipFile(sink, "w", ZIP_DEFLATED)

    class InMemory(ExcelWriter):
        def write_worksheet(self, ws: Any) -> None:
            writer: Any = WorksheetWriter(ws, io.BytesIO())
            writer.write()
            ws._rels = writer._rels  # noqa: SLF001
            archive.writestr(ws.path[1:], writer.out.getvalue())
            self.manifest.append(ws)

    InMemory(workbook, archive).save()
    return sink.getvalue()


def _fill(sheet: Any, table: TableLike) -> None:
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    for number, row in enumerate([table.columns, *table.rows], start=1):
        for place, entry in enumerate(row, start=1):
            _set(sheet.cell(number, place), entry)
    for place, name in enumerate(table.columns, start=1):
        sheet.cell(1, place).font = Font(bold=True)
        longest = max([len(name), *(len(_shown(row[place - 1])) for row in table.rows)])
        sheet.column_dimensions[get_column_letter(place)].width = max(_NARROWEST, min(longest + 2, _WIDEST))
    for row in sheet.iter_rows(min_row=2):
        for cell in row:
            cell.alignment = Alignment(vertical="top", wrap_text=cell.data_type == "s")
    sheet.freeze_panes = "A2"


def _set(cell: Any, entry: Any) -> None:
    """Set a number, or a text that stays a text even if it begins like a formula."""
    if isinstance(entry, bool | int):
        cell.value = entry
        return
    if isinstance(entry, float) and math.isfinite(entry):
        cell.value = repr(float(entry))  # openpyxl writes 16 digits of a float, and some need 17
        cell.data_type = "n"
        return
    text = _shown(entry)
    if text:
        cell.value = text.replace("\r", RETURN)
        cell.data_type = "s"


def _shown(entry: Any) -> str:
    if entry is None or (isinstance(entry, float) and not math.isfinite(entry)):
        return ""
    text = str(entry) if isinstance(entry, str | int | float) else json_text(entry)
    return _ILLEGAL.sub("\ufffd", without_secrets(text))[:_LONGEST]


def save(report: Report[Any], path: Path) -> None:
    """Write the report's tables to a sheet each, notes and findings to another."""
    table = report.table()
    sentences = Table(["note"], [[line] for line in (*table.notes, *table.reading, *report.remarks)])
    further = {f"table {number}": each for number, each in enumerate(report.further_tables(), start=2)}
    leading = report.leading()
    first = {} if leading is None else {"leaderboard": leading.table()}
    write_workbook(
        path, {**first, "report": table, **further, **({"notes": sentences} if len(sentences) else {})}
    )


RENDERER = Renderer("excel", save=save, suffixes=(".xlsx",), is_text=False)
