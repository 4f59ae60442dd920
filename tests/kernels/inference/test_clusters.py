"""Few and unequal clusters: CR2, Bell-McCaffrey, coverage, and clusters that fail as a whole."""

from functools import cache

import numpy as np
import pytest
from scipy import stats

from kernels.inference.cr2 import cr2, t_interval
from thresher.kernels.inference import Target, compare, estimate
from thresher.kernels.inference.clusters import bell_mccaffrey
from thresher.kernels.inference.many_systems.contributions import adjusted_clusters
from thresher.kernels.inference.slices import contrast_spread
from thresher.kernels.inference.spread import FEWEST_FOR_VERDICTS
from thresher.results import Mean, Measure, MetricResult, RatioOfSums, Signature, Statistics

UNEQUAL = {
    "12 clusters of 1 to 40": [1, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 40],
    "6 clusters of 2 to 60": [2, 4, 8, 16, 30, 60],
    "one of 200 beside 11 of 5": [200] + [5] * 11,
    "30 clusters of 1 to 60": np.linspace(1, 60, 30).astype(int).tolist(),
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
def test_means_and_differences_have_the_cr2_error_of_the_matrix_definition(sizes):
    rng = np.random.default_rng(3)
    cluster, first = members(sizes), effects(sizes, rng)
    second = first + 0.3 + effects(sizes, rng)
    difference = compare(scored(first), scored(second), clusters=cluster.tolist())
    for scores, found in (
        (second, estimate(scored(second), clusters=cluster.tolist())),
        (second - first, difference),
    ):
        value, error, degrees = cr2(np.ones((len(scores), 1)), scores, cluster, np.ones(1))
        low, high = t_interval(value, error, degrees)
        assert found.standard_error == pytest.approx(max(error, stats.sem(scores)), rel=1e-10)
        assert bell_mccaffrey(np.array(sizes, float)) == pytest.approx(degrees, rel=1e-9)
        assert found.interval.low <= low + 1e-9
        assert found.interval.high >= high - 1e-9
    assert np.isnan(difference.p_value) == (len(sizes) < FEWEST_FOR_VERDICTS)


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
    limits = [(found.interval.low, found.interval.high) for found in (ratio, mean)]
    assert limits[0] == pytest.approx(limits[1], abs=1e-9)


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
def test_intervals_of_unequal_clusters_hold_the_truth(sizes, kind):
    rng, cluster, held = np.random.default_rng(len(sizes)), members(sizes).tolist(), 0
    for _ in range(600):
        scores, bounds, truth = scores_of(kind, effects(sizes, rng))
        interval = estimate(scored(scores, bounds), clusters=cluster).interval
        held += interval.low <= truth <= interval.high
    # Few clusters, or one that counts for most, are careful rather than wrong.
    assert 0.915 <= held / 600 <= (0.985 if len(sizes) >= FEWEST_FOR_VERDICTS else 1)


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
    decides = len(sizes) >= FEWEST_FOR_VERDICTS
    assert 0.92 <= held / 600 <= (0.99 if decides else 1)
    if not shift:
        assert 0.01 * decides <= called / 600 <= 0.08


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


@pytest.mark.parametrize("grouped", [False, True], ids=["items", "clusters"])
def test_pooled_values_of_equal_runs_have_an_interval(grouped):
    tries = np.full(12, 3.0)
    runs = [pooled(np.full(12, 2.0), tries) for _ in range(2)]
    clusters = members([4] * 3).tolist() if grouped else None
    difference = compare(*runs, clusters=clusters, margin=0.001)
    assert difference.interval.low < -0.05 < 0.05 < difference.interval.high
    assert (difference.verdict.value, difference.p_value) == ("inconclusive", 1.0)


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
