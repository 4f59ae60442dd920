"""Paired differences: reach, seeds and names of the procedures."""

import numpy as np
import pytest

from thresher.kernels.inference import Target, compare
from thresher.kernels.inference.jackknife import jackknife_groups, jackknife_spread
from thresher.kernels.inference.statistic import unit_statistic
from thresher.kernels.inference.units import Units
from thresher.results import Measure, MetricResult, RatioOfSums, Signature, Statistics, recorded_result

ACCURACY = RatioOfSums((("correct", 1.0),), (("total", 1.0),))


def scored(scores, bounds):
    return Target(recorded_result("m", np.array(scores, float).tolist(), bounds=bounds), "m")


def pooled(correct, total):
    rows = Statistics({"correct": np.asarray(correct), "total": np.asarray(total)})
    measure = Measure(Signature.of("accuracy", {}), ACCURACY, None, bounds=(0.0, 1.0))
    return Target(MetricResult([measure], rows), "accuracy")


@pytest.mark.parametrize("bounds", [None, (0, 1)])
def test_rates_differ_by_1_at_most_whatever_the_bounds(bounds):
    comparison = compare(scored([0.0] * 4 + [1.0], bounds), scored([1.0] * 5, bounds))
    assert comparison.interval.high == 1.0
    assert compare(scored([1.0] * 5, bounds), scored([0.0] * 5, bounds)).interval.low == -1.0


def test_the_seed_draws_the_groups_of_the_jackknife():
    rng = np.random.default_rng(0)
    total = rng.integers(1, 9, 150)
    runs = [pooled(rng.binomial(total, rate), total) for rate in (0.5, 0.6)]
    units = Units.of(runs[0].mask, None, None)
    for seed in (1, 2):
        group, groups = jackknife_groups(150, seed)
        without = [unit_statistic(run, units).leaving_out(group, groups) for run in runs]
        spread = jackknife_spread(0.1, without[1] - without[0])
        assert compare(*runs, seed=seed).standard_error == spread.standard_error
    assert compare(*runs, seed=1).standard_error != compare(*runs, seed=2).standard_error


@pytest.mark.parametrize(
    ("clusters", "method"), [(None, "adjusted"), (np.repeat(range(10), 6), "cluster-adjusted")]
)
def test_values_that_no_unit_changes_get_an_adjusted_interval(clusters, method):
    first, second = (pooled(np.full(60, hits), np.full(60, 4)) for hits in (1, 2))
    comparison = compare(first, second, clusters=clusters)
    interval = comparison.interval
    assert (comparison.difference, interval.method) == (0.25, method)
    quantile = (interval.high - interval.low) / 2 / comparison.standard_error
    assert quantile == pytest.approx(1.96 if clusters is None else 2.20, abs=0.01)  # t of 10 + 2 clusters
