import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from thresher.datasets import Dataset, read_dataset
from thresher.errors import InputError
from thresher.results import FrozenColumn


@pytest.fixture
def dataset():
    return read_dataset(
        {"id": ["a", "b", "c"], "question": ["x", "y", "z"], "score": [1, None, 0.5]}, name="mine"
    )


def test_columns_and_length(dataset):
    assert len(dataset) == 3
    assert isinstance(dataset.ids, FrozenColumn)
    assert isinstance(dataset.columns["score"], FrozenColumn)
    assert dataset.column("score") == [1, None, 0.5]
    assert repr(dataset) == "Dataset('mine', 3 items, columns: questions, score)"


def test_parts_keep_name_and_origin_of_the_ids(dataset):
    part = dataset.take([2, 0])
    assert (list(part.ids), list(part.columns["score"]), part.name) == (["c", "a"], [0.5, 1], "mine")
    assert dataset.slice(1, 3).ids == ["b", "c"]
    assert dataset.head(2).columns["questions"] == ["x", "y"]
    assert dataset.head(9) == dataset
    assert [list(chunk.ids) for chunk in dataset.chunks(2)] == [["a", "b"], ["c"]]
    derived = read_dataset({"question": ["x"]})
    assert not derived.head(1).ids_given


def test_a_data_set_cannot_be_changed_and_copies_itself_for_free(dataset):
    with pytest.raises(AttributeError):
        dataset.name = "other"
    with pytest.raises(TypeError):
        dataset.columns["x"] = FrozenColumn([1, 2, 3])
    assert copy.deepcopy(dataset) is dataset


def test_a_data_set_can_be_pickled(dataset):
    again = pickle.loads(pickle.dumps(dataset))  # noqa: S301  # our own bytes
    assert again == dataset
    assert (again.name, again.ids_given, again.fingerprint()) == ("mine", True, dataset.fingerprint())


def test_to_pandas_has_the_ids_in_front(dataset):
    frame = dataset.to_pandas()
    assert list(frame.columns) == ["ids", "questions", "score"]
    assert frame["ids"].tolist() == ["a", "b", "c"]
    assert read_dataset(frame, name="mine") == dataset


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: Dataset(FrozenColumn(["a"]), {"x": FrozenColumn([1, 2])}),
            "column 'x' has 2 entries for 1 id; give one per item",
        ),
        (
            lambda: Dataset(FrozenColumn(["a", "a"]), {}),
            "id 'a' appears twice; give every item a unique id",
        ),
        (lambda: Dataset(FrozenColumn([1]), {}), "id 1 is not a text; give every item a unique id"),
        (
            lambda: Dataset(FrozenColumn(["a"]), {"ids": FrozenColumn(["a"])}),
            "'ids' is among the columns; give it as ids",
        ),
        (
            lambda: read_dataset({"x": [1]}).take([0, 0]),
            "id 'row-1' appears twice; give every item a unique id",
        ),
        (lambda: read_dataset({"x": [1]}).chunks(0), "chunk size 0 must be a whole number of at least 1"),
        (lambda: read_dataset({"x": [1]}).head(-1), "head(-1): give a number of items, 0 or more"),
        (lambda: read_dataset({"x": [1]}, name="mine").column("y"), "mine has no column 'y'; it has x"),
    ],
)
def test_misuse_is_told_in_one_line(build, message):
    with pytest.raises(InputError) as caught:
        build()
    assert str(caught.value) == message


def fingerprint(**columns):
    return Dataset(
        FrozenColumn(["a"]), {name: FrozenColumn([entry]) for name, entry in columns.items()}
    ).fingerprint()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, np.int64(1)),
        (0.5, np.float64(0.5)),
        (True, np.True_),
        (None, float("nan")),
        ([None], [float("nan")]),
        (["a"], ("a",)),
        ({"a": 1, "b": None}, {"a": 1.0}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"x", "y"}, {"y", "x"}),
        ("a", np.str_("a")),
    ],
)
def test_entries_that_mean_the_same_have_one_fingerprint(one, other):
    assert fingerprint(x=one) == fingerprint(x=other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, "1"),
        (1, True),
        (None, ""),
        (None, "null"),
        ("a", ["a"]),
        ([], None),
        ({}, []),
        (["a", "b"], ["b", "a"]),
        (["ab"], ["a", "b"]),
        ({"map": {"a": 1}}, {"a": 1}),
        (float("inf"), float("-inf")),
        (b"a", "a"),
        (np.zeros((2, 2)), np.zeros((1, 4))),
    ],
)
def test_entries_that_differ_have_different_fingerprints(one, other):
    assert fingerprint(x=one) != fingerprint(x=other)


def test_the_fingerprint_hangs_on_ids_names_and_the_order_of_items_only():
    data = {"id": ["a", "b"], "x": [1, 2], "y": [3, 4]}
    first = read_dataset(data)
    reordered = read_dataset({"y": [3, 4], "x": [1, 2], "id": ["a", "b"]}, name="other")
    assert first.fingerprint() == reordered.fingerprint()
    changed = [
        read_dataset({**data, "id": ["a", "c"]}),
        read_dataset(data, mapping={"x": "z"}),
        first.take([1, 0]),
        first.head(1),
        read_dataset({**data, "x": [1, 3]}),
    ]
    assert len({first.fingerprint(), *(other.fingerprint() for other in changed)}) == 6


def test_the_fingerprint_is_the_same_in_every_process_and_release():
    program = (
        "from thresher.datasets import read_dataset\n"
        "data = {'id': [1, 2], 'question': ['a', 'é'], 'tags': [{'x', 'y', 'z'}, None]}\n"
        "print(read_dataset(data).fingerprint())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        for seed in ("1", "2")
    ]
    assert {run.stdout.split()[0] for run in runs} == {
        "2-b8d5dcbf9cffc09a4303e9ad08708a26cf6c037abc8f49be46dd2beb5c997262"
    }


def test_documents_have_fingerprints_by_content():
    pytest.importorskip("haystack")
    from haystack import Document
    from haystack.dataclasses import ByteStream

    def one(**fields):
        return fingerprint(retrieved_documents=[Document(**fields)])

    assert one(content="a", meta={"p": 1}) == one(content="a", meta={"p": 1})
    assert (
        len({one(content="a"), one(content="a", meta={"p": 1}), one(content="a", score=0.5), one(id="x")})
        == 4
    )
    assert one(blob=ByteStream(b"a")) != one(blob=ByteStream(b"b"))


def test_an_object_without_a_plain_form_has_no_fingerprint():
    with pytest.raises(
        InputError, match="column 'x' holds a object; a fingerprint needs plain data or a to_dict"
    ):
        fingerprint(x=object())
