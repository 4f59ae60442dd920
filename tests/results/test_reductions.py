import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InputError
from thresher.results import Mean, Quantile, RatioOfSums, Reduction, Statistics

POOLED_F1 = RatioOfSums((("overlap", 2.0),), (("predicted", 1.0), ("reference", 1.0)))
counts = st.lists(st.tuples(*[st.integers(0, 20)] * 3), min_size=1, max_size=30)


def statistics(rows):
    return Statistics(dict(zip(("overlap", "predicted", "reference"), np.array(rows).T, strict=True)))


def test_mean_is_the_weighted_mean():
    scores = Statistics({"score": [0.0, 1.0, 0.5]})
    assert Mean()(scores, np.array([1.0, 2.0, 1.0])) == 0.625


def test_nothing_to_divide_by_is_not_a_number():
    assert np.isnan(Mean()(Statistics({"score": [1.0]}), np.zeros(1)))
    assert np.isnan(POOLED_F1(statistics([(0, 0, 0)]), np.ones(1)))


def test_a_sum_keeps_the_digits_that_people_add_up():
    scores = Statistics({"score": [0.378064, 0.534964, 0.216058, 0.778642]})
    assert Mean()(scores, np.ones(4)) == 0.476932


@given(counts, st.randoms(use_true_random=False))
def test_many_draws_equal_one_by_one(rows, random):
    table = statistics(rows)
    weights = np.array([[random.randint(0, 3) for _ in rows] for _ in range(4)], dtype=float)
    one_by_one = np.array([POOLED_F1(table, row) for row in weights])
    np.testing.assert_allclose(POOLED_F1.many(table, weights), one_by_one, rtol=1e-12)


@given(counts)
def test_a_mask_is_the_value_of_the_items_it_keeps(rows):
    table, mask = statistics(rows), np.arange(len(rows)) % 2 == 0
    kept = POOLED_F1(table.take(mask), np.ones(mask.sum()))
    np.testing.assert_allclose(POOLED_F1(table, mask.astype(float)), kept, rtol=1e-12)


@pytest.mark.parametrize("reduction", [Mean(), Mean("f1"), POOLED_F1, Quantile("seconds", 0.95)])
def test_reductions_survive_files(reduction):
    assert Reduction.from_dict(reduction.to_dict()) == reduction


def test_an_unknown_reduction_says_what_to_do():
    with pytest.raises(InputError, match="import the module that defines it"):
        Reduction.from_dict({"kind": "harmonic_mean_of_nothing"})


def test_two_reductions_cannot_share_a_name():
    with pytest.raises(TypeError, match="two reductions are called 'mean'"):
        type("Other", (Mean,), {"kind": "mean", "__module__": __name__})


def test_a_reduction_that_files_could_not_name_is_refused():
    nameless = type("Nameless", (Mean,), {"__module__": __name__})()
    with pytest.raises(InputError, match="the reduction Nameless has no `kind`; set one"):
        nameless.to_dict()
    plain = type("Plain", (Mean,), {"kind": "plain_one", "__module__": __name__})()
    with pytest.raises(InputError, match="Plain is not a dataclass; decorate it with @dataclass"):
        plain.to_dict()


def test_a_statistic_that_does_not_exist_is_named_with_those_that_do():
    with pytest.raises(KeyError, match="no statistic is called 'score'; there are words"):
        Mean()(Statistics({"words": [1.0]}), np.ones(1))


@given(st.lists(st.floats(0, 100), min_size=1, max_size=30), st.sampled_from([0.05, 0.25, 0.5, 0.9, 0.95]))
def test_quantiles_of_equal_weights_are_those_of_numpy(values, level):
    expected = np.quantile(values, level, method="averaged_inverted_cdf")
    actual = Quantile("score", level)(Statistics({"score": values}), np.ones(len(values)))
    np.testing.assert_allclose(actual, expected, rtol=1e-12)


def test_a_weight_of_two_is_a_value_that_occurs_twice():
    statistics = Statistics({"score": [3.0, 1.0, 2.0, 9.0]})
    weights = np.array([[2.0, 1.0, 0.0, 1.0], [1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(Quantile().many(statistics, weights), [3.0, 2.0, np.nan])
    assert np.isnan(Quantile()(Statistics({"score": []}), np.ones(0)))
