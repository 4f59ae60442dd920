"""`thresher leaderboard`, and the leaderboard at the start of `thresher compare`."""

import json
from pathlib import Path

import numpy as np
import pytest

from thresher import EvaluationResults, save_run
from thresher.cli import main
from thresher.results import Measure, MetricResult, Signature, Statistics, Status

NAMES = ("top_k=3", "top_k=5", "top_k=10")


def keep(name, scores, folder="runs", settings=None):
    metrics = [
        {"name": "f1", "scores": list(scores), "bounds": [0, 1]},
        {
            "name": "hit",
            "scores": [float(score > 0.5) for score in scores],
            "bounds": [0, 1],
            "primary": False,
        },
    ]
    inputs = {"id": [f"q{place}" for place in range(len(scores))]}
    run = EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name=name)
    provenance = {**run.provenance, **({} if settings is None else {"settings": settings})}
    run = EvaluationResults(run.inputs, run.results, name=name, provenance=provenance)
    save_run(run, f"{folder}/{name}")


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(1)
    items = generator.normal(0.5, 0.1, 30)
    for place, name in enumerate(NAMES):
        gain = 0.15 * min(place, 1)
        keep(name, np.clip(items + gain + generator.normal(0, 0.05, 30), 0, 1))
    return tmp_path / "runs"


def cli(capsys, *words, code=0):
    assert main([*map(str, words)]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return out, err


def test_a_folder_of_runs_has_a_leaderboard_and_other_files_are_skipped(runs, capsys):
    (runs / "answers.sqlite").write_bytes(b"cache")
    (runs / "notes").mkdir()
    keep("nested", np.linspace(0, 1, 30), folder="runs/chunks")
    out, err = cli(capsys, "leaderboard", "runs", "--format", "csv", "--raw")
    lines = out.splitlines()
    assert {line.split(",")[1] for line in lines[1:]} == {*NAMES, "nested"}
    assert lines[0].startswith("rank,run,measure,value,may_be_best,best_rank,worst_rank,low,high")
    assert "skipped runs/answers.sqlite: it is not a run" in err
    assert "skipped runs/notes: it is not a run" in err
    assert "may be the best in f1 (95 %)" in err


def test_options_reach_the_report(runs, capsys):
    words = ("--baseline", "runs/top_k=3", "--pairs", "--letters", "--weights", "f1=0.75,hit=0.25")
    data = json.loads(cli(capsys, "leaderboard", "runs", *words, "--format", "json")[0])
    assert data["baseline"] == "top_k=3"
    assert {row["difference"]["verdict"] for row in data["runs"] if row["difference"]} == {"better"}
    assert len(data["pairs"]) == 3
    assert data["weighted"]["weights"] == {"f1": 0.75, "hit": 0.25}
    out, _ = cli(capsys, "leaderboard", "runs", *words)
    assert "letters" in out
    data = json.loads(cli(capsys, "leaderboard", "runs", "--primary", "hit", "--format", "json")[0])
    assert (data["measure"], data["chosen"], data["candidates"]) == ("hit", "afterwards", 2)
    assert cli(capsys, "leaderboard", "runs", "-o", "board.md")[1].endswith("thresher: wrote board.md\n")
    assert Path("board.md").read_text().startswith("- Ordered by f1 over 30 items")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["runs/top_k=3"], "a leaderboard needs two or more runs, not 1"),
        (["runs", "--weights", "f1"], "--weights f1: 'f1' is not a measure with a weight"),
        (["runs", "--weights", "f1=x"], "--weights f1=x: 'x' is not a number"),
        (["runs", "--weights", "f1=1", "--reference", "f1=0"], "--reference f1=0: write the ends of a scale"),
        (["runs", "--weights", "f1=-1"], "'f1' has weight -1.0; give a positive number"),
        (["runs", "--baseline", "top_k=4"], "no run 'top_k=4' for a baseline"),
        (["runs", "--primary", "f2"], "no metric 'f2' in this run; there are f1, hit"),
        (["empty"], "empty holds no run that can be read"),
        (["nowhere"], "nowhere does not exist; give the path of a stored run"),
    ],
)
def test_wrong_usage_is_one_line(runs, capsys, words, message):
    (runs.parent / "empty").mkdir()
    _, err = cli(capsys, "leaderboard", *words, code=2)
    assert err.count("\n") == 1
    assert message in err


def test_runs_without_a_score_say_why(runs, capsys):
    part = Statistics({"score": np.full(3, np.nan)})
    measures = [Measure(Signature.of("f1", {}))]
    reasons = dict.fromkeys(range(3), "the query pipeline failed in llm: TimeoutError: 30 s")
    for name in ("one", "two"):
        failed = MetricResult(measures, part, np.full(3, Status.FAILED), reasons=reasons)
        save_run(EvaluationResults({"id": ["a", "b", "c"]}, [failed], name=name), f"failed/{name}")
    _, err = cli(capsys, "leaderboard", "failed", code=2)
    assert err.startswith(
        "thresher: no run has a score of f1: one: f1: 3 of 3 items failed: the query pipeline"
    )


def test_runs_of_one_name_are_shown_by_their_folders(runs, capsys):
    keep("top_k=3", np.linspace(0, 1, 30), folder="other")
    Path("other/top_k=3").rename("other/again")
    out, _ = cli(capsys, "leaderboard", "runs", "other", "--format", "csv", "--raw")
    assert "again" in out


def test_settings_of_an_experiment_get_effects(runs, capsys):
    generator = np.random.default_rng(1)
    for k in (3, 5):
        for search in ("bm25", "dense"):
            scores = generator.uniform(0.4, 0.5, 30) + 0.2 * (search == "dense")
            settings = {"retriever.top_k": k, "search": search}
            keep(f"{k}-{search}", scores, folder="grid", settings=settings)
    Path("grid/experiment.json").write_text("{}")
    out, err = cli(capsys, "leaderboard", "grid")
    assert "Effect of each setting on f1" in out
    (line,) = [line for line in out.splitlines() if line.startswith("search")]
    assert "bm25 -> dense" in line
    assert "+ better" in line
    assert err == ""


def test_compare_of_three_runs_begins_with_their_leaderboard(runs, capsys):
    paths = [f"runs/{name}" for name in NAMES]
    out, _ = cli(capsys, "compare", *paths)
    assert out.index("2 of 3 runs may be the best in f1") < out.index("top_k=5 against top_k=3: better in f1")
    assert "leaderboard" not in json.loads(cli(capsys, "compare", *paths[:2], "--format", "json")[0])
    data = json.loads(cli(capsys, "compare", *paths, "--format", "json")[0])
    board = json.loads(cli(capsys, "leaderboard", "runs", "--format", "json")[0])
    assert data["leaderboard"]["runs"] == board["runs"]
    assert [row["run"] for row in data["differences"] if row["role"] == "primary"] == list(NAMES[1:])


def test_compare_of_runs_that_cannot_be_ranked_says_so():
    metric = {"name": "a", "scores": [1, 0], "primary": False}
    data = {"inputs": {"id": ["q1", "q2"]}, "metrics": [metric]}
    first, *others = (EvaluationResults.from_dict(data, name=name) for name in "xyz")
    report = first.compare(others)
    assert report.leading() is None
    (reason,) = [note for note in report.notes if note.startswith("No leaderboard: ")]
    assert "the runs declare no primary measure; name one to order by: a" in reason
    assert report.data()["leaderboard"] is None
