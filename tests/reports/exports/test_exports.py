import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from thresher import EvaluationResults, InputError, evaluate, read_dataset
from thresher.reports.exports.item_export import source_lines, source_rows
from thresher.results import Measure, MetricResult, Signature, Statistics, Status

ROWS = [
    {"id": "a", "question": "A?", "response": "x", "reference": "x", "language": "de", "meta": {"level": 1}},
    {
        "id": "b",
        "question": "B?",
        "response": "y z",
        "reference": "y",
        "language": "en",
        "meta": {"level": 2},
    },
    {"id": "c", "question": "C?", "response": "q", "reference": "z", "language": "de", "meta": {"level": 3}},
]


@pytest.fixture(scope="module")
def run():
    return evaluate("exact_match,token_f1", ROWS, name="first")


def result(name, scores, status=None, direction="higher"):
    statistics = Statistics({"score": np.array(scores, dtype=float)})
    return MetricResult([Measure(Signature.of(name, {}), direction=direction)], statistics, status)


def ids(rows):
    return [row["id"] for row in rows]


def test_columns_have_the_names_of_the_source(run):
    (row,) = run.export(where="id == 'b'")
    assert list(row) == ["id", "question", "response", "reference", "language", "meta.level", "_thresher"]
    assert row["response"] == "y z"
    assert row["_thresher"]["scores"]["token_f1"] == pytest.approx(2 / 3)


def test_items_are_chosen_by_conditions_that_all_hold(run):
    assert ids(run.export()) == ["a", "b", "c"]
    assert ids(run.export(where="language == 'de' and token_f1 < 0.5")) == ["c"]
    assert ids(run.export(below={"token_f1": 0.9})) == ["c", "b"]
    assert ids(run.export(below={"token_f1": 0.9}, where="language == 'en'")) == ["b"]
    assert ids(run.export(limit=1)) == ["a"]
    assert run.export(where="language == 'fr'") == []
    with pytest.raises(InputError, match="no column 'lang'"):
        run.export(where="lang == 'de'")


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_exported_items_are_a_data_set_with_the_same_scores(run, tmp_path, suffix):
    path = tmp_path / f"low.{suffix}"
    run.export(path, below={"token_f1": 0.9})
    again = evaluate("exact_match,token_f1", read_dataset(path))
    assert list(again.ids) == ["c", "b"]
    assert again.metrics["token_f1"].scores.tolist() == run.metrics["token_f1"].scores[[2, 1]].tolist()
    assert [row["_thresher"]["run"] for row in again.export()] == ["low", "low"]


def test_an_export_can_be_empty(run, tmp_path):
    for suffix in ("jsonl", "csv", "parquet"):
        assert run.export(tmp_path / f"none.{suffix}", below={"token_f1": -1}) == []
    assert (tmp_path / "none.jsonl").read_text() == ""
    assert pq.read_table(tmp_path / "none.parquet").num_rows == 0
    with pytest.raises(InputError, match=r"end it with \.jsonl, \.csv or \.parquet"):
        run.export(tmp_path / "rows.xml")


def test_a_column_that_parquet_cannot_hold_is_named(tmp_path):
    rows = [{**row, "rankings": [["d1", 0.5], ["d2", None]]} for row in ROWS]
    run = evaluate("exact_match", rows)
    with pytest.raises(
        InputError, match=r"cannot hold the column 'rankings': .*; export as .jsonl, or leave"
    ):
        run.export(tmp_path / "rows.parquet")
    assert not (tmp_path / "rows.parquet").exists()
    run.export(tmp_path / "rows.parquet", columns=["response", "reference"])
    assert pq.read_table(tmp_path / "rows.parquet").num_rows == 3


def test_columns_can_be_chosen_by_either_name(run):
    assert list(run.export(columns=["id", "question", "predicted_answers"])[0]) == [
        "id",
        "question",
        "response",
        "_thresher",
    ]
    with pytest.raises(InputError, match="no input column 'answer' in first; there are id, question, resp"):
        run.export(columns=["answer"])


def test_items_that_regressed_come_with_the_largest_loss_first():
    before = EvaluationResults({"id": ["a", "b", "c", "d"]}, [result("f", [1, 0.5, 0.9, 0.2])], name="old")
    after = EvaluationResults({"id": ["d", "c", "b", "x"]}, [result("f", [0.1, 0.2, 0.6, 0])], name="new")
    assert ids(after.export(regressed_from=before, metric="f")) == ["c", "d"]
    slow = EvaluationResults({"id": ["a", "b"]}, [result("s", [2, 1], direction="lower")])
    fast = EvaluationResults({"id": ["a", "b"]}, [result("s", [1, 2], direction="lower")])
    assert ids(slow.export(regressed_from=fast, metric="s")) == ["a"]
    with pytest.raises(InputError, match="old has no metric 's'"):
        slow.export(regressed_from=before, metric="s")


def test_failed_and_flaky_items():
    status = np.array([0, int(Status.FAILED), 0, 0])
    inputs = {"id": ["a", "b", "c", "d"], "repeat_of": ["a", "a", "c", "c"]}
    run = EvaluationResults(inputs, [result("f", [1, 0, 1, 0], status), result("g", [1, 1, 0, 0])])
    assert ids(run.export(failed=True)) == ["b"]
    assert ids(run.export(flaky=True, metric="f")) == ["c", "d"]
    assert ids(run.export(flaky=True, metric="g")) == []
    with pytest.raises(InputError, match="no item is repeated"):
        EvaluationResults({"id": ["a"]}, [result("f", [1])]).export(flaky=True, metric="f")


def test_hidden_characters_are_escaped(tmp_path):
    run = EvaluationResults({"id": ["a"], "question": ["one\u202etwo"]}, [result("f", [1])])
    run.export(tmp_path / "rows.jsonl")
    text = (tmp_path / "rows.jsonl").read_text()
    assert "\\u202e" in text
    assert json.loads(text)["question"] == "one\u202etwo"


@pytest.mark.parametrize("items", [[0, 1, 2], [2, 0, 1], [1], []])
def test_lines_are_written_in_the_order_of_the_items_block_by_block(run, items, monkeypatch):
    monkeypatch.setattr(Statistics, "BLOCK", 2)
    rows = source_rows(run, items)
    assert ids(rows) == ["abc"[item] for item in items]
    assert [json.loads(line) for line in source_lines(run, items)] == rows
    heading, *lines = source_lines(run, items, "csv", ["id", "response"])
    assert heading == "id,response,_thresher\r\n"
    assert [line.split(",")[0] for line in lines] == ids(rows)
