"""One rule for what a sample cannot show: golden values of its reference, and what holds for any scores."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats
from scipy.optimize import brentq

from thresher.kernels.inference import Target, Verdict, compare, estimate, prediction_powered_mean
from thresher.kernels.inference.missing import filled
from thresher.kernels.inference.moments import Moments
from thresher.kernels.inference.one_more import (
    OneMore,
    UnitSums,
    melded_clusters,
    melded_p_value,
    rate_limits,
    saddlepoint,
    tail,
)
from thresher.kernels.inference.spread import spread_of
from thresher.results import (
    Mean,
    Measure,
    MetricResult,
    Quantile,
    RatioOfSums,
    Signature,
    Statistics,
    recorded_result,
)

GOLDEN = Path(__file__).parents[2] / "golden/inference"
POOLED = RatioOfSums((("hits", 1.0),), (("tries", 1.0),))
FREE = (-math.inf, math.inf)


def cases(name):
    return json.loads((GOLDEN / f"{name}.json").read_text())["cases"]


def measured(reduction, bounds=FREE, **columns):
    statistics = Statistics({name: np.asarray(column, float) for name, column in columns.items()})
    item_score = "score" if isinstance(reduction, Mean) else None
    measure = Measure(Signature.of("m", {}), reduction, item_score, bounds=bounds)
    return Target(MetricResult([measure], statistics), "m")


def scored(scores, bounds=FREE):
    return measured(Mean(), bounds, score=scores)


def limits(target, level=0.95, clusters=None):
    interval = estimate(target, level=level, clusters=clusters).interval
    return interval.low, interval.high


def named(case):
    return f"{case.get('kind', 'scores')}-{len(case.get('scores', case.get('first', ())))}"


@pytest.mark.parametrize("case", cases("means"), ids=named)
def test_means_equal_the_golden_values(case):
    target = scored(case["scores"], tuple(case["bounds"]))
    assert estimate(target).value == pytest.approx(case["mean"], abs=1e-12)
    low, high = limits(target, case["level"], case["clusters"])
    assert (low, high) == pytest.approx((case["low"], case["high"]), abs=1e-9)


@pytest.mark.parametrize("case", cases("pairs"), ids=named)
def test_paired_differences_equal_the_golden_values(case):
    runs = [scored(case[side], tuple(case["bounds"])) for side in ("first", "second")]
    found = compare(*runs, margin=case["margin"])
    numbers = (
        found.difference,
        *(found.interval.low, found.interval.high),
        *(found.narrow.low, found.narrow.high),
        *(found.p_value, found.far_p_value),
    )
    expected = [case[name] for name in ("difference", "low", "high", "narrow_low", "narrow_high", "p_value")]
    # A family corrects the larger p-value: three moments may make it too small, never the saddlepoint.
    assert numbers == pytest.approx((*expected, max(case["p_value"], case["p_saddle"])), abs=1e-9)
    finer = {
        "equivalent": (Verdict.EQUIVALENT, Verdict.TOLERATED),
        "inconclusive": (Verdict.INCONCLUSIVE, Verdict.LIKELY_BETTER, Verdict.LIKELY_WORSE),
        "unchanged": (Verdict.INCONCLUSIVE, Verdict.EQUIVALENT),  # answers are unknown here
    }
    assert found.verdict in finer.get(case["verdict"], (case["verdict"],))


@pytest.mark.parametrize("case", cases("unbounded"), ids=named)
def test_values_without_bounds_equal_the_golden_values(case):
    found = estimate(scored(case["scores"]), level=case["level"]).interval
    if case["low"] is None:
        assert found is None
        return
    assert (found.low, found.high) == pytest.approx((case["low"], case["high"]), abs=1e-9)
    pair = compare(scored(np.zeros(len(case["scores"]))), scored(case["scores"]), level=case["level"])
    assert (pair.interval.low, pair.interval.high) == pytest.approx((case["low"], case["high"]), abs=1e-9)


@pytest.mark.parametrize("case", cases("slices"), ids=named)
def test_melded_p_values_equal_the_golden_values(case):
    scores, inside = np.array(case["scores"]), np.arange(len(case["scores"])) < case["inside"]
    bounds = tuple(case["bounds"])
    if case["clusters"] is None:
        groups = [UnitSums.of_items(Moments.of(scores[side])) for side in (inside, ~inside)]
        p_value = melded_p_value(*groups, bounds)
    else:
        code = np.unique(case["clusters"], return_inverse=True)[1]
        on_both = inside & np.isin(code, np.intersect1d(code[inside], code[~inside]))
        code = np.where(on_both, code.max() + 1, code)  # the reference's clusters are on one side each
        p_value = melded_clusters(scores, inside, code, bounds)
    assert p_value == pytest.approx(case["p_value"], abs=1e-9)


@pytest.mark.parametrize("case", cases("labels"), ids=lambda case: str(len(case["labels"])))
def test_corrected_means_equal_the_golden_values(case):
    scores = case["judge_labelled"] + case["judge_rest"]
    labels = case["labels"] + [math.nan] * len(case["judge_rest"])
    found = prediction_powered_mean(scores, labels, bounds=tuple(case["bounds"]))
    assert (found.tuning, found.value) == pytest.approx((case["tuning"], case["value"]), abs=1e-12)
    assert found.errors_seen == case["errors_seen"]
    assert (found.interval.low, found.interval.high) == pytest.approx((case["low"], case["high"]), abs=1e-9)


def test_tails_equal_the_golden_values():
    for case in cases("rest")["tail"]:
        z = np.array(case["z"])
        assert tail(z.sum(), (z**2).sum(), (z**3).sum()) == pytest.approx(case["value"], abs=1e-12)


def test_missing_scores_move_a_difference_as_in_the_golden_values():
    (case,) = cases("rest")["missing"]
    columns = [np.array(case[side], float) for side in ("first", "second")]
    lost = [np.isnan(column) for column in columns]
    runs = [Target(recorded_result("m", case[side], bounds=(0, 1)), "m") for side in ("first", "second")]
    assert compare(*runs).difference == pytest.approx(case["seen"], abs=1e-9)
    worst = compare(filled(runs[0], lost[0], good=True), filled(runs[1], lost[1], good=False))
    assert worst.difference == pytest.approx(case["worst"], abs=1e-9)


def test_tails_are_those_of_drawn_weights():
    rng = np.random.default_rng(1)
    for z in (rng.normal(0.1, 1, 12), np.append(rng.normal(0.15, 0.1, 20), -1), np.append(np.ones(5), -4)):
        drawn = float((rng.standard_exponential((200_000, len(z))) @ z <= 0).mean())
        assert tail(z.sum(), (z**2).sum(), (z**3).sum()) == pytest.approx(drawn, rel=0.15, abs=0.005)
        assert saddlepoint(z) == pytest.approx(drawn, rel=0.04, abs=0.002)


def mid_p(hits, items, level):
    """Clopper and Pearson's limits with mid-p, from beta distributions."""

    def below(rate):
        at_least = special.betainc(hits, items - hits + 1, rate) if hits else 1.0
        more = special.betainc(hits + 1, items - hits, rate) if hits < items else 0.0
        return (at_least + more) / 2

    alpha = (1 - level) / 2
    low = brentq(lambda rate: below(rate) - alpha, 0, 1) if hits else 0.0
    return low, brentq(lambda rate: below(rate) - 1 + alpha, 0, 1) if hits < items else 1.0


@pytest.mark.parametrize(("hits", "items"), [(0, 7), (3, 10), (19, 20), (98, 100), (100, 100), (400, 1000)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_rates_have_the_limits_of_clopper_and_pearson_with_mid_p(hits, items, level):
    expected = mid_p(hits, items, level)
    exact = dict(zip(("low", "high"), expected, strict=True))
    assert rate_limits(hits, items, level) == pytest.approx(
        expected, abs=0.15 / items
    )  # the gamma's accuracy
    for low, high in (
        rate_limits(hits, items, level),
        limits(scored(np.arange(items) < hits, (0, 1)), level),
    ):
        assert 0 <= low <= hits / items <= high <= 1
        assert (low == 0) == (exact["low"] == 0)
        assert (high == 1) == (exact["high"] == 1)
    if items == 1000:
        assert rate_limits(hits, items, level) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(("wins", "losses", "ties"), [(5, 0, 15), (7, 1, 13), (12, 3, 0), (40, 22, 900)])
def test_wins_and_losses_have_the_sign_test_with_mid_p(wins, losses, ties):
    first = np.repeat([0.0, 1.0, 1.0], [wins, losses, ties])
    second = np.repeat([1.0, 0.0, 1.0], [wins, losses, ties])
    found = compare(scored(first, (0, 1)), scored(second, (0, 1)))
    few, number = min(wins, losses), wins + losses
    expected = 2 * stats.binom.cdf(few, number, 0.5) - stats.binom.pmf(few, number, 0.5)
    assert found.p_value == pytest.approx(expected, rel=0.2)
    assert found.far_p_value == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("skewed", [False, True])
def test_many_items_have_the_interval_of_t_or_hall(skewed):
    scores = np.random.default_rng(2).beta(*((9, 1) if skewed else (4, 4)), 3000)
    expected = spread_of(Moments.of(scores)).limits(0.95)
    half = (expected[1] - expected[0]) / 2
    assert limits(scored(scores, (0, 1))) == pytest.approx(expected, abs=0.06 * half)


@pytest.mark.parametrize("items", [10, 100, 1000])
def test_equal_scores_leave_the_rule_of_three(items):
    low, high = limits(scored(np.ones(items), (0, 1)))
    assert high == 1
    assert 1 - low == pytest.approx(3 / items, rel=0.15)
    assert limits(scored(np.full(items, 0.7), (0, 1)))[0] == pytest.approx(0.7 * low, abs=0.2 / items)


def medians(*runs):
    return [measured(Quantile("score", 0.5), score=run) for run in runs]


def pooled(rng, items, qualities):
    tries = rng.integers(1, 6, items)
    return [measured(POOLED, (0, 1), hits=rng.binomial(tries, rate), tries=tries) for rate in qualities]


KINDS = {
    "rates": lambda rng, n, q: [scored(rng.random(n) < rate, (0, 1)) for rate in q],
    "nearly perfect": lambda rng, n, q: [
        scored(np.where(rng.random(n) < rate, 1, rng.random(n)), (0, 1)) for rate in q
    ],
    "few differ": lambda rng, n, q: [
        scored(50.0 + 25 * (rng.random(n) < share), (0, 100)) for share in (0, q[0])
    ],
    "normal": lambda rng, n, q: [scored(rng.normal(2 * rate, 1, n)) for rate in q],
    "skewed": lambda rng, n, q: [scored(rng.lognormal(2 * rate, 1, n)) for rate in q],
    "pooled": pooled,
    "medians": lambda rng, n, q: medians(*(rng.lognormal(2 * rate, 1, n) for rate in q)),
    "medians with ties": lambda rng, n, q: medians(
        *(rng.integers(k, k + 3, n) for k in (0, round(2 * q[0])))
    ),
}
"""Two runs of one kind; values that are not means and those that jump included."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("grouped", [False, True], ids=["items", "clusters"])
def test_interval_and_p_value_never_contradict_each_other_and_exchanging_runs_mirrors_them(kind, grouped):
    rng, decided = np.random.default_rng(12), 0
    for _ in range(40 if "medians" in kind else 80):
        items, level = int(rng.integers(2, 60)), float(rng.choice([0.8, 0.9, 0.95, 0.975, 0.99]))
        runs = KINDS[kind](rng, items, rng.uniform(0.3, 0.99, 2))
        clusters = rng.integers(0, max(2, items // 3), items).tolist() if grouped else None
        forth = compare(*runs, level=level, clusters=clusters)
        back = compare(*runs[::-1], level=level, clusters=clusters)
        assert back.p_value == pytest.approx(forth.p_value, nan_ok=True)
        mirrored = {"better": "worse", "likely better": "likely worse"}
        mirrored |= {other: verdict for verdict, other in mirrored.items()}
        assert back.verdict == mirrored.get(forth.verdict.value, forth.verdict.value)
        if forth.interval is None or math.isnan(forth.p_value):
            continue
        low, high = forth.interval.low, forth.interval.high
        assert (low, high) == pytest.approx((-back.interval.high, -back.interval.low))
        assert (forth.narrow.low, forth.narrow.high) == pytest.approx((-back.narrow.high, -back.narrow.low))
        assert low <= forth.narrow.low <= forth.narrow.high <= high
        excludes = low > 0 or high < 0
        assert excludes == (forth.p_value <= 1 - level + 1e-12)
        decided += excludes
    assert decided > 3


SCORES = st.lists(st.floats(0, 1), min_size=2, max_size=30)


@settings(deadline=None)
@given(SCORES, st.integers(1, 9))
def test_limits_hold_the_value_stay_within_bounds_and_widen_with_the_level(scores, clusters):
    target, groups = scored(scores, (0, 1)), [item % clusters for item in range(len(scores))]
    for grouped in (None, groups):
        if grouped is not None and len(set(grouped)) < 2:
            continue
        last = estimate(target).value, estimate(target).value
        for level in (0.6, 0.9, 0.95, 0.999):
            low, high = limits(target, level, grouped)
            assert 0 <= low <= last[0] + 1e-9
            assert last[1] - 1e-9 <= high <= 1
            last = low, high


@given(SCORES, st.sampled_from([(0, 100), (1, 5), (-3, -2), (0, 1e-6)]))
def test_limits_move_with_the_scale(scores, bounds):
    low, high = bounds
    expected = [low + (high - low) * end for end in limits(scored(scores, (0, 1)))]
    moved = low + (high - low) * np.array(scores)
    assert limits(scored(moved, bounds)) == pytest.approx(expected, abs=1e-9 * (high - low))
    turned = limits(scored(1 - np.array(scores), (0, 1)))
    assert limits(scored(scores, (0, 1))) == pytest.approx((1 - turned[1], 1 - turned[0]), abs=1e-9)


@given(SCORES, st.integers(2, 4))
def test_copies_of_items_as_clusters_change_nothing(scores, copies):
    clusters = np.repeat(np.arange(len(scores)), copies).tolist()
    copied = limits(scored(np.repeat(scores, copies), (0, 1)), clusters=clusters)
    assert copied == pytest.approx(limits(scored(scores, (0, 1))), abs=1e-9)


@given(SCORES, st.integers(1, 29))
def test_blocks_give_the_sums_of_the_whole(scores, at):
    scores = np.array(scores)
    merged = Moments.of(scores[:at]).merge(Moments.of(scores[at:]))
    rules = [OneMore(UnitSums.of_items(moments), (0.0, 1.0)) for moments in (Moments.of(scores), merged)]
    assert rules[0].limits(0.95) == pytest.approx(rules[1].limits(0.95), abs=1e-9)


def test_evidence_grows_with_the_mean_in_question():
    rng = np.random.default_rng(5)
    for kind in ("rates", "nearly perfect"):
        for items in (2, 9, 40):
            scores = KINDS[kind](rng, items, (0.9, 0.9))[0].result.statistics.column("score").astype(float)
            rule = OneMore(UnitSums.of_items(Moments.of(scores)), (0.0, 1.0))
            below = [rule.below(mean) for mean in np.linspace(0, 1, 101)]
            assert (np.diff(below) >= -1e-9).all()


def test_tiny_scores_have_limits():
    for size in (1e-80, 1e-150, 1e-170):
        low, high = limits(scored(np.array([1.0, 2, 3, 4]) * size, (0, 1)))
        assert 0 <= low <= 2.5 * size < high < 0.8


def test_what_moves_both_sides_of_clusters_cancels():
    rng = np.random.default_rng(3)
    cluster, inside = np.repeat(np.arange(100), 4), np.tile([True, True, False, False], 100)
    scores = np.clip(rng.beta(4, 2, 100)[cluster] - 0.05 * inside + rng.normal(0, 0.02, 400), 0, 1)
    together = melded_clusters(scores, inside, cluster, (0, 1))
    apart = melded_clusters(scores, inside, cluster + 100 * inside, (0, 1))
    assert together < 0.01
    assert apart > 0.05


@pytest.mark.parametrize("scale", [1, 100])
def test_far_p_values_are_those_of_the_saddlepoint_for_all_means(scale):
    rng = np.random.default_rng(4)
    first = rng.beta(4, 2, 60)
    runs = [
        scored(scale * run, (0, scale)) for run in (first, np.clip(first + rng.normal(0.15, 0.1, 60), 0, 1))
    ]
    found = compare(*runs)
    assert 0 < found.p_value < found.far_p_value < 1e-3
    assert found.effect > 1
