import json
import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from thresher.errors import InputError
from thresher.kernels.inference import Target, estimate, interval
from thresher.kernels.inference.interval import checked_level
from thresher.kernels.inference.spread import tails
from thresher.kernels.inference.units import Units
from thresher.results import (
    Measure,
    MetricResult,
    Quantile,
    RatioOfSums,
    Reduction,
    Signature,
    Statistics,
    Status,
    recorded_result,
)

POOLED = RatioOfSums((("overlap", 2.0),), (("predicted", 1.0), ("reference", 1.0)))


def scored(scores, bounds=None):
    return Target(recorded_result("m", np.array(scores, dtype=float).tolist(), bounds=bounds), "m")


def pooled(items, seed=1):
    rng = np.random.default_rng(seed)
    rows = {"predicted": rng.integers(1, 6, items), "reference": rng.integers(1, 6, items)}
    rows["overlap"] = rng.binomial(np.minimum(rows["predicted"], rows["reference"]), 0.7)
    return Target(MetricResult([Measure(Signature.of("f1", {}), POOLED, None)], Statistics(rows)), "f1")


class Slow(Reduction):
    """The pooled F1 once more, as a reduction that knows of no sums."""

    kind = "test_pooled_without_sums"

    def __call__(self, statistics, weights):
        return POOLED(statistics, weights)


def test_unbounded_means_have_at_least_the_t_interval_of_scipy():
    rng = np.random.default_rng(11)
    scores = rng.normal(3, 2, 17)
    found = estimate(scored(scores))
    expected = stats.t.interval(0.95, 16, scores.mean(), stats.sem(scores))
    assert found.interval.method == "t-hall"
    assert found.interval.high - found.interval.low < 1.2 * (expected[1] - expected[0])
    assert found.interval.low <= expected[0] + 1e-9
    assert found.interval.high >= expected[1] - 1e-9


def test_skewed_means_reach_farther_on_the_side_of_the_long_tail():
    scores = np.append(np.ones(40), [2, 3, 5, 20])
    found = estimate(scored(scores))
    plain = stats.t.interval(0.95, 43, scores.mean(), stats.sem(scores))
    assert found.interval.high > plain[1] + 0.2
    assert plain[0] - 0.05 < found.interval.low <= plain[0]


def test_a_lower_bound_alone_ends_the_interval():
    assert estimate(scored([0.0, 0.0, 0.4, 3.0], (0, None))).interval.low == 0


@pytest.mark.parametrize("items", [2, 10, 60])
def test_equal_scores_without_bounds_have_no_interval(items):
    found = estimate(scored([0.7] * items))
    assert (found.interval, found.standard_error) == (None, 0.0)
    assert estimate(scored([0.7] * items, (0, 1))).interval is not None
    assert estimate(scored([0.1 * 3, 0.3] * 20)).interval is None, "rounding is no spread"


def test_fewer_than_fifteen_units_decide_nothing_without_bounds():
    scores = np.random.default_rng(1).normal(size=30)
    assert not estimate(scored(scores[:14])).decides
    assert estimate(scored(scores[:15])).decides
    assert estimate(scored(scores[:14] / 9 + 0.5, (0, 1))).decides
    assert not estimate(scored(scores), clusters=np.arange(30) // 3).decides


def test_means_of_equal_clusters_have_the_standard_error_of_statsmodels():
    rng = np.random.default_rng(11)
    clusters = np.arange(144) % 12
    scores = rng.normal(size=144) + rng.normal(size=12)[clusters]
    found = estimate(scored(scores), clusters=[f"document {number}" for number in clusters])
    # Without statsmodels' correction for coefficients: with equal clusters CR2 is C / (C - 1) times its sum.
    groups = {"groups": clusters, "use_correction": False}
    fit = sm.OLS(scores, np.ones(144)).fit(cov_type="cluster", cov_kwds=groups, use_t=True)
    error = fit.bse[0] * math.sqrt(12 / 11)
    assert found.standard_error == pytest.approx(error, abs=1e-12)
    half = stats.t.ppf(0.975, 11) * error
    limits = scores.mean() - half, scores.mean() + half
    assert (found.interval.low, found.interval.high) == pytest.approx(limits, rel=0.1)
    assert (found.interval.method, found.clusters) == ("t-hall", 12)


def test_clustered_rates_are_wider_and_perfect_ones_count_clusters():
    rng = np.random.default_rng(11)
    hits = np.repeat(rng.random(20) < 0.8, 10)
    clusters = np.repeat(np.arange(20), 10)
    alone, clustered = estimate(scored(hits)), estimate(scored(hits), clusters=clusters)
    assert clustered.interval.high - clustered.interval.low > 2.5 * (alone.interval.high - alone.interval.low)
    perfect = estimate(scored(np.ones(200)), clusters=clusters)
    assert perfect.interval.low == pytest.approx(estimate(scored(np.ones(20))).interval.low)


def test_one_large_cluster_and_many_small_ones_are_few():
    clusters = [0] * 91 + list(range(1, 10))
    perfect = estimate(scored(np.ones(100)), clusters=clusters)
    assert perfect.interval.low < 0.3


def test_a_cluster_that_fails_whole_is_not_excluded_by_many_good_items():
    clusters = np.repeat(np.arange(12), 20)
    scores = np.random.default_rng(3).beta(57, 3, 240)
    together, apart = estimate(scored(scores, (0, 1)), clusters=clusters), estimate(scored(scores, (0, 1)))
    assert apart.interval.low > 0.93
    assert together.interval.low < 0.8


def test_repeats_are_averaged_before_anything_else():
    scores = [0.0, 1.0, 0.5, 0.5, 0.5, 1.0]
    found = estimate(scored(scores), repeats=["a", "a", "b", "b", "b", "c"])
    by_hand = estimate(scored([0.5, 0.5, 1.0]))
    assert (found.value, found.items) == (pytest.approx(2 / 3), 3)
    assert found.interval == by_hand.interval


def test_repeats_and_clusters_together():
    rng = np.random.default_rng(11)
    scores = rng.random(24)
    repeats, clusters = np.repeat(np.arange(12), 2), np.repeat(np.arange(4), 6)
    found = estimate(scored(scores), repeats=repeats, clusters=clusters)
    by_hand = estimate(scored(scores.reshape(12, 2).mean(axis=1)), clusters=np.repeat(np.arange(4), 3))
    assert found.standard_error == pytest.approx(by_hand.standard_error, abs=1e-15)


def test_repeats_of_a_pooled_value_share_one_vote():
    target = pooled(6)
    found = estimate(target, repeats=[0, 0, 1, 1, 1, 2])
    weights = [1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 3, 1]
    assert found.value == pytest.approx(target.result.value("f1", weights))
    assert found.items == 3


def test_leaving_out_by_sums_equals_leaving_out_by_weights():
    target = pooled(250)
    slow = Target(
        MetricResult([Measure(Signature.of("f1", {}), Slow(), None)], target.result.statistics), "f1"
    )
    for options in ({}, {"clusters": np.arange(250) // 7}, {"repeats": np.arange(250) // 2}):
        fast_found, slow_found = estimate(target, **options), estimate(slow, **options)
        assert fast_found.standard_error == pytest.approx(slow_found.standard_error, rel=1e-9)
        assert fast_found.interval.method == slow_found.interval.method


def test_the_jackknife_of_a_mean_is_its_standard_error():
    rng = np.random.default_rng(11)
    scores = rng.random(80)
    mean_in_disguise = RatioOfSums((("score", 1.0),), (("one", 1.0),))
    statistics = Statistics({"score": scores, "one": np.ones(80)})
    target = Target(MetricResult([Measure(Signature.of("m", {}), mean_in_disguise)], statistics), "m")
    found, plain = estimate(target), estimate(scored(scores, (0, 1)))
    assert found.standard_error == pytest.approx(stats.sem(scores), rel=1e-9)
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (plain.interval.low, plain.interval.high), abs=1e-9
    )


def quantile_of(scores, level):
    measure = Measure(Signature.of("q", {}), Quantile("score", level), None, bounds=(0, math.inf))
    return Target(MetricResult([measure], Statistics({"score": scores})), "q")


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_quantiles_have_the_limits_of_order_statistics(level):
    scores = np.sort(np.random.default_rng(7).lognormal(0, 1, 80))
    interval = estimate(quantile_of(scores, level)).interval
    # As many below as a binomial variable, with mid-p; draws know a tail of 2.5 % to about 1 %.
    below = (stats.binom.cdf(np.arange(80), 80, level) + stats.binom.cdf(np.arange(1, 81), 80, level)) / 2
    nearest = [scores[np.searchsorted(below, tail)] for tail in (0.013, 0.037, 0.963, 0.987)]
    assert interval.method == "draws"
    assert nearest[0] <= interval.low <= nearest[1]
    assert nearest[2] <= interval.high <= nearest[3]


def test_too_few_items_exclude_no_high_quantile():
    found = estimate(quantile_of(np.random.default_rng(8).lognormal(0, 1, 12), 0.95))
    assert found.interval.high == math.inf
    assert found.to_dict()["interval"]["high"] is None
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_a_value_that_hangs_on_one_item_has_no_interval():
    statistics = Statistics({"overlap": [1, 0, 0], "predicted": [1, 0, 0], "reference": [1, 0, 0]})
    target = Target(MetricResult([Measure(Signature.of("f1", {}), POOLED, None)], statistics), "f1")
    found = estimate(target)
    assert (found.value, found.interval) == (1.0, None)
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_fewer_than_two_units_have_no_interval():
    assert estimate(scored([None, 0.3])).interval is None
    assert estimate(scored([0.3, 0.4]), clusters=["a", "a"]).interval is None
    assert math.isnan(estimate(scored([])).value)
    assert interval(recorded_result("m", [None])) is None


def test_unscored_items_change_nothing():
    rng = np.random.default_rng(11)
    scores = rng.random(30).tolist()
    clusters = list(range(15)) * 2
    with_gaps = [entry for score in scores for entry in (score, None)]
    doubled = [each for each in clusters for _ in range(2)]
    assert estimate(scored(with_gaps), clusters=doubled) == estimate(scored(scores), clusters=clusters)


def test_vectors_that_do_not_fit_are_told():
    with pytest.raises(InputError, match="clusters has 2 entries for 3 items"):
        estimate(scored([0, 1, 1]), clusters=["a", "b"])
    with pytest.raises(InputError, match="clusters: entry 1 is None"):
        estimate(scored([0, 1, 1]), clusters=["a", None, "b"])
    with pytest.raises(InputError, match="row 0 repeats an item of another cluster"):
        estimate(scored([0, 1, 1]), clusters=["a", "b", "b"], repeats=["y", "x", "y"])


def test_a_missing_cluster_does_not_matter_where_there_is_no_score():
    assert estimate(scored([0, None, 1]), clusters=["a", None, "b"]).clusters == 2


@given(st.integers(2, 300), st.integers(0, 5))
def test_units_add_up(items, seed):
    rng = np.random.default_rng(seed)
    mask, repeats = rng.random(items) < 0.7, rng.integers(0, 20, items)
    units = Units.of(mask, None, repeats)
    assert units.weights.sum() == pytest.approx(units.items)
    assert (units.weights[~mask] == 0).all()


def test_a_pooled_rate_is_bounded_even_where_all_is_right():
    ones = np.ones(12)
    statistics = Statistics({"overlap": ones, "predicted": ones, "reference": ones})
    result = MetricResult([Measure(Signature.of("f1", {}), POOLED, None)], statistics, [Status.SCORED] * 12)
    found = estimate(Target(result, "f1"))
    assert found.interval.high == 1.0
    assert 0.6 < found.interval.low < 0.8


def test_tails_are_those_of_scipy_and_0_without_spread():
    deviations = np.array([-3.0, -1, 0, 1, 1, 2])
    assert tails(deviations) == pytest.approx((stats.kurtosis(deviations), stats.skew(deviations)))
    assert tails(np.zeros(3)) == tails(np.zeros(0)) == (0.0, 0.0)


@pytest.mark.parametrize("level", [0.51, 0.9, np.float64(0.999)])
def test_levels_that_can_be_used(level):
    assert checked_level(level) == level
    assert estimate(scored([1.0, 2, 4]), level=checked_level(level)).interval.level == level


@pytest.mark.parametrize("level", [0.5, 1, 1.5, 0, "0.9", None])
def test_levels_that_cannot_be_used(level):
    with pytest.raises(InputError) as error:
        checked_level(level)
    assert str(error.value) == f"level={level!r} must be a share between 0.5 and 1; give e.g. 0.95"
