import csv
import json

import pytest

from thresher import EvaluationResults, save_run
from thresher.cli import main


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    inputs = {"id": [f"q{item}" for item in range(150)], "question": ["Who?"] * 150}
    metrics = [{"name": "good", "scores": [1, 1, 0] * 50, "bounds": [0, 1]}]
    save_run(EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name="main"), "main")
    return tmp_path


def fill(path):
    with path.open(encoding="utf-8", newline="") as source:
        rows = list(csv.DictReader(source))
    for row in rows:
        row["label"] = int(int(row["id"][1:]) % 3 == 0)
    with path.open("w", encoding="utf-8", newline="") as sink:
        writer = csv.DictWriter(sink, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_draw_label_and_read_back(workplace, capsys):
    assert main(["labels", "draw", "main", "--n", "120", "--seed", "7", "-o", "sheet.csv"]) == 0
    assert "drew 120 of 150 items at random, seed 7" in capsys.readouterr().err
    fill(workplace / "sheet.csv")
    words = ["labels", "read", "main", "--labels", "sheet.csv", "--metric", "good"]
    assert main(words) == 0
    out = capsys.readouterr().out
    for part in (
        "cohen kappa",
        "sensitivity",
        "judge says 1",
        "the judge alone says 0.667, which is too high",
    ):
        assert part in out
    assert main([*words, "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert data["labelled"] == 120
    for form in ("markdown", "csv"):
        assert main([*words, "--format", form, "-o", "report.txt"]) == 0
        assert "corrected" in (workplace / "report.txt").read_text(encoding="utf-8")


def test_a_sheet_is_printed_without_a_file(workplace, capsys):
    assert main(["labels", "draw", "main", "--n", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (len(lines), lines[0]) == (4, "id,label,question,drawn")


def test_a_workbook_by_its_name(workplace, capsys):
    assert main(["labels", "draw", "main", "-o", "sheet.xlsx"]) == 0
    assert main(["labels", "read", "main", "--labels", "sheet.xlsx", "--metric", "good"]) == 2
    assert "contains no label yet" in capsys.readouterr().err


def test_an_unknown_id_is_one_clear_line(workplace, capsys):
    (workplace / "s.csv").write_text("id,label\nzz,1\n")
    assert main(["labels", "read", "main", "--labels", "s.csv", "--metric", "good"]) == 2
    assert capsys.readouterr().err == (
        "thresher: s.csv: row 2: the run main has no item 'zz'; pass the run that the sheet was drawn from\n"
    )
