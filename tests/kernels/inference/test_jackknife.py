"""The jackknife of a mean is what the formulas for means give, its tails included."""

import math
from dataclasses import astuple, replace

import numpy as np
import pytest

from thresher.kernels.inference import Target, estimate
from thresher.kernels.inference.jackknife import GROUPS, jackknife_groups, jackknife_spread, label_spread
from thresher.kernels.inference.spread import FEWEST, Spread, mean_spread
from thresher.results import Measure, MetricResult, RatioOfSums, Signature, Statistics

SCORES = np.append(np.random.default_rng(11).random(20), [3.0, 9.0])


def test_without_clusters_it_has_the_error_the_degrees_and_the_tails_of_the_mean():
    without = (SCORES.sum() - SCORES) / (len(SCORES) - 1)
    spread = jackknife_spread(SCORES.mean(), without)
    assert astuple(replace(spread, units=0)) == pytest.approx(astuple(replace(mean_spread(SCORES), units=0)))
    assert spread.number == len(SCORES)
    assert spread.kurtosis > 5
    assert spread.skewness > 2


def test_with_clusters_it_has_the_error_the_degrees_and_the_tails_of_the_clustered_mean():
    cluster = np.repeat([0, 1, 2, 3, 4], [2, 3, 5, 4, 8])
    sizes = np.bincount(cluster).astype(float)
    sums = np.bincount(cluster, SCORES)
    without = (SCORES.sum() - sums) / (len(SCORES) - sizes)
    spread, expected = jackknife_spread(SCORES.mean(), without, sizes), mean_spread(SCORES, cluster, 5)
    assert spread.standard_error == pytest.approx(expected.standard_error)
    assert spread.degrees == pytest.approx(expected.degrees)
    assert (spread.kurtosis, spread.skewness) == pytest.approx((expected.kurtosis, expected.skewness))
    assert spread.kurtosis != 0 != spread.skewness


def test_up_to_a_hundred_units_are_left_out_one_by_one():
    group, groups = jackknife_groups(GROUPS)
    assert (group.tolist(), groups) == (list(range(GROUPS)), GROUPS)
    group, groups = jackknife_groups(GROUPS + 50, seed=3)
    assert (np.bincount(group).tolist(), groups) == ([2] * 50 + [1] * 50, GROUPS)
    assert group.tolist() == jackknife_groups(GROUPS + 50, seed=3)[0].tolist()
    assert group.tolist() != jackknife_groups(GROUPS + 50, seed=4)[0].tolist()


@pytest.mark.parametrize("without", [[0.5], [0.5, math.nan, 0.7]])
def test_an_error_that_hangs_on_one_unit_is_unknown(without):
    spread = jackknife_spread(0.6, np.array(without))
    assert (spread.value, spread.degrees) == (0.6, len(without) - 1)
    assert math.isnan(spread.standard_error)


@pytest.mark.parametrize(("sizes", "degrees"), [(None, 1), (np.ones(2), 1.0)])
def test_a_value_that_no_unit_changes_has_no_error(sizes, degrees):
    spread = jackknife_spread(0.6, np.full(2, 0.6), sizes)
    assert (spread.value, spread.standard_error, spread.number) == (0.6, 0.0, 2)
    assert spread.degrees == pytest.approx(degrees)
    assert jackknife_spread(1.0, np.array([2.0, 0.0])).standard_error == 1.0


def test_units_of_clusters_are_their_number_and_not_their_degrees_of_freedom():
    sizes = np.array([1.0, 2.0, 30.0])
    spread = jackknife_spread(0.6, np.array([0.5, 0.6, 0.8]), sizes)
    assert spread.number == 3
    assert spread.degrees < 2


@pytest.mark.parametrize(("changed", "added"), [(True, 0.0), (False, 1.0)])
def test_labels_that_no_group_changes_add_the_variance_of_a_rate(changed, added):
    values, objects = np.array([0.5, 0.9, math.nan]), np.array([20.0, 6.0, 0.0])
    without = np.column_stack([np.linspace(0.4, 0.6, 5), np.full(5, 0.9), np.full(5, math.nan)])
    without[0, 1] += 0.1 * changed
    spread = Spread(0.7, 0.2, 4, kurtosis=3.0)
    rate = (6 * 0.9 + 2) / 10
    variance = 0.2**2 + added * rate * (1 - rate) / 10 / 2**2
    widened = label_spread(spread, values, objects, without)
    assert widened.standard_error == pytest.approx(math.sqrt(variance))
    assert widened.kurtosis == pytest.approx(3.0 * (0.2**2 / variance) ** 2)


def test_a_single_label_without_spread_has_the_variance_of_a_rate_alone():
    spread = Spread(0.5, 0.0, 4, kurtosis=3.0)
    rate = (4 * 0.5 + 2) / 8
    widened = label_spread(spread, np.array([0.5]), np.array([4.0]), np.full((5, 1), 0.5))
    assert (widened.standard_error, widened.kurtosis) == (
        pytest.approx(math.sqrt(rate * (1 - rate) / 8)),
        0.0,
    )
    unchanged = label_spread(spread, np.array([0.5]), np.array([4.0]), np.array([[0.4]]))
    assert (unchanged.standard_error, unchanged.kurtosis) == (0.0, 3.0)


@pytest.mark.parametrize("draws", [1, 2])
def test_two_bootstrap_draws_are_enough_for_a_standard_error(draws):
    statistics = Statistics({"hits": np.arange(8.0), "all": np.full(8, 8.0)})
    ratio = RatioOfSums((("hits", 1.0),), (("all", 1.0),))
    result = MetricResult([Measure(Signature.of("rate", {}), ratio)], statistics)
    estimated = estimate(Target(result, "rate"), method="bootstrap", draws=draws)
    assert math.isnan(estimated.standard_error) is (draws < FEWEST)
