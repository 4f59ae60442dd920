import numpy as np
import pytest
from scipy import stats

from thresher.kernels.inference import Target
from thresher.kernels.inference.resampling import bootstrap_values, draw_weights, percentile_interval
from thresher.kernels.inference.statistic import unit_statistic
from thresher.kernels.inference.units import Units
from thresher.results import Measure, MetricResult, RatioOfSums, Signature, Statistics, recorded_result

POOLED = RatioOfSums((("overlap", 2.0),), (("predicted", 1.0), ("reference", 1.0)))


def pooled(rows):
    columns = dict(zip(("overlap", "predicted", "reference"), np.array(rows).T, strict=True))
    return MetricResult([Measure(Signature.of("f1", {}), POOLED, None)], Statistics(columns))


def drawn(result, name, draws):
    target = Target(result, name)
    units = Units.of(target.mask)
    (values,) = bootstrap_values([unit_statistic(target, units)], units.size, draws)
    return values


def test_a_draw_is_a_count_of_every_item():
    blocks = list(draw_weights(items=3_000_000, draws=3, seed=1))
    assert len(blocks) > 1, "memory does not grow with draws x items"
    assert [block.sum() for block in blocks] == [3_000_000.0] * 3


def test_the_same_arguments_give_the_same_draws():
    first, again, other = (next(draw_weights(items=3_000, draws=6, seed=seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again, strict=True)
    assert (first != other).any()
    again[:] = 0.0  # a caller's own array
    np.testing.assert_array_equal(next(draw_weights(items=3_000, draws=6, seed=1)), first, strict=True)
    many = next(draw_weights(items=3_000, draws=700, seed=1))
    np.testing.assert_array_equal(many[:6], first, strict=True)  # not cached


def test_the_bootstrap_agrees_with_scipys():
    scores = np.random.default_rng(1).beta(2, 1, 80)
    values = drawn(recorded_result("m", scores.tolist()), "m", 20_000)
    ours = percentile_interval(values, 80)
    theirs = stats.bootstrap(
        (scores,), np.mean, n_resamples=20_000, method="percentile", random_state=2
    ).confidence_interval
    assert [ours.low, ours.high] == pytest.approx(list(theirs), abs=0.003)


def test_a_pooled_value_has_an_interval_without_code_of_its_own():
    rng = np.random.default_rng(3)
    rows = [(rng.integers(0, 5), 5, 5) for _ in range(60)]
    found = percentile_interval(drawn(pooled(rows), "f1", 1000), 60)
    assert found.low < pooled(rows).score < found.high
    by_hand = np.array(rows)
    picks = np.random.default_rng(4).integers(0, 60, (4000, 60))
    sums = by_hand[picks].sum(axis=1)
    limits = np.quantile(2 * sums[:, 0] / (sums[:, 1] + sums[:, 2]), [0.025, 0.975])
    assert [found.low, found.high] == pytest.approx(limits.tolist(), abs=0.02)


@pytest.mark.simulation
def test_drawing_counts_of_distinct_values_gives_the_distribution_of_drawing_items():
    rng = np.random.default_rng(5)
    scores = rng.choice([0.0, 0.5, 1.0], 2000, p=[0.2, 0.3, 0.5])
    few = drawn(recorded_result("m", scores.tolist()), "m", 4000)
    blurred = scores + rng.uniform(-1e-9, 1e-9, 2000)  # all distinct: items are drawn
    many = drawn(recorded_result("m", blurred.tolist()), "m", 4000)
    assert stats.ks_2samp(few, many).pvalue > 0.01
    assert few.std() == pytest.approx(scores.std() / np.sqrt(2000), rel=0.05)


@pytest.mark.simulation
def test_a_million_items_of_few_values_are_drawn_as_counts():
    scores = np.random.default_rng(6).integers(0, 5, 1_000_000) / 4
    values = drawn(recorded_result("m", scores), "m", 200)
    assert values.std() == pytest.approx(scores.std() / 1000, rel=0.2)


def test_unscored_items_are_in_no_draw():
    assert set(drawn(recorded_result("m", [1, None, 1, None]), "m", 50)) == {1.0}


def test_one_scored_item_has_no_interval():
    assert percentile_interval(np.ones(50), 1) is None
    assert percentile_interval(np.full(50, np.nan), 20) is None
