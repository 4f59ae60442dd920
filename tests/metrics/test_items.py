import numpy as np
import pytest

from thresher.components import metric_class
from thresher.errors import InputError
from thresher.metrics import Items, Mean, Measure, Ragged, Signature


@pytest.mark.parametrize("column", [{"a": "x"}, {"x"}, frozenset("x"), "x", b"x", 1, iter("x")])
def test_a_column_without_an_order_is_refused_by_name(column):
    with pytest.raises(InputError, match=f"answers is {type(column).__name__}; give a list with one entry"):
        Items(answers=column)


@pytest.mark.parametrize("column", [["x"], ("x",), np.array(["x"]), {"a": "x"}.values()])
def test_a_column_with_an_order_is_read(column):
    assert Items(answers=column).size == 1


def test_inputs_without_any_data_are_refused_by_name():
    with pytest.raises(
        InputError, match="predicted_answers is NoneType; give a list with one entry per item"
    ):
        metric_class("valor_bias")().run(predicted_answers=None)


@pytest.mark.parametrize(
    ("metric", "sockets"),
    [
        ("classification_accuracy", ["ground_truths", "predictions"]),
        ("retrieval_recall", ["ground_truth_documents", "retrieved_documents"]),
        ("valor_bias", ["predicted_answers"]),
        ("exact_match", ["ground_truth_answers", "predicted_answers"]),
    ],
)
def test_no_metric_scores_the_keys_of_a_dict(metric, sockets):
    with pytest.raises(
        InputError, match=f"({'|'.join(sockets)}) is dict; give a list with one entry per item"
    ):
        metric_class(metric)().run(**{socket: {"q1": "a"} for socket in sockets})


def test_statistics_with_several_entries_skip_the_items_that_are_left_out():
    items = Items(answers=["a b", None, "c"])
    measures = [Measure(Signature.of("words", {}), Mean("length"))]
    words = Ragged([2, 1], {"code": [5, 6, 7]})
    statistics = items.result(measures, {"length": [2, 1], "words": words}).statistics
    assert statistics.ragged["words"].lengths.tolist() == [2, 0, 1]
    assert statistics.ragged["words"].take([2])["code"].tolist() == [7]
    with pytest.raises(InputError, match="the statistic words has 1 row for 2 items that are present"):
        items.result(measures, {"length": [2, 1], "words": Ragged([3], {"code": [5, 6, 7]})})
