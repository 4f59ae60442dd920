"""Workbooks as data."""

import builtins
import datetime as dt
import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook

from thresher import evaluate
from thresher.datasets import read_dataset
from thresher.errors import DataWarning, MissingDependencyError
from thresher.reports.rendering.formats.excel import write_workbook
from thresher.reports.table import Table


@pytest.fixture
def book(tmp_path, monkeypatch):
    """Writes a workbook, given sheet -> rows, into the working directory."""
    monkeypatch.chdir(tmp_path)

    def write(sheets, change=None):
        workbook = Workbook()
        workbook.remove(workbook.active)
        for name, rows in sheets.items():
            sheet = workbook.create_sheet(name)
            for row in rows:
                sheet.append(row)
        if change is not None:
            change(workbook)
        workbook.save("data.xlsx")
        return "data.xlsx"

    return write


def columns(dataset):
    return {name: list(column) for name, column in dataset.columns.items()}


def test_cells_keep_their_types_and_empty_rows_and_columns_are_left_out(book):
    day = dt.datetime(2024, 5, 17, 8, 30)  # noqa: DTZ001  # cells have no time zone
    rows = [
        [],
        ["id", None, "question", "response", "score", "right", "day", None, 2024.0, "formula"],
        ["007", None, "q", "_x000D_\nline", 0.75, True, day, "x", 1, "=1+2"],
        [" "],
        ["008", None, "r", 3.0, None, False, None, None, 2, "=A1"],
    ]
    with pytest.warns(DataWarning, match="numbers in 'response' are read as texts"):
        dataset = read_dataset(book({"Answers": rows}))
    assert dataset.ids == ["007", "008"]
    assert columns(dataset) == {
        "questions": ["q", "r"],
        "predicted_answers": ["\r\nline", "3"],
        "score": [0.75, None],
        "right": [True, False],
        "day": [day, None],
        "column_8": ["x", None],
        "2024": [1, 2],
        "formula": [None, None],  # its value is not stored
    }
    assert len(read_dataset("data.xlsx", limit=1)) == 1


def test_errors_of_formulas_are_missing(book):
    path = book({"a": [["question", "response"], ["q", "#N/A"], ["r", "n/a"]]})
    assert list(read_dataset(path).column("predicted_answers")) == [None, "n/a"]


def test_one_sheet_with_rows_is_read_and_one_of_several_is_chosen(book, refusal):
    sheets = {"Notes": [["a title"]], "Runs": [["question"], ["q"]], "Empty": []}
    assert columns(read_dataset(book(sheets))) == {"questions": ["q"]}
    sheets["My answers"] = [["response"], ["a"]]
    assert refusal(book(sheets)) == (
        "data.xlsx: there are 2 sheets; choose one of Runs, My answers with split='My answers' "
        "(--split 'My answers')"
    )
    assert columns(read_dataset("data.xlsx", split="My answers")) == {"predicted_answers": ["a"]}
    with Path("data.xlsx").open("rb") as file:
        assert columns(read_dataset(file, split="Runs")) == {"questions": ["q"]}
    assert "(did you mean 'Runs'?)" in refusal("data.xlsx", split="Run")
    assert refusal("data.xlsx", split="Notes") == "data.xlsx has no rows; give at least one"

    def hide(workbook):
        workbook["My answers"].sheet_state = "hidden"

    assert columns(read_dataset(book(sheets, hide))) == {"questions": ["q"]}


def test_what_the_exporter_writes_is_read_back_equal(tmp_path):
    texts = ["=1+1", "0012", "a\r\nb", "a\nb", " x ", "_x0041_", "'=1", "true", "ä€😀", "<&>"]
    rows = [[f"i{n}", text, n / 3, n, n % 2 == 0, ["p", text]] for n, text in enumerate(texts)]
    names = ["id", "response", "score", "count", "right", "contexts"]
    write_workbook(tmp_path / "t.xlsx", {"items": Table(names, rows)})
    expected = read_dataset([dict(zip(names, row, strict=True)) for row in rows])
    assert columns(read_dataset(tmp_path / "t.xlsx")) == columns(expected)


def test_cells_outside_of_the_range_that_a_sheet_names_are_read(book):
    path = book({"a": [["question", "response"], ["q", "a"], ["r", "b"]]})
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    assert b'ref="A1:B3"' in parts[sheet]
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part.replace(b'ref="A1:B3"', b'ref="A1"') if name == sheet else part)
    assert columns(read_dataset(path)) == {"questions": ["q", "r"], "predicted_answers": ["a", "b"]}


def test_a_row_is_named_by_its_number(book, refusal):
    path = book({"a": [["question"], [], [dt.date(2024, 1, 2)]]})
    assert refusal(path).startswith(
        "data.xlsx:3: 'question' (read as questions) holds a datetime; expected a text"
    )
    assert refusal(book({"a": [["x", "x"], [1, 2]]})) == "data.xlsx has two columns called 'x'; rename one"


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"question,x\n"])
def test_a_file_that_is_no_workbook_is_refused_in_one_line(write, refusal, content):
    assert refusal(write("data.xlsx", content)).startswith("data.xlsx is not an Excel workbook")


def test_a_damaged_workbook_is_refused_in_one_line(book, refusal):
    path = book({"a": [["question"], ["q"]]})
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part[: len(part) // 2] if name.endswith("sheet1.xml") else part)
    assert refusal(path) == "data.xlsx is not an Excel workbook that can be read; save it as .xlsx"


@pytest.mark.parametrize("suffix", [".xls", ".ods"])
def test_another_spreadsheet_is_to_be_saved_as_xlsx(write, refusal, suffix):
    path = write(f"data{suffix}", b"x")
    assert refusal(path) == f"{path} is a spreadsheet that cannot be read; save it as .xlsx"


def test_without_the_package_the_extra_is_named(book, monkeypatch):
    path = book({"a": [["question"], ["q"]]})
    ordinary = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "openpyxl":
            raise ImportError(name)
        return ordinary(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingDependencyError, match=r"thresher\[excel\]"):
        read_dataset(path)


def test_a_workbook_is_evaluated(book):
    rows = [["response", "reference"], ["Paris", "Paris"], ["Rome", "Oslo"]]
    assert evaluate(["exact_match"], book({"a": rows})).metric("exact_match").value == 0.5
