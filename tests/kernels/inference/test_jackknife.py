"""The jackknife of a mean is what the formulas for means give, its tails included."""

import math
from dataclasses import astuple, replace

import numpy as np
import pytest

from thresher.kernels.inference import Target, estimate
from thresher.kernels.inference.jackknife import jackknife_spread
from thresher.kernels.inference.spread import FEWEST, mean_spread
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


@pytest.mark.parametrize("draws", [1, 2])
def test_two_bootstrap_draws_are_enough_for_a_standard_error(draws):
    statistics = Statistics({"hits": np.arange(8.0), "all": np.full(8, 8.0)})
    ratio = RatioOfSums((("hits", 1.0),), (("all", 1.0),))
    result = MetricResult([Measure(Signature.of("rate", {}), ratio)], statistics)
    estimated = estimate(Target(result, "rate"), method="bootstrap", draws=draws)
    assert math.isnan(estimated.standard_error) is (draws < FEWEST)
