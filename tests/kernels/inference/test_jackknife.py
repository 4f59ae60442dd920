"""The jackknife of a mean is what the formulas for means give, its tails included."""

import math
from dataclasses import astuple, replace

import numpy as np
import pytest

from thresher.kernels.inference.jackknife import GROUPS, jackknife_groups, jackknife_spread
from thresher.kernels.inference.spread import mean_spread

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
