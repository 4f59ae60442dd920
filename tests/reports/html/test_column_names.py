"""Data under the names of other frameworks, from a file to the page: answers are shown as answers."""

import json

import pytest

from reports.html.page import control, dialog, find, shown, status, texts, until
from thresher import EvaluationResults
from thresher.cli.main import main
from thresher.reports.html import html_report

pytestmark = pytest.mark.xdist_group("browser")

CLASSIC = ("question", "answer", "contexts", "ground_truth")
LAYOUTS = [
    CLASSIC,
    ("user_input", "response", "retrieved_contexts", "reference"),
    ("input", "output", "passages", "expected"),
    ("query", "prediction", "contexts", "label"),
]
FIRST = [
    ["How high?", "45 m", ["It is 45 m high."], "45 m"],
    ["Where?", "in Lyon", ["It is in Paris."], "in Paris"],
]
SECOND = [[*FIRST[0]], [FIRST[1][0], "in Paris", *FIRST[1][2:]]]


def check_answers(driver):
    """The answer that differs can be shown alone, as an answer, and its words are marked."""
    control(driver, "Answers differ").click()
    until(lambda: status(driver) == "1 of 2 items shown")
    find(driver, ".grid .row").click()
    until(lambda: "Where?" in dialog(driver))
    assert texts(driver, ".answers .reference .said") == ["in Paris"]
    assert texts(driver, ".answers .run-0 .said, .answers .run-1 .said") == ["in Lyon", "in Lyon Paris"]
    assert texts(driver, ".answers ins") == ["Paris"]
    assert texts(driver, ".answers del") == ["Lyon"]
    assert "It is in Paris." in dialog(driver)
    assert "Other columns" not in dialog(driver)


def test_classic_data_of_ragas_run_and_compared_on_the_command_line_show_their_answers(
    opened, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    for name, rows in (("a", FIRST), ("b", SECOND)):
        lines = [json.dumps(dict(zip(CLASSIC, row, strict=True))) for row in rows]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
        assert main(["run", "qa", "--data", f"{name}.jsonl", "--quiet"]) == 0
    assert main(["compare", "runs/a", "runs/b", "--format", "html", "-o", "page.html"]) == 0
    driver = opened((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert len(shown(driver)) == 2
    check_answers(driver)
    assert json.loads((tmp_path / "runs/a/run.json").read_text())["reading"]["columns"] == {
        "questions": "question",
        "predicted_answers": "answer",
        "ground_truth_answers": "ground_truth",
    }


def plain_run(run, rows, names):
    return EvaluationResults.from_dict(
        {
            "run": run,
            "inputs": {name: [row[at] for row in rows] for at, name in enumerate(names)},
            "metrics": [{"name": "hit", "scores": [1, float(rows is SECOND)], "bounds": [0, 1]}],
        }
    )


@pytest.mark.parametrize("names", LAYOUTS, ids=" ".join)
def test_runs_with_columns_under_their_own_names_show_their_answers(opened, names):
    check_answers(opened(html_report([plain_run("a", FIRST, names), plain_run("b", SECOND, names)])))


def test_runs_whose_columns_have_different_names_show_their_answers_side_by_side(opened):
    runs = [plain_run("a", FIRST, LAYOUTS[2]), plain_run("b", SECOND, LAYOUTS[1])]
    check_answers(opened(html_report(runs)))
