"""Options that make no sense, and runs without any score: one line each."""

import json
from pathlib import Path

import pytest

from thresher.cli import main


@pytest.fixture(autouse=True)
def _workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keep("answers.jsonl", [{"response": "b", "reference": "b"}])
    Path("folder").mkdir()


def keep(path, rows):
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))


def cli(capsys, *words, code=0):
    try:
        exit_code = main(list(words))
    except SystemExit as usage:
        exit_code = usage.code
    out, err = capsys.readouterr()
    assert exit_code == code
    assert "Traceback" not in err
    return out, err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--name", ""], "--name is empty: give a name, or omit --name to use the name of the data file"),
        (["--name", "", "--out", "kept"], "--name is empty"),
        (
            ["--name", ".."],
            "--name '..' is not a plain name: give one without slashes, or a directory with --out",
        ),
        (["--name", "."], "--name '.' is not a plain name"),
        (["--shard", "2/1"], "--shard 2/1: write I/N with I from 1 to N, e.g. 1/4 for the first of four"),
        (["--shard", "0/4"], "--shard 0/4: write I/N"),
        (["--max-failed", "-1"], "--max-failed: '-1' is not a whole number of at least 0"),
        (["--data", "folder"], "folder is not a BEIR folder: it has no qrels/test.tsv"),
        (["--data", "a" * 5000], "cannot be used: File name too long"),
        (["--data", "/dev/null"], "cannot infer a format from the suffix"),
    ],
)
def test_an_odd_option_is_refused_in_one_line(capsys, words, message):
    given = words if "--data" in words else ["--data", "answers.jsonl", *words]
    out, err = cli(capsys, "run", "qa", *given, code=2)
    assert message in err.splitlines()[-1]
    assert not out
    assert not Path("runs").exists()


def test_a_pipeline_that_is_not_there_is_told_with_where_it_was_looked_for(capsys, tmp_path):
    _, err = cli(capsys, "run", "own.yaml", "--data", "answers.jsonl", code=2)
    assert err == f"thresher: own.yaml does not exist; give the path of a pipeline (looked from {tmp_path})\n"


def test_a_run_of_which_no_item_can_be_scored_says_why(capsys):
    keep("answers.jsonl", [{"response": "b", "reference": []}, {"response": None, "reference": "c"}])
    out, err = cli(capsys, "run", "qa", "--data", "answers.jsonl", code=3)
    assert "0/2" in out
    assert err.startswith("thresher: no item could be scored: ")
    assert "reference" in err
