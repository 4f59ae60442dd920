import pytest

from thresher.kernels.retrieval.order import ranking


def test_trec_compares_scores_as_32_bit_floats():
    assert ranking([1.0, 1.0 + 1e-8], ["z", "a"], "trec") == [0, 1]
    assert ranking([1.0, 1.0 + 1e-8], ["z", "a"], "stable-score") == [1, 0]


def test_trec_breaks_ties_by_document_number_as_text_descending():
    assert ranking([1.0] * 3, ["10", "9", "é"], "trec") == [2, 1, 0]


@pytest.mark.parametrize("ties", ["trec", "stable-score"])
def test_scores_are_sorted_whatever_the_order_given(ties):
    assert ranking([-3.0, 0.5, -1.0], ["a", "b", "c"], ties) == [1, 2, 0]


def test_scores_beyond_32_bits_are_ties_under_trec_and_no_warning():
    assert ranking([1e300, 1e301], ["a", "b"], "trec") == [1, 0]


def test_input_order_does_not_look_at_scores():
    assert ranking([0.1, 0.9], ["a", "b"], "input-order") == [0, 1]
