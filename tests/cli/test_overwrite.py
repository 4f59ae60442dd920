"""`run --overwrite`, `--metrics`, and a second identical run."""

import json
from pathlib import Path

import pytest

from thresher import InputError, RunDirectoryError, evaluate, open_run
from thresher.cli import main
from thresher.files.temporary import reserve
from thresher.pipelines.run_directory import RunDirectory

DATA = "answers.jsonl"


@pytest.fixture(autouse=True)
def _workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(["a", "b"])


def write(answers):
    rows = ({"response": answer, "reference": "a"} for answer in answers)
    Path(DATA).write_text("".join(json.dumps(row) + "\n" for row in rows))


def run(*words, code=0):
    assert main(["run", "--metrics", "exact_match", "--data", DATA, "-q", *words]) == code


def mean():
    return open_run("runs/answers").metrics["exact_match"].value


def test_other_data_replace_a_run_only_with_the_option(capsys):
    run()
    write(["a", "a"])
    run(code=2)
    assert "holds a run with other data" in capsys.readouterr().err
    assert mean() == 0.5
    run("--overwrite")
    assert mean() == 1.0
    assert sorted(path.name for path in Path("runs").iterdir()) == ["answers"]


def test_the_same_run_is_continued_and_says_that_nothing_was_computed(capsys):
    run()
    assert "nothing was computed" not in capsys.readouterr().out
    before = RunDirectory.open(Path("runs/answers")).manifest
    for words in ([], ["--overwrite"]):
        run(*words)
        assert "nothing was computed" in capsys.readouterr().out
        assert RunDirectory.open(Path("runs/answers")).manifest == before


def test_the_old_run_stays_until_the_new_one_is_complete(monkeypatch):
    run()
    write(["a", "a", "a"])

    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("thresher.pipelines.plan.Plan.compute", stop)
        run("--overwrite", code=3)
    assert open_run("runs/.answers.replaced").metrics["exact_match"].value == 0.5
    write(["a"])  # a third run replaces the unfinished one, not the complete one
    with monkeypatch.context() as patched:
        patched.setattr("thresher.pipelines.plan.Plan.compute", stop)
        run("--overwrite", code=3)
    assert open_run("runs/.answers.replaced").metrics["exact_match"].value == 0.5
    run()
    assert mean() == 1.0
    assert not Path("runs/.answers.replaced").exists()


def test_a_damaged_run_is_replaced():
    run()
    manifest = Path("runs/answers/run.json")
    manifest.write_text(manifest.read_text()[:-40])
    write(["a", "a"])
    run("--overwrite")
    assert mean() == 1.0


def test_a_folder_that_is_no_run_is_never_replaced(capsys):
    Path("runs/answers").mkdir(parents=True)
    Path("runs/answers/thesis.txt").write_text("all of it")
    run("--overwrite", code=2)
    assert "is not a run directory" in capsys.readouterr().err
    assert Path("runs/answers/thesis.txt").read_text() == "all of it"


def test_a_run_that_another_process_computes_is_not_replaced():
    evaluate(["exact_match"], {"response": ["a"], "reference": ["a"]}, out="kept")
    with (
        reserve(Path("kept/parts/part-000001.parquet")),
        pytest.raises(RunDirectoryError, match="another process is computing"),
    ):
        evaluate(["exact_match"], {"response": ["b"], "reference": ["a"]}, out="kept", overwrite=True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["run", "qa", "--metrics", "bleu"],
            "unexpected argument 'qa'; give either RECIPE|METRICS|FILE.yaml or --metrics; see `thresher run",
        ),
        (["run"], "one of the arguments RECIPE|METRICS|FILE.yaml --metrics is required"),
    ],
)
def test_what_to_compute_is_named_once(capsys, words, message):
    with pytest.raises(SystemExit, match="2"):
        main([*words, "--data", DATA])
    assert message in capsys.readouterr().err


def test_overwrite_needs_a_folder():
    with pytest.raises(InputError, match="overwrite"):
        evaluate(["exact_match"], {"response": ["a"], "reference": ["a"]}, overwrite=True)
