import numpy as np
import pytest

from thresher.errors import InputError
from thresher.kernels.retrieval.matching import match
from thresher.kernels.retrieval.rank_metrics import average_precision, hit_rate, ndcg, reciprocal_rank
from thresher.kernels.retrieval.set_metrics import fbeta, precision, recall

KERNELS = [average_precision, fbeta, hit_rate, ndcg, precision, recall, reciprocal_rank]


@pytest.mark.parametrize("kernel", KERNELS)
def test_no_queries_give_no_values(kernel):
    assert kernel(match([], [])).tolist() == []


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_query_without_relevant_documents_is_nan_and_one_without_retrieved_ones_is_0(kernel):
    values = kernel(match([["a"], [], []], [{"a": 0}, {"a": 1}, {}]))
    np.testing.assert_array_equal(values, [np.nan, 0, np.nan])


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_perfect_ranking_scores_1(kernel):
    assert kernel(match([["a", "b"]], [{"a": 2, "b": 1}])).tolist() == [1.0]


def test_a_cutoff_leaves_later_hits_out():
    ranked = match([["x", "a"]], [{"a": 1}])
    assert [reciprocal_rank(ranked, k)[0] for k in (1, 2, 9)] == [0.0, 0.5, 0.5]
    assert [hit_rate(ranked, k)[0] for k in (1, 2, 9)] == [0.0, 1.0, 1.0]
    assert [recall(ranked, k)[0] for k in (1, 2, 9)] == [0.0, 1.0, 1.0]
    assert [average_precision(ranked, k)[0] for k in (1, 2, 9)] == [0.0, 0.5, 0.5]
    assert [ndcg(ranked, k)[0] for k in (1, 2)] == [0.0, 1 / np.log2(3)]


def test_fbeta_is_the_weighted_harmonic_mean_of_precision_and_recall():
    ranked = match([["a", "x", "b", "y"]], [{"a": 1, "b": 1, "c": 1}])
    p, r = precision(ranked)[0], recall(ranked)[0]
    for beta in (0.5, 1.0, 2.0):
        expected = (1 + beta**2) * p * r / (beta**2 * p + r)
        assert fbeta(ranked, beta)[0] == pytest.approx(expected, abs=1e-15)


def test_precision_divides_by_k_unless_told_otherwise():
    ranked = match([["a", "x"]], [{"a": 1}])
    assert precision(ranked, 5)[0] == 0.2
    assert precision(ranked, 5, "retrieved")[0] == 0.5
    assert precision(ranked, 1, "retrieved")[0] == 1.0


def test_negative_grades_gain_nothing_and_lose_nothing():
    assert ndcg(match([["b", "a"]], [{"a": 1, "b": -2}]))[0] == 1 / np.log2(3)


def test_a_document_retrieved_twice_is_credited_at_its_first_rank():
    ranked = match([["a", "a", "b"]], [{"a": 1, "b": 1}])
    assert ranked.ranks.tolist() == [1, 3]
    assert average_precision(ranked)[0] == pytest.approx((1 + 2 / 3) / 2)
    assert recall(ranked, 2)[0] == 0.5


def test_at_least_drops_lower_grades_from_both_sides():
    ranked = match([["a", "b"]], [{"a": 1, "b": 2, "c": 3}]).at_least(2)
    assert (ranked.ranks.tolist(), ranked.relevant.tolist()) == ([2], [2])


def test_exponential_gains_weigh_high_grades_more():
    ranked = match([["b", "a"]], [{"a": 3, "b": 1}])
    ideal = 7 + 1 / np.log2(3)
    assert ndcg(ranked, gain="exponential")[0] == pytest.approx((1 + 7 / np.log2(3)) / ideal, abs=1e-15)


@pytest.mark.parametrize(("gain", "grade"), [("exponential", 2000), ("linear", 1.7e308)])
def test_gains_beyond_all_numbers_are_refused_rather_than_called_undefined(gain, grade):
    ranked = match([["a", "b"]], [{"a": grade, "b": grade}])
    with pytest.raises(InputError, match=f"{gain} gains of the grade .* overflow; scale the grades down"):
        ndcg(ranked, gain=gain)
    assert ndcg(match([["a"]], [{"a": 1000}]), gain="exponential")[0] == 1.0
