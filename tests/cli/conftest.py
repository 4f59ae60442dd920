"""A folder of its own for each test; answers in it, and runs of them."""

import pytest

from answer_files import ROWS, cli, write


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def answers(workplace):
    write("answers.jsonl", ROWS)
    write("better.jsonl", [dict(row, response=row["reference"]) for row in ROWS])
    return workplace


@pytest.fixture
def runs(answers, capsys):
    cli(capsys, "run", "qa", "--data", "answers.jsonl", "--recorded", "rating", "--recorded", "cost:lower")
    cli(capsys, "run", "qa", "--data", "better.jsonl", "--recorded", "rating", "--recorded", "cost:lower")
    return answers / "runs"
