"""How predictions and references are read, and what becomes of items that lack one."""

import gc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InputError
from thresher.metrics import text_pairs
from thresher.metrics.text_pairs import TextPairs
from thresher.results import FrozenColumn, Status


def test_a_text_is_one_reference_and_a_list_is_several():
    pairs = TextPairs.read(["a", "b"], ["x", ["y", "z"]])
    assert pairs.flat() == (["a", "b", "b"], ["x", "y", "z"])
    assert pairs.starts.tolist() == [0, 1]


def test_what_lacks_an_entry_is_missing_with_its_reason():
    pairs = TextPairs.read([None, "b", "c", "d", "e"], ["x", None, [], [None], [None, "y"]])
    assert pairs.items.status.tolist() == [Status.MISSING] * 4 + [Status.SCORED]
    assert pairs.items.reasons == {
        0: "no entry in predicted_answers",
        1: "no entry in ground_truth_answers",
        2: "no reference in ground_truth_answers",
        3: "no reference in ground_truth_answers",
    }
    assert pairs.flat() == (["e"], ["y"])


def test_empty_texts_are_texts():
    pairs = TextPairs.read([""], [""])
    assert pairs.items.status.tolist() == [Status.SCORED]
    assert pairs.flat() == ([""], [""])


def test_columns_and_tuples_are_read_like_lists():
    pairs = TextPairs.read(FrozenColumn(["a"]), FrozenColumn([("x", "y")]))
    assert pairs.flat() == (["a", "a"], ["x", "y"])


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        ([1.5], ["x"], r"predicted_answers\[0\] is float"),
        ([["a"]], ["x"], r"predicted_answers\[0\] is list"),
        (["a", "b"], ["x", 3], r"ground_truth_answers\[1\] is int; give a text or a list of texts"),
        (["a"], [["x", 3]], r"ground_truth_answers\[0\] is int; give a text"),
        (["a"], [b"x"], r"ground_truth_answers\[0\] is bytes"),
        (["a"], [{"x": 1}], r"ground_truth_answers\[0\] is dict"),
        (["a"], ["x", "y"], "unequal lengths: predicted_answers has 1, ground_truth_answers has 2"),
        ("a", ["x"], "predicted_answers is str"),
        (["a"], {"x"}, "ground_truth_answers is set"),
        (3, ["x"], "predicted_answers is int"),
    ],
)
def test_what_is_no_text_is_refused(predictions, references, message):
    with pytest.raises(InputError, match=message):
        TextPairs.read(predictions, references)


@given(st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=4), max_size=8))
def test_best_is_the_first_of_the_highest(scores):
    pairs = TextPairs.read(["p"] * len(scores), [["r"] * len(of_item) for of_item in scores])
    flat = np.array([score for of_item in scores for score in of_item])
    chosen = pairs.best(flat) - pairs.starts
    assert chosen.tolist() == [of_item.index(max(of_item)) for of_item in scores]


def test_components_that_get_the_same_columns_share_their_texts():
    predictions, references = FrozenColumn(["a", "b", None]), FrozenColumn(["x", [], "z"])
    first, second = TextPairs.read(predictions, references), TextPairs.read(predictions, references)
    assert first.flat() is second.flat()
    assert first.squad is second.squad
    assert first.items is not second.items
    assert first.items.reasons == second.items.reasons
    assert set(first.items.reasons) == {1, 2}


def test_texts_are_not_those_of_other_columns():
    predictions = FrozenColumn(["a", "b"])
    assert TextPairs.read(predictions, FrozenColumn(["x", "y"])).flat() == (["a", "b"], ["x", "y"])
    assert TextPairs.read(predictions, FrozenColumn(["x", ["y", "z"]])).flat()[1] == ["x", "y", "z"]
    assert TextPairs.read(FrozenColumn(["c", "d"]), FrozenColumn(["x", "y"])).flat()[0] == ["c", "d"]


def test_columns_that_cannot_be_read_are_refused_each_time():
    predictions, references = FrozenColumn(["a"]), FrozenColumn([7])
    for _ in range(2):
        with pytest.raises(InputError, match=r"ground_truth_answers\[0\] is int"):
            TextPairs.read(predictions, references)


def test_texts_end_with_their_columns():
    before = len(text_pairs._known)
    predictions = FrozenColumn(["a"])
    TextPairs.read(predictions, FrozenColumn(["x"]))
    assert len(text_pairs._known) == before + 1
    del predictions
    gc.collect()
    assert len(text_pairs._known) == before
