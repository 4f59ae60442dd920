import datetime as dt

import numpy as np
import pandas as pd
import pytest

from thresher.datasets import read_dataset
from thresher.results import FrozenColumn, Label


def columns(dataset):
    return {name: list(column) for name, column in dataset.columns.items()}


def test_a_dict_of_lists_is_read():
    dataset = read_dataset(
        {"question": ("a", "b"), "score": np.array([1.5, np.nan]), "x": FrozenColumn([1, 2])}
    )
    assert columns(dataset) == {"questions": ["a", "b"], "score": [1.5, None], "x": [1, 2]}
    assert type(dataset.columns["score"][0]) is float


def test_a_dict_of_empty_lists_has_no_items():
    dataset = read_dataset({"question": [], "predicted_answer": []})
    assert len(dataset) == 0
    assert list(dataset.columns) == ["questions", "predicted_answers"]


def test_rows_may_lack_keys():
    assert columns(read_dataset([{"question": "a", "x": 1}, {"question": "b"}])) == {
        "questions": ["a", "b"],
        "x": [1, None],
    }


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, np.float32("nan"), pd.NA, pd.NaT])
def test_every_way_to_write_a_missing_value_is_none(missing):
    dataset = read_dataset({"question": ["a"], "x": [missing], "y": [[missing, 1]]})
    assert columns(dataset) == {"questions": ["a"], "x": [None], "y": [[None, 1]]}


def test_arrays_tuples_and_numpy_scalars_become_plain():
    day = np.datetime64("2026-01-02T03:04:05", "ns")
    dataset = read_dataset(
        {"contexts": [np.array(["a", "b"], dtype=object)], "x": [(np.int64(1), np.True_)], "day": [day]}
    )
    assert columns(dataset) == {
        "contexts": [["a", "b"]],
        "x": [[1, True]],
        "day": [dt.datetime.fromisoformat("2026-01-02T03:04:05")],
    }
    assert type(dataset.columns["x"][0][0]) is int


def test_arrays_of_several_axes_stay_arrays():
    mask = np.zeros((2, 2))
    assert read_dataset({"predictions": [mask]}).columns["predictions"][0] is mask


def test_later_changes_to_the_source_do_not_reach_the_data_set():
    contexts = ["a"]
    dataset = read_dataset({"contexts": [contexts]})
    contexts.append("b")
    assert dataset.columns["contexts"] == [["a"]]


def test_a_data_frame_is_read_with_its_named_index():
    frame = pd.DataFrame(
        {"question": ["a", None], "contexts": [["x"], '["y", "z"]'], "score": [1, np.nan]},
        index=pd.Index([7, 8], name="id"),
    )
    dataset = read_dataset(frame, name="mine")
    assert dataset.ids == ["7", "8"]
    assert columns(dataset) == {
        "questions": ["a", None],
        "contexts": [["x"], ["y", "z"]],
        "score": [1.0, None],
    }
    assert dataset.name == "mine"


def test_anything_with_to_pandas_is_read():
    first = read_dataset({"id": ["a"], "question": ["q"]})
    assert read_dataset(first) == first


def test_limit_takes_the_first_of_anything():
    assert read_dataset({"a": [1, 2, 3]}, limit=2).columns["a"] == [1, 2]
    assert read_dataset([{"a": 1}, {"a": 2}, 3], limit=2).columns["a"] == [1, 2]
    assert read_dataset(pd.DataFrame({"a": [1, 2, 3]}), limit=2).columns["a"] == [1, 2]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            {"a": [1, 2], "b": [1]},
            "the data: columns have unequal lengths: a has 2, b has 1; give one entry per row in each",
        ),
        ({"a": "x"}, "the data: column 'a' holds the text 'x', not a list; give one entry per row"),
        ({"a": 3}, "the data: column 'a' holds the number 3, not a list; give one entry per row"),
        ({1: [1]}, "the data: the column name 1 is not a text; name columns by texts"),
        ({}, "the data has no columns; name at least one"),
        ([], "the data has no rows; give a dict of empty lists for a data set without items"),
        ([{"a": 1}, "x"], "the data, row 2: holds the text 'x', not a dict; give one dict per row"),
        ([{"a": 1}, {2: 1}], "the data, row 2: the column name 2 is not a text; name columns by texts"),
        (
            pd.DataFrame([[1, 2]], columns=["a", "a"]),
            "the DataFrame has two columns called 'a'; rename one",
        ),
        (
            5,
            (
                "a data set cannot be read from the number 5; give a path, an open file, a DataFrame, a dict "
                "of lists, a list of dicts or of objects with named fields, or Haystack results"
            ),
        ),
    ],
)
def test_data_that_cannot_be_read_are_named_by_row_or_column(refusal, source, message):
    assert refusal(source) == message


def test_a_wrong_type_is_named_by_row(refusal):
    assert refusal([{"question": "q"}, {"question": [3]}]).startswith(
        "the data, row 2: 'question' (read as questions) holds a list; expected a text;"
    )


def test_lists_within_themselves_are_refused(refusal):
    endless = []
    endless.append(endless)
    assert refusal({"a": [endless]}).startswith("an object is nested too deeply: more than 100 levels")


def test_labels_with_a_key_stay_labels():
    label = Label("class", "cat")
    data = read_dataset({"ground_truths": [label, [label]], "predictions": [{"labels": [label]}, None]})
    alone, (in_list,) = data.columns["ground_truths"]
    (in_dict,) = data.columns["predictions"][0]["labels"]
    for read in (alone, in_list, in_dict):
        assert isinstance(read, Label)
        assert read == label
