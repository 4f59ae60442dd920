"""Items whose columns are too wide for a line."""

import json

import pytest

from answer_files import ROWS, cli, write

LONG = "a very long answer, " * 500


@pytest.fixture
def wide(workplace, capsys):
    write("wide.jsonl", [dict(row, response=LONG) for row in ROWS])
    cli(capsys, "run", "qa", "--data", "wide.jsonl")
    write("other.jsonl", ROWS)
    cli(capsys, "run", "qa", "--data", "other.jsonl")
    return ["inputs-below", "runs/wide", "--metric", "token_f1", "--threshold", "0.5"]


@pytest.mark.parametrize("columns", ["", "90", "20"])
@pytest.mark.parametrize(
    "words",
    [[], ["report", "runs/wide", "--detailed"], ["compare", "runs/wide", "runs/other", "--detailed"]],
)
def test_wide_items_are_records(wide, capsys, monkeypatch, words, columns):
    monkeypatch.setenv("COLUMNS", columns)
    lines = cli(capsys, *(words or wide)).splitlines()
    assert sum(line.startswith("questions ") for line in lines) == 3
    if columns != "20":  # where names alone fill the line, texts keep 20 characters
        assert max(map(len, lines)) <= int(columns or 160)
    assert any(line.endswith(" …") for line in lines)


def test_narrow_items_are_a_table_and_programs_get_all(wide, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    assert cli(capsys, *wide).splitlines()[0].split()[:2] == ["id", "questions"]
    assert json.loads(cli(capsys, *wide, "--format", "json"))[0]["predicted_answers"] == LONG
    assert cli(capsys, *wide, "--format", "csv").count(LONG) == 3


def test_detailed_reports_show_the_metrics_asked_for(wide, capsys):
    words = ["--detailed", "--metric", "rouge1", "--format", "json"]
    (row, *_) = json.loads(cli(capsys, "report", "runs/wide", *words))
    assert "rouge1" in row
    assert not {"rouge2", "token_f1"} & set(row)
    (row, *_) = json.loads(cli(capsys, "compare", "runs/wide", "runs/other", *words))["items"]
    assert {"rouge1_wide", "rouge1_other"} <= set(row)
    assert not any(name.startswith(("rouge2", "token_f1")) for name in row)
    for command in (["report", "runs/wide"], ["compare", "runs/wide", "runs/other"]):
        line = cli(capsys, *command, "--detailed", "--metric", "rouge", code=2)
        assert "no metric 'rouge' in this run (did you mean" in line
