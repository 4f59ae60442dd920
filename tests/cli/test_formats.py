import pytest
from openpyxl import load_workbook

from thresher import EvaluationResults, save_run
from thresher.cli import main


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, scores in (("a", [1, 0] * 20), ("b", [1, 1, 0, 1] * 10)):
        inputs = {"id": [f"q{item}" for item in range(40)], "answer": ["=1+1"] * 40}
        metrics = [{"name": "exact_match", "scores": scores, "bounds": [0, 1]}]
        save_run(EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name=name), name)
    return tmp_path


@pytest.mark.parametrize("words", [["report", "a"], ["report", "a", "--detailed"], ["compare", "a", "b"]])
def test_latex_is_a_table_and_comments(workplace, capsys, words):
    assert main([*words, "--format", "latex"]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert r"\toprule" in lines
    start, end = lines.index(next(line for line in lines if "tabular" in line)), lines.index(r"\end{tabular}")
    assert all(line.startswith("% ") for line in [*lines[:start], *lines[end + 1 :]])
    assert r"exact\_match" in out


@pytest.mark.parametrize("words", [["report", "a"], ["report", "a", "--detailed"], ["compare", "a", "b"]])
def test_a_workbook_holds_every_digit_and_the_notes(workplace, capsys, words):
    assert main([*words, "--format", "excel", "-o", "t.xlsx"]) == 0
    book = load_workbook(workplace / "t.xlsx")
    cells = [cell for row in book["report"].iter_rows() for cell in row]
    assert any(isinstance(cell.value, float | int) for cell in cells)
    assert {cell.data_type for cell in cells} <= {"s", "n", "b"}


def test_a_workbook_is_not_printed(workplace, capsys):
    assert main(["report", "a", "--format", "excel"]) == 2
    assert "give -o FILE.xlsx" in capsys.readouterr().err
