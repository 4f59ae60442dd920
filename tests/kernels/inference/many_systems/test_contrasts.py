"""One family of contrasts: golden values, few units, equal systems, gaps, clusters, several measures."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thresher.errors import InputError
from thresher.kernels.inference import Target, compare
from thresher.kernels.inference.many_systems import (
    SystemScores,
    against,
    all_pairs,
    common_items,
    contrasts,
    contribution_tables,
    joint_contrasts,
    signs,
)
from thresher.kernels.inference.many_systems.contributions import adjusted_clusters
from thresher.results import Mean, Measure, MetricResult, RatioOfSums, Signature, Statistics

GOLDEN = json.loads((Path(__file__).parents[3] / "golden" / "statistics" / "many_systems.json").read_text())
EXACT = GOLDEN["sign_flip_max_t"]
CRITICAL = GOLDEN["critical_values_equal_correlation_infinite_df"]
POOLED = RatioOfSums((("hits", 1.0),), (("size", 1.0),))
TABLE = np.random.default_rng(5).normal(size=(40, 4))


def target(reduction, columns, status=None):
    measure = Measure(Signature.of("m", {}), reduction, None, bounds=(0.0, 1.0))
    return Target(MetricResult([measure], Statistics(columns), status), "m")


def means(items, systems=3, seed=1):
    rng = np.random.default_rng(seed)
    return [target(Mean(), {"score": rng.random(items)}) for _ in range(systems)]


def pooled(items, systems=3, seed=1):
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 9, items)
    return [target(POOLED, {"hits": rng.binomial(size, 0.6), "size": size}) for _ in range(systems)]


class Jump(RatioOfSums):
    kind = "jump_in_tests_of_contrasts"
    smooth = False


def test_all_sign_vectors_give_the_exact_distribution():
    made = contrasts(SystemScores.of_scores(EXACT["scores"]), all_pairs(4))
    assert (made.exact, made.draws, made.units, len(made)) == (True, 1024, 10, 6)
    assert made.estimate == pytest.approx(EXACT["difference"], abs=1e-12)
    assert np.abs(made.estimate / made.standard_error) == pytest.approx(EXACT["t"], abs=1e-12)
    assert made.p_adjusted == pytest.approx(EXACT["p_single_step_exact"], abs=1e-12)
    assert made.p_stepdown == pytest.approx(EXACT["p_step_down_exact"], abs=1e-12)
    assert made.critical == pytest.approx(EXACT["critical_95_exact"], abs=1e-12)
    half = EXACT["critical_95_exact"] * made.standard_error
    assert made.high - made.estimate == pytest.approx(half)
    assert made.estimate - made.low == pytest.approx(half)


@pytest.mark.parametrize("systems", [3, 8])
def test_many_normal_items_give_the_studentized_range(systems):
    table = np.random.default_rng(systems).normal(size=(700, systems))
    made = contrasts(SystemScores.of_scores(table), all_pairs(systems), draws=4000)
    golden = CRITICAL[str(systems)]
    assert not made.exact
    assert made.critical == pytest.approx(golden["all_pairs_two_sided"], abs=0.05)
    assert made.critical < golden["bonferroni_all_pairs"] or systems == 3


def test_memory_is_bounded_without_changing_the_numbers(monkeypatch):
    scores = SystemScores.of_scores(TABLE)
    whole = contrasts(scores, all_pairs(4), draws=500)
    monkeypatch.setattr(signs, "CELLS", 1000)
    blocks = list(signs.sign_blocks(40, 500, 1, 6))
    assert {len(block) for block in blocks} == {25}
    blocked = contrasts(scores, all_pairs(4), draws=500)
    assert blocked.p_adjusted.tolist() == whole.p_adjusted.tolist()
    assert (blocked.critical, blocked.draws) == (whole.critical, 500)


def test_the_seed_decides_the_signs():
    scores = SystemScores.of_scores(TABLE)
    first, again, other = (
        contrasts(scores, all_pairs(4), draws=500, seed=seed).critical for seed in (1, 1, 2)
    )
    assert first == again != other


def test_many_items_are_summed_in_random_groups(monkeypatch):
    table = np.random.default_rng(2).normal(size=(3000, 3))
    whole = contrasts(SystemScores.of_scores(table), all_pairs(3), draws=200)
    monkeypatch.setattr(contribution_tables, "MOST_UNITS", 2999)
    grouped = contrasts(SystemScores.of_scores(table), all_pairs(3), draws=200)
    assert (whole.units, grouped.units) == (3000, 2000)
    assert grouped.estimate == pytest.approx(whole.estimate, abs=1e-12)
    assert grouped.standard_error == pytest.approx(whole.standard_error, rel=0.06)
    clusters = np.arange(3000)
    clustered = contrasts(SystemScores.of_scores(table, clusters=clusters), all_pairs(3), draws=200)
    assert clustered.units == 2000
    assert clustered.standard_error == pytest.approx(whole.standard_error, rel=0.06)


def test_equal_systems_never_differ_and_do_not_narrow_the_others():
    table = np.column_stack([TABLE, TABLE[:, 0]])
    made = contrasts(SystemScores.of_scores(table), all_pairs(5))
    same = 3  # the pair of systems 1 and 5
    assert (made.estimate[same], made.p_raw[same], made.p_adjusted[same], made.p_stepdown[same]) == (
        0,
        1,
        1,
        1,
    )
    assert made.low[same] < 0 < made.high[same], "forty equal items do not show that the next one is equal"
    others = contrasts(SystemScores.of_scores(TABLE), all_pairs(4))
    assert made.critical == others.critical
    assert set(others.p_adjusted) <= set(made.p_adjusted)


@pytest.mark.parametrize(("items", "shown"), [(5, False), (30, True)])
def test_a_difference_that_all_items_share_needs_several_items(items, shown):
    table = np.random.default_rng(1).random((items, 2)) / 2
    table[:, 1] = table[:, 0] + 0.125
    made = contrasts(SystemScores.of_scores(table), all_pairs(2))
    assert made.estimate[0] == pytest.approx(0.125)
    assert (made.p_adjusted[0] <= 0.05) == (made.low[0] > 0) == shown
    assert made.p_raw[0] >= 2.0 ** (1 - items)


def test_scores_that_are_all_the_same_number_give_an_honest_interval():
    flat = np.full((12, 3), 0.3)
    made = contrasts(SystemScores.of_scores(flat, bounds=(0.0, 1.0)), all_pairs(3))
    assert made.p_adjusted.tolist() == [1.0] * 3
    assert (made.low < -0.1).all()
    assert np.isnan(made.critical)
    unbounded = contrasts(SystemScores.of_scores(flat), all_pairs(3))
    assert unbounded.low.tolist() == unbounded.high.tolist() == [0.0] * 3


@pytest.mark.parametrize("items", [0, 1, 2])
def test_one_or_two_items_give_no_interval(items):
    made = contrasts(SystemScores.of_scores(TABLE[:items]), all_pairs(4))
    for values in (made.standard_error, made.p_raw, made.p_adjusted, made.p_stepdown, made.low, made.high):
        assert np.isnan(values).all()
    assert np.isnan(made.critical)


def test_three_items_are_tested_no_sharper_than_by_a_t_test():
    made = contrasts(SystemScores.of_scores(TABLE[:3]), all_pairs(4))
    assert made.critical >= 4.3026
    assert (made.p_adjusted > 0.05).all()


def test_each_contrast_uses_the_items_that_its_systems_scored():
    table = TABLE.copy()
    table[:30, 0] = np.nan
    table[10:, 1] = np.nan
    table[35:, 2] = np.nan
    made = contrasts(SystemScores.of_scores(table), all_pairs(4))
    assert np.isnan(made.estimate[0])
    assert np.isnan([made.low[0], made.p_raw[0], made.p_adjusted[0], made.p_stepdown[0]]).all()
    for row, pair, rows in ((1, (0, 2), slice(30, 35)), (5, (2, 3), slice(0, 35)), (4, (1, 3), slice(0, 10))):
        gains = TABLE[rows, pair[1]] - TABLE[rows, pair[0]]
        assert made.estimate[row] == pytest.approx(gains.mean())
        assert made.standard_error[row] == pytest.approx(gains.std(ddof=1) / np.sqrt(len(gains)))


@pytest.mark.parametrize("items", [40, 150])
@pytest.mark.parametrize("grouping", ["none", "clusters", "repeats"])
@pytest.mark.parametrize("draw", [means, pooled])
def test_differences_and_errors_are_those_of_two_systems(draw, grouping, items):
    rng = np.random.default_rng(items)
    labels = {
        "none": {},
        "clusters": {"clusters": rng.integers(0, 12, items).tolist()},
        "repeats": {"repeats": (np.arange(items) // 2).tolist()},
    }[grouping]
    targets = draw(items)
    made = contrasts(SystemScores.of(targets, **labels), all_pairs(3), draws=200)
    pairs = [compare(targets[a], targets[b], **labels) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert made.estimate == pytest.approx([pair.difference for pair in pairs], abs=1e-12)
    assert made.standard_error == pytest.approx([pair.standard_error for pair in pairs])
    if grouping == "clusters":
        assert made.units == 12


@pytest.mark.parametrize("grouping", [{}, {"clusters": (np.arange(60) // 4).tolist()}])
def test_values_that_jump_have_the_error_of_bootstrap_draws(grouping):
    jump = Jump((("hits", 1.0),), (("size", 1.0),))
    targets = [target(jump, dict(drawn.result.statistics.items())) for drawn in pooled(60)]
    made = contrasts(SystemScores.of(targets, **grouping), all_pairs(3), draws=200)
    unit = np.array(grouping.get("clusters", np.arange(60)))
    picks = np.random.default_rng(1).integers(0, unit.max() + 1, (4000, unit.max() + 1))
    values = []
    for drawn in targets:
        hits, size = (np.bincount(unit, drawn.result.statistics.column(name)) for name in ("hits", "size"))
        values.append(hits[picks].sum(axis=1) / size[picks].sum(axis=1))
    expected = [(values[b] - values[a]).std() for a, b in ((0, 1), (0, 2), (1, 2))]
    assert made.standard_error == pytest.approx(expected, rel=0.3)
    half = (made.high - made.estimate) / made.standard_error
    assert half == pytest.approx(half[0])
    assert half[0] > made.critical * 1.001, "200 draws have no more degrees of freedom than their items"
    scores = SystemScores.of(targets)
    with pytest.raises(InputError, match="m, m do not have the same independent units; compare"):
        joint_contrasts([(scores, all_pairs(3)), (scores, all_pairs(3))])


def test_values_that_are_not_means_use_the_items_that_all_systems_scored():
    complete, partial = pooled(60), pooled(60)
    masks = [np.arange(60) % 10 != system for system in range(3)]
    partial = [replace(part, counted=mask) for part, mask in zip(partial, masks, strict=True)]
    common = np.logical_and.reduce(masks)
    made = SystemScores.of(partial)
    expected = SystemScores.of([part.over(common) for part in complete])
    assert made.common == common.sum() == 42
    assert made.values.tolist() == expected.values.tolist()
    pair = compare(complete[0].over(common), complete[1].over(common))
    row = contrasts(made, all_pairs(3), draws=200)
    assert row.standard_error[0] == pytest.approx(pair.standard_error)


def test_an_interval_excludes_zero_exactly_if_the_adjusted_p_value_is_small():
    rng, decided = np.random.default_rng(8), 0
    for number in range(60):
        items, systems = int(rng.integers(3, 40)), int(rng.integers(2, 6))
        table = rng.normal(size=(items, systems)) + rng.normal(size=systems) / 2
        table = (table > 0.5).astype(float) if number % 3 == 0 else table
        table[rng.random(table.shape) < (0, 0, 0.3)[number % 3]] = np.nan
        clusters = rng.integers(0, 8, items).tolist() if number % 2 else None
        made = contrasts(SystemScores.of_scores(table, clusters=clusters), all_pairs(systems), draws=999)
        known = ~np.isnan(made.low)
        apart = ((made.low > 0) | (made.high < 0))[known]
        assert apart.tolist() == (made.p_adjusted[known] <= 0.05).tolist()
        assert (made.p_raw[known] <= made.p_adjusted[known]).all()
        assert (made.p_stepdown[known] <= made.p_adjusted[known]).all()
        decided += apart.sum()
    assert decided > 20


def test_intervals_stay_within_the_bounds_of_differences():
    table = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    made = contrasts(SystemScores.of_scores(table, bounds=(0.0, 1.0)), all_pairs(2))
    assert (made.low[0], made.high[0]) == (-1.0, 1.0)
    own = contrasts(SystemScores.of_scores(table, bounds=(0.0, 1.0)), np.eye(2))
    assert own.high.max() > 1.0, "the value of a system is not a difference"


def test_rates_with_few_misses_have_the_error_of_two_more_items():
    table = np.ones((50, 2))
    table[:3, 1] = 0
    first, second = (target(Mean(), {"score": column}) for column in table.T)
    made = contrasts(SystemScores.of([first, second]), all_pairs(2))
    gains, losses = 1 / 52, 4 / 52  # Bonett and Price: one more won and one more lost
    error = np.sqrt((gains + losses - (losses - gains) ** 2) / 52)
    assert made.standard_error[0] == pytest.approx(error)
    assert made.estimate[0] == pytest.approx(-0.06)
    assert made.low[0] < -0.12 < made.high[0]


def test_few_clusters_that_differ_have_the_error_of_two_more_clusters():
    clusters = np.repeat(np.arange(20), 5)
    table = np.ones((100, 2))
    table[:4, 1] = 0
    first, second = (target(Mean(), {"score": column}) for column in table.T)
    made = contrasts(SystemScores.of([first, second], clusters=clusters.tolist()), all_pairs(2))
    sums = np.bincount(clusters, table[:, 1] - table[:, 0])
    spread = adjusted_clusters(sums, np.full(20, 5.0), reach=4 / 5)
    assert made.standard_error[0] == pytest.approx(spread.standard_error)


@pytest.mark.parametrize("seed", range(3))
def test_rates_in_clusters_have_the_error_of_two_systems(seed):
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, 12, 80).tolist()
    first, second = (target(Mean(), {"score": (rng.random(80) < 0.8).astype(float)}) for _ in range(2))
    pair = compare(first, second, clusters=clusters)
    made = contrasts(SystemScores.of([first, second], clusters=clusters), all_pairs(2), draws=99)
    assert made.standard_error[0] == pytest.approx(pair.standard_error)


def test_a_pair_with_three_common_items_does_not_widen_the_others():
    table = np.random.default_rng(1).normal(size=(60, 4))
    whole = contrasts(SystemScores.of_scores(table), all_pairs(4), draws=2000)
    table[:57, 0] = np.nan
    made = contrasts(SystemScores.of_scores(table), all_pairs(4), draws=2000)
    half = (made.high - made.estimate) / made.standard_error
    assert half[3:] == pytest.approx(np.full(3, made.critical))
    assert made.critical < whole.critical + 0.1
    assert (half[:3] > 6).all(), "two degrees of freedom"


def test_no_common_item_gives_no_interval():
    table = TABLE.copy()
    table[:20, 0] = np.nan
    table[20:, 1] = np.nan
    none = common_items(SystemScores.of_scores(table))
    assert none.common == 0
    assert np.isnan(contrasts(none, all_pairs(4), draws=99).low).all()


def test_unequal_clusters_need_larger_statistics():
    clusters = np.repeat(np.arange(12), [200] + [5] * 11)
    table = np.random.default_rng(4).normal(size=(255, 3))
    made = contrasts(SystemScores.of_scores(table, clusters=clusters), all_pairs(3), draws=999)
    half = (made.high - made.estimate) / made.standard_error
    assert half == pytest.approx(half[0])
    assert half[0] > 2 * made.critical, "one cluster of 200 items leaves 1.6 degrees of freedom"
    equal = contrasts(SystemScores.of_scores(table, clusters=np.arange(255) % 12), all_pairs(3), draws=999)
    assert (equal.high - equal.estimate) / equal.standard_error == pytest.approx(equal.critical, rel=0.01)


def test_a_cluster_that_holds_all_items_gives_no_interval():
    made = contrasts(SystemScores.of_scores(TABLE, clusters=["a"] * 40), all_pairs(4))
    assert np.isnan(made.low).all()


def test_measures_of_one_family_get_the_same_signs():
    scores = SystemScores.of_scores(TABLE)
    once = contrasts(scores, all_pairs(4), draws=999)
    twice = joint_contrasts([(scores, all_pairs(4)), (scores, all_pairs(4))], draws=999)
    assert twice.critical == once.critical
    assert twice.p_adjusted.tolist() == once.p_adjusted.tolist() * 2
    other = SystemScores.of_scores(np.random.default_rng(9).normal(size=(40, 4)))
    joint = joint_contrasts([(scores, all_pairs(4)), (other, against(4, 0))], draws=999)
    assert len(joint) == 9
    assert joint.critical > once.critical
    assert joint.estimate[6:].tolist() == contrasts(other, against(4, 0), draws=99).estimate.tolist()


def test_a_mean_and_another_value_share_the_groups_of_the_jackknife():
    mean, other = SystemScores.of(means(150)), SystemScores.of(pooled(150))
    joint = joint_contrasts([(mean, all_pairs(3)), (other, all_pairs(3))], draws=200)
    assert joint.units == 100
    alone = contrasts(other, all_pairs(3), draws=200)
    assert joint.standard_error[3:].tolist() == alone.standard_error.tolist()
    assert joint.estimate[:3] == pytest.approx(contrasts(mean, all_pairs(3), draws=200).estimate)


def test_measures_of_other_items_are_no_family():
    with pytest.raises(InputError, match="do not have the same independent units"):
        joint_contrasts(
            [(SystemScores.of(means(30)), all_pairs(3)), (SystemScores.of(means(31)), all_pairs(3))]
        )


@pytest.mark.parametrize("matrix", [np.eye(3), np.zeros((0, 4)), [1.0]])
def test_contrasts_need_one_column_per_system(matrix):
    with pytest.raises(InputError, match="give one column for each of 4 systems"):
        contrasts(SystemScores.of_scores(TABLE), matrix)


def test_the_level_is_a_share():
    with pytest.raises(InputError, match="level=95"):
        contrasts(SystemScores.of_scores(TABLE), all_pairs(4), level=95)
    wide, narrow = (
        contrasts(SystemScores.of_scores(TABLE), all_pairs(4), level=level) for level in (0.99, 0.9)
    )
    assert (wide.low < narrow.low).all()
    assert wide.p_adjusted.tolist() == narrow.p_adjusted.tolist()
