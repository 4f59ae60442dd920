import json
import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from thresher.errors import InputError
from thresher.kernels.inference import Target, Verdict, compare, corrected, verdict_sentence
from thresher.results import Measure, MetricResult, RatioOfSums, Signature, Statistics, recorded_result

POOLED = RatioOfSums((("overlap", 2.0),), (("predicted", 1.0), ("reference", 1.0)))


def scored(scores, **options):
    return Target(recorded_result("m", np.array(scores, dtype=float).tolist(), **options), "m")


def normal_pair(items, shift=0.0, seed=3):
    rng = np.random.default_rng(seed)
    first = rng.normal(size=items)
    return first, first + rng.normal(shift, 0.5, items)


def pooled(items, quality, seed):
    rng = np.random.default_rng(5)
    rows = {"predicted": rng.integers(1, 6, items), "reference": rng.integers(1, 6, items)}
    most = np.minimum(rows["predicted"], rows["reference"])
    rows["overlap"] = np.random.default_rng(seed).binomial(most, quality)
    return Target(MetricResult([Measure(Signature.of("f1", {}), POOLED, None)], Statistics(rows)), "f1")


def test_differences_without_bounds_are_compared_by_at_least_the_paired_t_test():
    first, second = normal_pair(80, 0.1)
    found = compare(scored(first), scored(second))
    peer = stats.ttest_rel(second, first)
    assert found.p_value == pytest.approx(peer.pvalue, rel=0.2)
    assert found.p_value >= peer.pvalue - 1e-12
    assert (found.interval.low, found.interval.high) == pytest.approx(peer.confidence_interval(), abs=0.01)
    gains = second - first
    assert found.effect == pytest.approx(gains.mean() / gains.std(ddof=1), abs=1e-12)
    assert (found.effect_kind, found.wins + found.losses, found.ties) == ("d_z", 80, 0)


def test_the_detectable_difference_is_what_power_analysis_says():
    first, second = normal_pair(100)
    found = compare(scored(first), scored(second))
    effect = TTestPower().solve_power(nobs=100, alpha=0.05, power=0.8)
    assert found.detectable == pytest.approx(effect * np.std(second - first, ddof=1), rel=1e-3)
    assert found.detectable == pytest.approx(2.8 * found.standard_error, rel=0.02)


def test_lower_is_better_where_the_measure_says_so():
    first, second = normal_pair(200, -0.4)
    lower = compare(scored(first, direction="lower"), scored(second, direction="lower"))
    higher = compare(scored(first), scored(second))
    assert (lower.verdict, higher.verdict) == (Verdict.BETTER, Verdict.WORSE)
    assert (lower.wins, lower.losses) == (higher.losses, higher.wins)
    assert lower.difference == higher.difference < 0


def test_runs_that_are_the_same_are_equivalent_only_within_a_given_margin():
    scores, bounds = np.random.default_rng(1).random(40), (0, 1)
    plain = compare(scored(scores, bounds=bounds), scored(scores, bounds=bounds))
    assert (plain.verdict, plain.margin, plain.difference) == (Verdict.INCONCLUSIVE, None, 0.0)
    assert plain.p_value == 1.0
    assert "no item differs" in verdict_sentence(plain)
    given = compare(scored(scores, bounds=bounds), scored(scores, bounds=bounds), margin=0.1)
    assert (given.verdict, given.margin) == (Verdict.EQUIVALENT, 0.1)
    assert json.dumps(plain.to_dict(), allow_nan=False)
    assert plain.to_dict()["margin"] is None


def test_a_margin_decides_about_equivalence():
    first, second = normal_pair(4000, 0.02, seed=8)
    sure = compare(scored(first), scored(second), margin=0.1)
    assert sure.verdict is Verdict.EQUIVALENT
    tight = compare(scored(first), scored(second), margin=0.01)
    assert tight.verdict in (Verdict.BETTER, Verdict.INCONCLUSIVE)
    narrow = stats.ttest_rel(second, first).confidence_interval(0.9)
    assert (sure.narrow.low, sure.narrow.high) == pytest.approx(narrow, abs=1e-3)
    with pytest.raises(InputError, match="positive difference"):
        compare(scored(first), scored(second), margin=0.0)


def test_a_comparison_of_nothing_is_inconclusive():
    found = compare(scored([None, 0.5]), scored([0.4, 0.6]))
    assert (found.items, found.interval, found.verdict) == (1, None, Verdict.INCONCLUSIVE)
    empty = compare(scored([None]), scored([1.0]))
    assert (empty.items, empty.verdict) == (0, Verdict.INCONCLUSIVE)
    assert json.dumps(empty.to_dict(), allow_nan=False)
    with pytest.raises(InputError, match="join the runs first"):
        compare(scored([1.0]), scored([1.0, 0.0]))


def test_holm_counts_all_comparisons_of_a_report():
    pairs = [normal_pair(100, shift, seed) for seed, shift in enumerate([0.13, 0.12, 0.0, 0.4])]
    found = corrected([compare(scored(first), scored(second)) for first, second in pairs])
    raw = [each.p_value for each in found]
    assert all(each.p_adjusted >= each.p_value for each in found)
    assert max(each.p_adjusted for each in found) <= 1
    assert found[int(np.argmin(raw))].p_adjusted == pytest.approx(min(1, 4 * min(raw)))


def test_pooled_values_are_compared_item_by_item():
    first, second = pooled(300, 0.5, 1), pooled(300, 0.65, 2)
    found = compare(first, second)
    assert (found.interval.method, found.verdict) == ("one-more", Verdict.BETTER)
    assert (found.wins, found.effect_kind) == (None, None)
    rng = np.random.default_rng(1)
    draws = rng.multinomial(300, np.full(300, 1 / 300), 2000).astype(float)
    values = [POOLED.many(target.result.statistics, draws) for target in (first, second)]
    assert found.standard_error == pytest.approx((values[1] - values[0]).std(), rel=0.1)
    assert compare(pooled(30, 0.5, 1), pooled(30, 0.5, 2)).p_value > 0.05


def test_item_scores_of_a_value_that_is_no_mean_of_them_count_wins_only():
    target = pooled(40, 0.5, 1)
    rows = {name: target.result.statistics.column(name) for name in ("predicted", "reference", "overlap")}
    measure = Measure(Signature.of("f1", {}), POOLED, "score")
    runs = [
        Target(MetricResult([measure], Statistics({**rows, "score": score})), "f1")
        for score in (np.zeros(40), np.ones(40))
    ]
    found = compare(*runs)
    assert (found.wins, found.difference, found.p_value) == (40, 0.0, 1.0)
    assert math.isnan(found.effect)


def test_repeats_are_averaged_before_the_runs_are_compared():
    first, second = normal_pair(60, 0.3)
    repeated = compare(scored(first), scored(second), repeats=np.arange(60) // 3)
    averaged = compare(*(scored(run.reshape(20, 3).mean(axis=1)) for run in (first, second)))
    assert (repeated.items, repeated.p_value) == (20, pytest.approx(averaged.p_value))
    assert repeated.interval.low == pytest.approx(averaged.interval.low)


@pytest.mark.parametrize(("second", "odds"), [([1, 1, 1, 0], math.inf), ([0, 0, 1, 0], math.nan)])
def test_odds_without_a_loss_are_infinite_and_without_a_difference_undefined(second, odds):
    comparison = compare(scored([0, 0, 1, 0] * 10), scored(second * 10))
    assert comparison.effect == pytest.approx(odds, nan_ok=True)
