import builtins
import math

import pytest
from openpyxl import load_workbook

from thresher.errors import InputError, MissingDependencyError
from thresher.files.workbooks import read_sheets
from thresher.reports.rendering.formats.excel import write_workbook
from thresher.reports.table import Table


def test_numbers_stay_numbers_and_nothing_becomes_a_formula(tmp_path):
    texts = ["=1+1", "+1", "-x", "@SUM(A1)", "plain", "0012"]
    rows = [[text, 0.5, 3, True] for text in texts]
    write_workbook(tmp_path / "t.xlsx", {"report": Table(["text", "value", "items", "yes"], rows)})
    sheet = load_workbook(tmp_path / "t.xlsx")["report"]
    found = list(sheet.iter_rows(min_row=2))
    assert [row[0].value for row in found] == texts
    assert {row[0].data_type for row in found} == {"s"}
    assert [cell.value for cell in found[0][1:]] == [0.5, 3, True]
    assert sheet.freeze_panes == "A2"


def test_what_a_cell_cannot_hold(tmp_path):
    cells = [math.nan, math.inf, None, "a\x00b\x1b\ud800", "x" * 40_000, ["one", 2]]
    write_workbook(tmp_path / "t.xlsx", {"a/b:c" * 10: Table(list("abcdef"), [cells])})
    _, row = read_sheets(tmp_path / "t.xlsx")[0].rows
    assert row[:4] == [None, None, None, "a\ufffdb\ufffd\ufffd"]
    assert len(row[4]) == 32_767
    assert row[5].split() == ["[", '"one",', "2", "]"]


def test_several_tables_are_several_sheets(tmp_path):
    write_workbook(tmp_path / "t.xlsx", {"one": Table(["a"], [[1]]), "two": Table(["b"], [])})
    assert load_workbook(tmp_path / "t.xlsx").sheetnames == ["one", "two"]


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(InputError, match="cannot be written: No such file"):
        write_workbook(tmp_path / "no" / "t.xlsx", {"one": Table(["a"], [[1]])})


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    ordinary = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "openpyxl":
            raise ImportError(name)
        return ordinary(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingDependencyError, match=r"thresher\[excel\]"):
        write_workbook(tmp_path / "t.xlsx", {"one": Table(["a"], [[1]])})
