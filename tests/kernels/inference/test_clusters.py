"""Few and unequal clusters: CR2, Bell-McCaffrey, coverage on both sides, interval and p-value as one."""

from functools import cache

import numpy as np
import pytest
from scipy import stats

from kernels.inference.cr2 import cr2, t_interval
from thresher.kernels.inference import Target, compare, estimate
from thresher.kernels.inference.clusters import bell_mccaffrey, equal_clusters
from thresher.kernels.inference.few_differ import adjusted_clusters
from thresher.kernels.inference.independent_tests import contrast_spread
from thresher.results import Mean, Measure, MetricResult, RatioOfSums, Signature, Statistics

UNEQUAL = {
    "12 clusters of 1 to 40": [1, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 40],
    "6 clusters of 2 to 60": [2, 4, 8, 16, 30, 60],
    "one of 200 beside 11 of 5": [200] + [5] * 11,
}
POOLED = RatioOfSums((("hits", 1.0),), (("tries", 1.0),))


@cache
def measure_within(low, high):
    return Measure(Signature.of("m", {}), Mean(), "score", bounds=(low, high))


def scored(scores, bounds=None):
    statistics = Statistics({"score": np.asarray(scores, float)})
    return Target(MetricResult([measure_within(*bounds or (-np.inf, np.inf))], statistics), "m")


def pooled(hits, tries):
    statistics = Statistics({"hits": np.asarray(hits, float), "tries": np.asarray(tries, float)})
    return Target(MetricResult([Measure(Signature.of("p", {}), POOLED, None)], statistics), "p")


def members(sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def effects(sizes, rng):
    """Normal items, half of whose variance is their cluster's."""
    cluster = members(sizes)
    return (rng.normal(size=len(sizes))[cluster] + rng.normal(size=len(cluster))) / np.sqrt(2)


@pytest.mark.parametrize("sizes", UNEQUAL.values(), ids=UNEQUAL)
def test_means_have_the_cr2_interval_of_the_matrix_definition(sizes):
    cluster, scores = members(sizes), effects(sizes, np.random.default_rng(3))
    value, error, degrees = cr2(np.ones((len(scores), 1)), scores, cluster, np.ones(1))
    report = estimate(scored(scores), clusters=cluster.tolist())
    assert report.standard_error == pytest.approx(error, rel=1e-10)
    assert bell_mccaffrey(np.array(sizes, float)) == pytest.approx(degrees, rel=1e-9)
    if report.interval.method == "cluster-t":
        assert (report.interval.low, report.interval.high) == pytest.approx(t_interval(value, error, degrees))


@pytest.mark.parametrize("sizes", UNEQUAL.values(), ids=UNEQUAL)
def test_paired_differences_have_it_too_with_p_value_and_narrow_interval(sizes):
    rng = np.random.default_rng(4)
    cluster, first = members(sizes), effects(sizes, rng)
    second = first + 0.3 + effects(sizes, rng)
    value, error, degrees = cr2(np.ones((len(first), 1)), second - first, cluster, np.ones(1))
    difference = compare(scored(first), scored(second), clusters=cluster.tolist(), margin=0.5)
    limits = difference.interval.low, difference.interval.high
    assert limits == pytest.approx(t_interval(value, error, degrees), rel=1e-9)
    assert difference.p_value == pytest.approx(2 * stats.t.sf(abs(value / error), degrees), rel=1e-9)
    narrow = difference.narrow.low, difference.narrow.high
    assert narrow == pytest.approx(t_interval(value, error, degrees, 0.9), rel=1e-9)
    assert (difference.test, difference.interval.method) == ("cluster-t", "cluster-t")


def test_a_slice_against_the_rest_has_the_cr2_of_its_contrast():
    rng = np.random.default_rng(5)
    sizes = UNEQUAL["12 clusters of 1 to 40"]
    cluster, scores = members(sizes), effects(sizes, rng)
    inside = rng.random(len(scores)) < 0.4
    design = np.column_stack([np.ones(len(scores)), inside])
    value, error, degrees = cr2(design, scores, cluster, np.array([0.0, 1.0]))
    spread = contrast_spread(scores, inside, cluster, len(sizes))
    assert (spread.value, spread.standard_error) == pytest.approx((value, error), rel=1e-9)
    assert spread.degrees == pytest.approx(degrees, rel=1e-9)


def test_a_slice_that_is_one_cluster_has_no_test():
    cluster = members([5, 5, 5])
    spread = contrast_spread(np.arange(15.0), cluster == 0, cluster, 3)
    assert not spread.known


@pytest.mark.parametrize("sizes", UNEQUAL.values(), ids=UNEQUAL)
def test_the_jackknife_of_a_ratio_that_is_a_mean_is_the_cr2_of_that_mean(sizes):
    cluster, rng = members(sizes), np.random.default_rng(6)
    hits = (effects(sizes, rng) < 0.5).astype(float)
    ratio = estimate(pooled(hits, np.ones(len(hits))), clusters=cluster.tolist())
    mean = estimate(scored(hits, (0, 1)), clusters=cluster.tolist())
    assert ratio.standard_error == pytest.approx(mean.standard_error, rel=1e-9)
    assert ratio.interval.method == "cluster-jackknife"


def test_clusters_of_equal_size_are_the_textbook_case():
    sizes = np.full(9, 4.0)
    assert bell_mccaffrey(sizes) == pytest.approx(8)
    assert equal_clusters(sizes) == pytest.approx(9)


def scores_of(kind, latent):
    """Scores, their bounds and their true mean: normal ones, five levels, or a rate."""
    if kind == "normal":
        return latent, None, 0.0
    if kind == "levels":
        below = np.array([0.05, 0.15, 0.35, 0.7])
        return 1 + (latent[:, None] > stats.norm.ppf(below)).sum(1), (1, 5), 1 + float((1 - below).sum())
    return (latent > stats.norm.ppf(0.15)).astype(float), (0, 1), 0.85


# 600 samples have a standard error of 0.9 points at 95 %: bounds lie 2 of them beyond what is promised.
@pytest.mark.simulation
@pytest.mark.parametrize("kind", ["normal", "levels", "rate"])
@pytest.mark.parametrize("sizes", UNEQUAL.values(), ids=UNEQUAL)
def test_intervals_of_unequal_clusters_hold_the_truth_neither_too_rarely_nor_too_often(sizes, kind):
    rng, cluster, held = np.random.default_rng(len(sizes)), members(sizes).tolist(), 0
    for _ in range(600):
        scores, bounds, truth = scores_of(kind, effects(sizes, rng))
        interval = estimate(scored(scores, bounds), clusters=cluster).interval
        held += interval.low <= truth <= interval.high
    most = 1.0 if len(sizes) == 12 and sizes[0] == 200 else 0.99  # one cluster: careful rather than wrong
    assert 0.915 <= held / 600 <= most


@pytest.mark.simulation
@pytest.mark.parametrize("sizes", UNEQUAL.values(), ids=UNEQUAL)
@pytest.mark.parametrize("shift", [0.0, 0.4])
def test_differences_over_unequal_clusters_hold_the_truth_and_call_few_equal_runs_different(sizes, shift):
    rng, cluster, held, called = np.random.default_rng(8), members(sizes).tolist(), 0, 0
    for _ in range(600):
        first = effects(sizes, rng)
        difference = compare(scored(first), scored(first + shift + effects(sizes, rng)), clusters=cluster)
        held += difference.interval.low <= shift <= difference.interval.high
        called += difference.p_value <= 0.05
    assert 0.92 <= held / 600 <= 0.99
    if not shift:
        assert 0.01 <= called / 600 <= 0.08


@pytest.mark.simulation
@pytest.mark.parametrize("sizes", [[10] * 8, [10] * 20, [2, 8] * 10, *UNEQUAL.values()])
def test_a_run_that_lost_one_cluster_in_a_dozen_is_not_called_certain(sizes):
    rng, cluster, held = np.random.default_rng(11), members(sizes), 0
    for _ in range(400):
        lost = (rng.random(len(sizes)) < 1 / 12)[cluster] & (rng.random(len(cluster)) < 0.7)
        difference = compare(
            scored(np.ones(len(cluster)), (0, 1)), scored(~lost, (0, 1)), clusters=cluster.tolist()
        )
        held += difference.interval.low <= -0.7 / 12 <= difference.interval.high
    assert held / 400 >= 0.93


def test_two_clusters_more_are_a_cr2_of_all_of_them():
    sizes, sums = np.array([3.0, 3, 3]), np.array([0.0, 0, -2])
    spread = adjusted_clusters(sums, sizes, reach=2 / 3)
    items = np.concatenate([np.full(3, mean) for mean in (0, 0, -2 / 3, 2 / 3, -2 / 3)])
    value, error, degrees = cr2(np.ones((15, 1)), items, members([3] * 5), np.ones(1))
    assert (spread.value, spread.standard_error) == pytest.approx((value, error))
    assert spread.degrees == pytest.approx(degrees) == pytest.approx(4)


@pytest.mark.parametrize("lost", [1, 36], ids=["one item", "three clusters"])
def test_a_difference_in_few_of_many_clusters_has_the_interval_of_two_clusters_more(lost):
    cluster, before, after = members([12] * 10), np.ones(120), np.ones(120)
    after[:lost] = 0
    difference = compare(scored(before), scored(after), clusters=cluster.tolist())
    sums = -np.bincount(cluster, before - after)
    spread = adjusted_clusters(sums, np.full(10, 12.0), reach=min(lost, 12) / 12)
    low, high = t_interval(spread.value, spread.standard_error, 11)
    assert (difference.interval.method, difference.difference) == (
        "cluster-adjusted",
        pytest.approx(-lost / 120),
    )
    assert (difference.interval.low, difference.interval.high) == pytest.approx((low, high), rel=1e-6)


def test_clusters_of_equal_means_do_not_narrow_an_interval():
    clusters = members([6, 6])
    first, second = np.ones(12), np.ones(12)
    second[[0, 6]] = 0
    alone = compare(scored(first, (0, 1)), scored(second, (0, 1)))
    together = compare(scored(first, (0, 1)), scored(second, (0, 1)), clusters=clusters.tolist())
    assert together.interval.low < alone.interval.low
    assert together.interval.high > alone.interval.high
    report = estimate(scored(second, (0, 1)), clusters=clusters.tolist()).interval
    assert report.high - report.low > 0.3
    ratio = estimate(pooled(second, np.ones(12)), clusters=clusters.tolist()).interval
    assert ratio.high - ratio.low > 0.3


def test_differences_that_only_rounding_tells_apart_are_equal_ones():
    first = np.linspace(0, 0.6, 12)
    difference = compare(scored(first), scored(first + 0.1), clusters=members([4] * 3).tolist())
    assert difference.p_value > 0.05


@pytest.mark.parametrize("grouped", [False, True], ids=["items", "clusters"])
def test_pooled_values_of_equal_runs_have_an_interval(grouped):
    tries = np.full(12, 3.0)
    runs = [pooled(np.full(12, 2.0), tries) for _ in range(2)]
    clusters = members([4] * 3).tolist() if grouped else None
    difference = compare(*runs, clusters=clusters, margin=0.001)
    assert difference.interval.low < -0.05 < 0.05 < difference.interval.high
    assert (difference.verdict.value, difference.p_value) == ("inconclusive", 1.0)


@pytest.mark.parametrize("grouped", [False, True], ids=["items", "clusters"])
def test_equal_scores_without_bounds_have_an_interval_from_their_range(grouped):
    scores = np.linspace(0, 5, 12)
    clusters = members([4] * 3).tolist() if grouped else None
    difference = compare(scored(scores), scored(scores), clusters=clusters, margin=0.01)
    assert difference.interval.low < -0.1 < 0.1 < difference.interval.high
    assert difference.verdict.value == "inconclusive"


def test_three_clusters_that_all_gained_the_same_prove_nothing():
    difference = compare(scored(np.zeros(15)), scored(np.full(15, 0.1)), clusters=members([5] * 3).tolist())
    assert difference.p_value > 0.05
    assert difference.interval.low < 0 < difference.interval.high


def random_pair(kind, items, rng):
    if kind == "rates":
        return [(rng.random(items) < rate).astype(float) for rate in rng.uniform(0.3, 0.95, 2)], (0, 1)
    if kind == "few differ":
        first = np.full(items, 0.5)
        return [first, first + 0.25 * (rng.random(items) < 0.1)], (0, 1)
    return [rng.normal(size=items), rng.normal(rng.uniform(-1, 1), 1, items)], None


@pytest.mark.parametrize("kind", ["rates", "few differ", "normal"])
@pytest.mark.parametrize("grouped", [False, True], ids=["items", "clusters"])
def test_interval_and_p_value_never_contradict_each_other(kind, grouped):
    rng, decided = np.random.default_rng(12), 0
    for _ in range(250):
        items = int(rng.integers(2, 60))
        (first, second), bounds = random_pair(kind, items, rng)
        clusters = rng.integers(0, max(2, items // 4), items).tolist() if grouped else None
        difference = compare(scored(first, bounds), scored(second, bounds), clusters=clusters)
        for level, interval in ((0.95, difference.interval), (0.9, difference.narrow)):
            if interval is None:
                continue
            excludes = interval.low > 0 or interval.high < 0
            assert excludes == (difference.p_value <= 1 - level + 1e-12)
            decided += excludes
    assert decided > 20


@pytest.mark.parametrize("grouped", [False, True], ids=["items", "clusters"])
def test_interval_and_p_value_of_a_pooled_value_never_contradict_each_other(grouped):
    rng, decided = np.random.default_rng(13), 0
    for _ in range(60):
        items = int(rng.integers(8, 60))
        tries = rng.integers(1, 6, items)
        runs = [pooled(rng.binomial(tries, quality), tries) for quality in rng.uniform(0.4, 0.9, 2)]
        clusters = (np.arange(items) // 3).tolist() if grouped else None
        difference = compare(*runs, clusters=clusters)
        excludes = difference.interval.low > 0 or difference.interval.high < 0
        assert excludes == (difference.p_value <= 0.05)
        decided += excludes
    assert decided > 5
