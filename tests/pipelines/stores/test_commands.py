"""Every command that takes a run takes its URL."""

import json

import pytest

from thresher import InputError, RunDirectoryError, evaluate, experiment, list_runs, open_run, save_run
from thresher.cli import main
from thresher.files.stores import open_store

pytestmark = pytest.mark.slow


@pytest.fixture
def runs(url):
    """The URL of a folder with two runs."""
    for name, answers in (("first", ["x", "x", "z"]), ("second", ["x", "y", "z"])):
        table = {"question": ["a", "b", "c"], "response": answers, "reference": ["x", "y", "z"]}
        evaluate(["exact_match"], table, name=name, out=f"{url}/{name}")
    return url


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["report", "{first}"], "exact_match"),
        (["compare", "{first}", "{second}"], "exact_match"),
        (["gate", "{second}", "--require", "exact_match>=0.5", "--decide", "value"], "exact_match"),
        (["inputs-below", "{first}", "--metric", "exact_match", "--threshold", "0.5"], "b"),
        (["export", "{first}"], "exact_match"),
        (["verify", "{first}", "{second}"], "whole, 1 part, 3 items."),
        (["runs", "{runs}"], "first"),
        (["trend", "{first}", "{second}", "--primary", "exact_match"], "second"),
        (["history", "{runs}", "--bar", "exact_match=0.5"], "b"),
        (["leaderboard", "{runs}"], "second"),
    ],
)
def test_a_command_reads_runs_of_an_object_store(runs, capsys, words, text):
    places = {"runs": runs, "first": f"{runs}/first", "second": f"{runs}/second"}
    code = main([word.format(**places) for word in words])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    assert text in printed.out


def test_run_stores_in_an_object_store_and_continues(url, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.jsonl").write_text('{"question": "q", "response": "x", "reference": "x"}\n')
    words = ["run", "exact_match", "--data", "answers.jsonl", "--out", f"{url}/answers", "--quiet"]
    assert main(words) == 0
    assert f"stored in {url}/answers" in capsys.readouterr().out
    assert main(words) == 0
    assert "nothing was computed" in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {"answers.jsonl"}, "nothing is on the disk"
    (tmp_path / "answers.jsonl").write_text('{"question": "q", "response": "y", "reference": "x"}\n')
    assert main([*words, "--overwrite"]) == 2
    assert "cannot be replaced in an object store" in capsys.readouterr().err


def test_the_folder_of_runs_is_listed_with_what_is_skipped(runs, url):
    open_store(url).put_if_absent("notes.txt", b"")
    listed = list_runs(runs)
    assert [(run.name, run.state) for run in listed.runs] == [("first", "complete"), ("second", "complete")]
    assert list(listed.skipped) == [f"skipped {url}/notes.txt: it is not a run"]


def test_saved_results_are_a_run_there(runs):
    save_run(open_run(f"{runs}/first"), f"{runs}/copy")
    open_run(f"{runs}/second").save(f"{runs}/another")
    assert open_run(f"{runs}/copy").metrics["exact_match"].value == pytest.approx(2 / 3)
    with pytest.raises(RunDirectoryError, match="holds a run already"):
        save_run(open_run(f"{runs}/first"), f"{runs}/copy")
    assert json.loads(open_store(f"{runs}/another").read("run.json"))["complete"]


def test_an_experiment_needs_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="an experiment needs a folder as --out"):
        experiment(
            "pipeline.yaml", "questions.jsonl", vary={}, metrics=["token_f1"], out="s3://bucket/experiment"
        )
    assert not list(tmp_path.iterdir())


def test_an_unknown_kind_of_url_is_one_line(capsys):
    assert main(["report", "ftp://bucket/run"]) == 2
    assert "ftp:// is not a place for runs" in capsys.readouterr().err
    with pytest.raises(InputError, match="ftp:// is not a place for runs"):
        open_run("ftp://bucket/run")
