"""The button that saves the items shown as a data set."""

import json
from pathlib import Path

import pytest

from reports.html.cases import PLANTED, pair
from reports.html.page import choose, control, downloaded, find, shown, status, until
from thresher import EvaluationResults
from thresher.cli.main import main
from thresher.reports.exports.item_export import export_rows
from thresher.reports.html import html_report

pytestmark = pytest.mark.xdist_group("browser")
HIDDEN = "a\u202eb\u200bc\U000e0041\x7f\r\n=1+2"


def saved(driver, label):
    control(driver, label).click()
    return downloaded(driver, "items.jsonl")


def test_saved_items_are_the_rows_of_the_run_that_python_exports(opened):
    runs = pair(PLANTED)
    driver = opened(html_report(runs))
    choose(driver, "Status", "failed")
    until(lambda: status(driver) == "1 of 30 items shown")
    (line,) = saved(driver, "JSONL of B").splitlines()
    (row,) = export_rows(runs[1], [4])
    written = json.loads(line)
    scores = row["_thresher"].pop("scores")
    assert written["_thresher"]["scores"]["faithfulness"] is scores["faithfulness"] is None
    assert written["_thresher"].pop("scores")["latency"] == pytest.approx(scores["latency"], rel=1e-5)
    assert written == json.loads(json.dumps(row))
    assert row["_thresher"]["unscored"]["faithfulness"]["reason"].startswith("no answer")


def test_saved_items_keep_names_numbers_and_hidden_characters_and_can_be_run(opened, tmp_path, monkeypatch):
    columns = {
        "query_id": ["x", "y"],
        "question": ["A?", HIDDEN],
        "response": ["a", "b"],
        "reference": ["a", "c"],
        "size": [12345678901234567890, 0.1],
        "parts": [{"n": [1, 2.5, None, True], "t": "deep"}, None],
        "_thresher": [{"run": "older"}, {"run": "older"}],
    }
    other = {**columns, "answer": columns["reference"], "prediction": ["a", "z"]}
    for name in ("response", "reference"):
        del other[name]
    runs = [
        EvaluationResults.from_dict(
            {"inputs": inputs, "metrics": [{"name": "token_f1", "scores": [1.0, 1 / 3]}]}, name=name
        )
        for name, inputs in (("first", columns), ("second", other))
    ]
    driver = opened(html_report(runs))
    text = saved(driver, "JSONL of B")
    rows = {row["query_id"]: row for row in map(json.loads, text.splitlines())}
    expected = {row["query_id"]: row for row in export_rows(runs[1], [0, 1])}
    assert rows.pop("y")["_thresher"].pop("scores") == {"token_f1": pytest.approx(1 / 3, abs=1e-6)}
    assert rows["x"] == expected["x"]
    assert set(rows["x"]) == {"query_id", "question", "size", "parts", "answer", "prediction", "_thresher"}
    assert "\u202e" not in text
    assert "\\u202e" in text
    monkeypatch.chdir(tmp_path)
    Path("failing.jsonl").write_text(saved(driver, "JSONL of B"), encoding="utf-8")
    assert main(["run", "token_f1", "--data", "failing.jsonl", "--name", "again", "--quiet"]) == 0


def test_items_that_the_file_holds_in_part_are_not_saved(opened):
    notes = [" ".join(f"{item * 37 % 1009 + word * 101 % 997}" for word in range(900)) for item in range(30)]
    inputs = {"id": [f"i{item}" for item in range(30)], "question": ["short", *notes[1:]]}
    metrics = [{"name": "hit", "scores": [0.0, *[1.0] * 29], "bounds": [0, 1]}]
    run = EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name="long")
    size = len(html_report([run], max_rows=0).encode())
    driver = opened(html_report([run], max_bytes=size + 9_000))
    control(driver, "JSONL").click()
    assert "29 items of 30 in part only, to stay small: thresher export" in find(driver, "#shown").text
    find(driver, "[aria-label='Limit of the score']").send_keys("0.5")
    until(lambda: shown(driver) == ["i0"])
    assert json.loads(saved(driver, "JSONL"))["question"] == "short"
