import json
from pathlib import Path

import pytest

from answer_files import cli
from thresher import EvaluationResults, save_run
from thresher.cli import main


@pytest.fixture
def project(workplace):
    for number in range(26):
        hits = [0 if number > 21 and item < 10 else 1 for item in range(30)]
        hits[20 + number % 3] = 0
        answers = ["right" if hit else "wrong" for hit in hits]
        inputs = {"id": [f"q{item}" for item in range(30)], "response": answers}
        data = {"inputs": inputs, "metrics": [{"name": "hit", "scores": hits, "bounds": [0, 1]}]}
        save_run(EvaluationResults.from_dict(data, name=f"r{number:02d}"), f"runs/r{number:02d}")
    Path("runs/answers.sqlite").touch()
    return workplace


def test_an_alarm_ends_with_1_if_asked(project, capsys):
    assert main(["trend", "runs", "--fail-on-alarm"]) == 1
    output = capsys.readouterr()
    assert "ALARM: hit fell by 0.333 from the 0.967 of the first 20 runs, since r22 (4 runs)." in output.out
    assert "Fail since r22: " in output.out
    assert "thresher: skipped runs/answers.sqlite: it is not a run" in output.err
    assert "ALARM" in cli(capsys, "trend", "runs")
    assert (
        main(["trend", "runs", "--reference", "25", "--false-alarms-per-year", "1", "--fail-on-alarm"]) == 0
    )
    assert "about once in a year of nightly runs" in capsys.readouterr().out
    assert main(["trend", "runs/r00", "runs/r01", "runs/answers.sqlite", "runs/r24", "--fail-on-alarm"]) == 0
    assert "No alarm is possible yet: 3 comparable runs" in capsys.readouterr().out


def test_formats_of_a_trend(project, capsys):
    cli(capsys, "trend", "runs", "-o", "trend.html")
    page = Path("trend.html").read_text()
    assert "Trend of hit" in page
    assert "<svg" in page
    data = json.loads(cli(capsys, "trend", "runs", "--format", "json", "--bar", "hit=1"))
    assert data["alarm"] is True
    assert data["histories"]["counts"]["fails since"] == 10
    assert len(cli(capsys, "trend", "runs", "--format", "csv").splitlines()) == 27


def test_histories_of_one_item_and_of_all(project, capsys):
    one = cli(capsys, "history", "runs", "--item", "q3")
    assert "q3: the answer changed once in 26 runs." in one
    rows = cli(capsys, "history", "runs", "--format", "csv").splitlines()
    assert rows[0] == "item,history,since,passed,runs,pattern"
    assert rows[1] == "q0,fails since,r22,22,26,ppppppppppppppppppppppFFFF"
    assert len(rows) == 31


def test_wrong_options(project, capsys):
    for words, message in {
        ("trend", "runs", "--bar", "hit"): "write METRIC=NUMBER",
        ("trend", "runs", "--primary", "hits"): "no metric 'hits'",
        ("trend", "runs", "--reference", "10"): "reference=10 must be at least 20 runs",
        ("trend", "runs/r00"): "two or more runs",
        ("history", "runs", "--item", "none"): "no run has the item 'none'",
        ("history", "runs", "--metric", "hit", "--metric", "hit"): "give one --metric",
    }.items():
        assert message in cli(capsys, *words, code=2)


def test_graded_scores_need_a_bar(workplace, capsys):
    for name in ("a", "b", "c"):
        data = {"inputs": {"id": ["q"]}, "metrics": [{"name": "f1", "scores": [0.5], "bounds": [0, 1]}]}
        save_run(EvaluationResults.from_dict(data, name=name), f"runs/{name}")
    assert "which scores of f1 pass? add --bar f1=0.5" in cli(capsys, "history", "runs", code=2)
    assert "steady pass" in cli(capsys, "history", "runs", "--bar", "f1=0.5")


def test_a_bar_chooses_the_metric_of_a_history(workplace, capsys):
    for name in ("a", "b", "c"):
        scores = [{"name": "exact", "scores": [1.0]}, {"name": "f1", "scores": [0.5]}]
        save_run(
            EvaluationResults.from_dict({"inputs": {"id": ["q"]}, "metrics": scores}, name=name),
            f"runs/{name}",
        )
    assert "steady fail" in cli(capsys, "history", "runs", "--bar", "f1=0.6")
    assert "steady pass" in cli(capsys, "history", "runs", "--bar", "f1=0.6", "--metric", "exact")
