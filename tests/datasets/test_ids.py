from uuid import UUID

import pytest

from thresher.datasets import read_dataset

NO_ID = "give every row an id, or read_dataset(..., mapping={'id': 'NAME'}) if it is not an id"


@pytest.mark.parametrize(
    "column", ["id", "ids", "item_id", "query_id", "question_id", "qid", "sample_id", "_id"]
)
def test_ids_are_kept(column):
    dataset = read_dataset({column: ["b", "a"], "question": ["q", "q"]})
    assert dataset.ids == ["b", "a"]
    assert dataset.ids_given
    assert list(dataset.columns) == ["questions"]


def test_whole_numbers_are_one_id_however_they_are_written():
    uuid = UUID(int=5)
    dataset = read_dataset({"id": [7, 8.0, "9", 1.5, uuid]})
    assert dataset.ids == ["7", "8", "9", "1.5", str(uuid)]


def test_derived_ids_hash_the_question_and_number_repetitions():
    dataset = read_dataset({"question": ["a", "b", "a", None]})
    assert dataset.ids == ["q-ca978112ca", "q-3e23e81600", "q-ca978112ca-2", "row-4"]
    assert not dataset.ids_given


def test_derived_ids_do_not_depend_on_where_the_question_stands():
    one = read_dataset({"question": ["a", "b"]})
    other = read_dataset({"question": ["b", "c", "a"]})
    assert set(one.ids) < set(other.ids)


def test_a_question_with_half_a_surrogate_pair_has_an_id(write):
    dataset = read_dataset(write("data.jsonl", '{"question": "\\ud800"}'))
    assert dataset.ids[0].startswith("q-")
    assert len(dataset.fingerprint()) == 66


def test_without_questions_the_row_numbers_are_the_ids():
    dataset = read_dataset({"x": [1, 2]})
    assert dataset.ids == ["row-1", "row-2"]
    assert not dataset.ids_given


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [{"id": 7}, {"id": 8}, {"id": 7.0}],
            (
                "data.jsonl:3: the id '7' in 'id' was used before, at data.jsonl:1; make ids unique, or "
                "read_dataset(..., mapping={'id': 'NAME'}) if it is not an id"
            ),
        ),
        (
            [{"id": 7}, {"x": 8}],
            "data.jsonl:2: the id in 'id' holds nothing; " + NO_ID,
        ),
        (
            [{"id": ""}],
            "data.jsonl:1: the id in 'id' holds nothing; " + NO_ID,
        ),
        (
            [{"id": True}],
            "data.jsonl:1: the id in 'id' holds true; " + NO_ID,
        ),
        (
            [{"id": [1]}],
            "data.jsonl:1: the id in 'id' holds a list; " + NO_ID,
        ),
    ],
)
def test_ids_that_name_no_item_are_named_by_line(write, refusal, rows, message):
    assert refusal(write("data.jsonl", rows)) == message


def test_a_repeated_column_of_ids_may_be_mapped_away():
    dataset = read_dataset({"question_id": [1, 1], "question": ["a", "b"]}, mapping={"question_id": "topic"})
    assert dataset.columns["topic"] == [1, 1]
    assert not dataset.ids_given


def test_repeated_ids_of_python_data_are_named_by_row(refusal):
    assert refusal({"id": [1, 1]}).startswith(
        "the data, row 2: the id '1' in 'id' was used before, at the data, row 1;"
    )
