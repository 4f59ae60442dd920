"""Intervals of single systems."""

import numpy as np
import pytest
from scipy import stats

from thresher.kernels.inference import Target, estimate
from thresher.kernels.inference.many_systems import SystemScores, adjusted_means, value_intervals
from thresher.kernels.inference.spread import mean_spread
from thresher.results import recorded_result

TABLE = np.random.default_rng(3).normal(size=(30, 2))
CLUSTERS = (np.arange(30) // 3).tolist()


@pytest.mark.parametrize("clusters", [None, CLUSTERS])
def test_values_without_bounds_have_t_intervals(clusters):
    made = value_intervals(adjusted_means(SystemScores.of_scores(TABLE, clusters=clusters)), level=0.9)
    for column, interval in zip(TABLE.T, made, strict=True):
        cluster = None if clusters is None else np.array(clusters)
        spread = mean_spread(column, cluster, 0 if cluster is None else cluster.max() + 1)
        half = stats.t.ppf(0.95, spread.degrees) * spread.standard_error
        assert (interval.low, interval.high) == pytest.approx((spread.value - half, spread.value + half))
        assert (interval.method, interval.level) == ("t", 0.9)


def test_values_within_bounds_stay_there():
    rates = np.ones((30, 2))
    rates[:2, 1] = 0
    made = value_intervals(adjusted_means(SystemScores.of_scores(rates, bounds=(0.0, 1.0))))
    assert all(0 < interval.low < interval.high <= 1 for interval in made)
    assert made[0].high == 1


def test_two_items_have_none():
    assert value_intervals(SystemScores.of_scores(TABLE[:2])) == [None, None]


def test_scores_that_are_all_equal_are_treated_as_other_values():
    rates = np.ones((30, 2))
    rates[:10, 1] = 0
    scores = SystemScores.of_scores(rates, bounds=(0.0, 1.0))
    for column, interval in zip(rates.T, value_intervals(scores), strict=True):
        expected = estimate(Target(recorded_result("m", column.tolist(), bounds=(0, 1)), "m")).interval
        assert interval.low == pytest.approx(expected.low, abs=0.02)
        assert interval.high == pytest.approx(expected.high, abs=0.02)
