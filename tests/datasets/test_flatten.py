import csv
import json

import pytest

from datasets.sources.chunked import assert_same, use_small_blocks
from thresher.datasets import read_dataset


def columns(dataset):
    return {name: list(column) for name, column in dataset.columns.items()}


def test_each_key_of_an_object_is_a_column():
    rows = [{"recorded_scores": {"faithfulness": 0.9, "sas": 1}}, {"recorded_scores": {"sas": None}}, {}]
    assert columns(read_dataset(rows)) == {"faithfulness": [0.9, None, None], "sas": [1, None, None]}


def test_objects_are_flattened_to_the_last_key():
    assert columns(read_dataset([{"run": {"scores": {"f": 1}, "model": "m"}}])) == {"f": [1], "model": ["m"]}


def test_a_key_that_is_not_free_is_written_with_those_above_it():
    row = {
        "question": "q",
        "faithfulness": 0,
        "a": {"x": 1, "faithfulness": 2, "questions": "named like a socket"},
        "b-2": {"x": 3},
        "1": {"x": 4},
    }
    assert columns(read_dataset([row])) == {
        "questions": ["q"],
        "faithfulness": [0],
        "a_x": [1],
        "a_faithfulness": [2],
        "a_questions": ["named like a socket"],
        "b_2_x": [3],
        "_1_x": [4],
    }


def test_what_a_nested_key_means_is_not_guessed_but_may_be_mapped():
    rows = [{"id": 1, "meta": {"query": "n", "id_": 5}, "inputs": {"text": "q"}}]
    dataset = read_dataset(rows, mapping={"text": "questions"})
    assert columns(dataset) == {"questions": ["q"], "query": ["n"], "id_": [5]}


def test_mapped_objects_mixed_columns_and_empty_objects_stay_whole():
    rows = [
        {"meta": {"a": 1}, "mixed": {"b": 1}, "none": {}},
        {"meta": {"a": 2}, "mixed": "text", "none": None},
    ]
    assert columns(read_dataset(rows, mapping={"meta": "my_meta"})) == {
        "my_meta": [{"a": 1}, {"a": 2}],
        "mixed": [{"b": 1}, "text"],
        "none": [{}, None],
    }


def test_values_of_known_columns_stay_whole():
    row = {"answers": {"text": ["a"]}, "expected_ids": {"d1": 1}}
    assert columns(read_dataset([row])) == {
        "ground_truth_answers": [["a"]],
        "ground_truth_documents": [{"d1": 1}],
    }


def test_objects_keyed_by_data_stay_whole():
    rows = [{"score_by_document": {f"d{row}": 1.0}} for row in range(1001)]
    assert list(read_dataset(rows).columns) == ["score_by_document"]


def test_two_columns_that_come_out_under_one_name_are_refused(refusal):
    row = {"a": {"b_c": 1, "x": 1}, "a_b": {"c": 2, "x": 2}, "c": 0, "b_c": 0}
    assert refusal([row]) == "the data: 'a.b_c' and another column both become 'a_b_c'; rename one"


def test_the_origin_of_exported_items_stays_whole_so_that_old_scores_are_no_columns():
    rows = [{"question": "q", "_thresher": {"run": "first", "scores": {"token_f1": 0.5}}}]
    assert columns(read_dataset(rows)) == {"questions": ["q"], "_thresher": [rows[0]["_thresher"]]}


def test_a_path_may_be_mapped_to_a_value_or_to_a_whole_object():
    rows = [
        {"a": {"b": {"c": "x", "d": 1}, "rules": {"contains": ["y"]}}, "e.f": "z", "e": {"f": 2}},
        {"a": None, "e.f": None, "e": {}},
    ]
    mapping = {"a.b.c": "predicted_answers", "a.rules": "conditions", "e.f": "ground_truth_answers"}
    dataset = read_dataset(rows, mapping=mapping)
    assert columns(dataset) == {
        "ground_truth_answers": ["z", None],
        "predicted_answers": ["x", None],
        "d": [1, None],
        "conditions": [{"contains": ["y"]}, None],
        "f": [2, None],
    }
    assert dataset.origin == {
        "predicted_answers": "a.b.c",
        "d": "a.b.d",
        "conditions": "a.rules",
        "ground_truth_answers": "e.f",
        "f": "e.f",
    }


LOGGED = [
    {"answer": "a", "score": 0, "more": json.dumps({"text": "in a text"})},
    {"answer": "b", "score": 0.5},
    {"late": True},
    {"answer": "=c", "more": json.dumps({"text": "t", "n": 1})},
]
MAPPING = {"log.answer": "predicted_answers", "log.more.text": "note"}
READ = {
    "predicted_answers": ["a", "b", None, "=c", None],
    "score": [0, 0.5, None, None, None],
    "note": ["in a text", None, None, "t", None],
    "n": [None, None, None, 1, None],
    "late": [None, None, True, None, None],
    "x": [1, 2, 3, 4, 5],
}


def as_rows(texts):
    return [{"log": text, "x": number} for number, text in enumerate(texts, start=1)]


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_objects_that_are_written_as_text_are_opened_where_a_path_is_mapped(suffix, tmp_path, monkeypatch):
    rows = as_rows([*map(json.dumps, LOGGED), ""])
    path = tmp_path / f"data.{suffix}"
    if suffix == "csv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, ["log", "x"])
            writer.writeheader()
            writer.writerows(rows)
    else:
        path.write_text("\n".join(map(json.dumps, rows)))
    assert columns(read_dataset(path, mapping=MAPPING)) == READ
    assert columns(read_dataset(rows, mapping=MAPPING)) == READ
    use_small_blocks(monkeypatch, 1)
    assert_same(path, mapping=MAPPING)
    assert_same(path, mapping={"log": "predicted_answers"})


@pytest.mark.parametrize(
    ("texts", "key", "message"),
    [
        (
            ['{"answer": 1}', "plain"],
            "log.answer",
            "holds a text that is not the JSON of an object; fix it, or empty it, so that it is missing, or",
        ),
        (
            ['{"answer": 1}', '{"model": 1}'],
            "log.anwser",
            "no entry of 'log' has the key 'anwser' (did you mean 'answer'?); it has 'answer', 'model'",
        ),
        (['{"a": ["x"]}', "[1]"], "log.a", "'log' holds a text that is not the JSON of an object; fix"),
    ],
)
def test_a_path_that_leads_nowhere_is_named(texts, key, message, refusal, tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text("\n".join(map(json.dumps, as_rows(texts))))
    mapping = {key: "predicted_answers"}
    assert message in refusal(path, mapping=mapping)
    assert message in refusal(as_rows(texts), mapping=mapping)
    with pytest.MonkeyPatch.context() as monkeypatch:
        use_small_blocks(monkeypatch, 1)
        assert message in assert_same(path, mapping=mapping)
