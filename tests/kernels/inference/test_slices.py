import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from kernels.inference.cr2 import cr2
from thresher.errors import InputError
from thresher.kernels.inference import Target, masks_of, slices
from thresher.kernels.inference.slices import shrunk, worse_groups
from thresher.results import (
    Measure,
    MetricResult,
    Quantile,
    RatioOfSums,
    Signature,
    Statistics,
    recorded_result,
)

LANGUAGE = np.random.default_rng(21).choice(["de", "en", "fr"], 300)


def latency_quantile(seconds):
    measure = Measure(Signature.of("latency_p95", {}), Quantile("seconds", 0.95), None, "lower")
    return MetricResult([measure], Statistics({"seconds": seconds}))


def scored(scores, **options):
    return Target(recorded_result("m", np.array(scores, dtype=float).tolist(), **options), "m")


def test_bounded_means_of_slices_are_tested_with_one_more_item_on_each_side():
    rng = np.random.default_rng(21)
    hits = rng.random(300) < np.where(LANGUAGE == "fr", 0.6, 0.85)
    found = {each.name: each for each in slices(scored(hits), masks_of(LANGUAGE.tolist()))}
    for name, part in found.items():
        inside = name == LANGUAGE
        table = [[hits[side].sum(), (~hits[side]).sum()] for side in (inside, ~inside)]
        exact = stats.fisher_exact(table).pvalue
        assert exact / 2 < part.p_value < exact * 1.05 + 1e-9  # mid-p is less than Fisher's
        assert (part.test, part.estimate.interval.method) == ("one-more", "one-more")
        assert part.rest == hits[~inside].mean()
    raw = [part.p_value for part in found.values()]
    adjusted = [part.p_adjusted for part in found.values()]
    assert adjusted == pytest.approx(multipletests(raw, method="holm")[1], abs=1e-12)


def test_means_without_bounds_are_tested_by_welch_and_by_permutation():
    rng = np.random.default_rng(21)
    scores = rng.normal(np.where(LANGUAGE == "de", -0.5, 0), 1)
    found = slices(scored(scores), masks_of(LANGUAGE.tolist()))
    assert found[0].name == "de"
    for part in found:
        inside = part.name == LANGUAGE
        peer = stats.ttest_ind(scores[inside], scores[~inside], equal_var=False)
        assert peer.pvalue - 1e-12 <= part.p_value < peer.pvalue * 1.5 + 0.02
        assert part.test == "t-hall"
        assert part.difference == pytest.approx(scores[inside].mean() - scores[~inside].mean())
    raw = [part.p_value for part in found]
    assert [part.p_adjusted for part in found] == pytest.approx(multipletests(raw, method="holm")[1])


NOTHING_DIFFERS = {
    "96 % perfect": lambda rng, n: np.where(rng.random(n) < 0.04, rng.random(n), 1.0),
    "94 % zeros": lambda rng, n: np.where(rng.random(n) < 0.06, rng.random(n), 0.0),
    "5 % failures": lambda rng, n: np.where(rng.random(n) < 0.05, 0.0, rng.beta(40, 3, n)),
    "rates": lambda rng, n: rng.random(n) < 0.9,
    "latency": lambda rng, n: np.exp(rng.normal(0, 1, n)),
}


@pytest.mark.simulation
@pytest.mark.parametrize("population", NOTHING_DIFFERS)
@pytest.mark.parametrize("size", [12, 30])
def test_slices_that_do_not_differ_are_hardly_ever_called_different(population, size):
    masks = {str(k): np.arange(400) // size == k for k in range(6)}
    options = {} if population == "latency" else {"bounds": (0.0, 1.0)}
    draws = [NOTHING_DIFFERS[population](np.random.default_rng(seed), 400) for seed in range(40)]
    wrong = sum(any(part.p_adjusted < 0.05 for part in slices(scored(x, **options), masks)) for x in draws)
    assert wrong <= 5  # 2 expected at 5 %


def test_a_slice_of_equal_scores_is_not_certain():
    scores = np.array([1.0] * 12 + [1.0] * 310 + [0.4] * 18)
    (part,) = slices(scored(scores, bounds=(0.0, 1.0)), {"a": np.arange(340) < 12})
    assert part.p_value > 0.2


def test_a_slice_that_is_worse_is_found():
    rng = np.random.default_rng(5)
    worse = np.arange(400) < 60
    masks = {"worse": worse, "other": (np.arange(400) >= 60) & (np.arange(400) < 120)}
    found = [
        slices(scored(rng.random(400) < np.where(worse, 0.65, 0.9), bounds=(0.0, 1.0)), masks)[0]
        for _ in range(20)
    ]
    assert sum(part.name == "worse" and part.p_adjusted < 0.05 for part in found) >= 17


def test_clusters_on_one_side_or_on_both():
    rng = np.random.default_rng(3)
    cluster, inside = np.repeat(np.arange(40), 10), np.tile(np.arange(10) < 5, 40)
    level = rng.beta(4, 2, 40)[cluster]
    scores = (rng.random(400) < np.clip(level - 0.15 * inside, 0, 1)).astype(float)
    whole = {"half of each cluster": inside, "whole clusters": cluster < 20}
    target = scored(scores, bounds=(0.0, 1.0))
    found = {part.name: part for part in slices(target, whole, clusters=cluster.tolist())}
    plain = {part.name: part for part in slices(target, whole)}
    assert {part.test for part in found.values()} == {"one-more"}
    # What moves whole clusters cancels where each has both sides, and counts fully where it has one.
    assert found["half of each cluster"].p_value < 0.05
    assert found["whole clusters"].p_value > plain["whole clusters"].p_value


def test_quantiles_of_slices_are_tested_by_draws():
    rng = np.random.default_rng(8)
    masks, wrong = {"a": np.arange(100) < 50}, 0
    for _ in range(60):
        result = latency_quantile(np.exp(rng.normal(0, 1, 100)))
        (part,) = slices(Target(result, "latency_p95"), masks)
        wrong += part.p_value < 0.05
    assert part.test == "draws"
    assert wrong <= 7  # the jackknife was wrong in 14 %


def test_clusters_may_lie_across_slices():
    rng = np.random.default_rng(21)
    clusters = np.arange(300) // 10
    scores = rng.normal(size=300) + rng.normal(size=30)[clusters]
    inside = LANGUAGE == "en"
    (part,) = slices(scored(scores), {"en": inside}, clusters=clusters)
    design = np.column_stack([np.ones(300), inside])
    value, error, degrees = cr2(design, scores, clusters, np.array([0.0, 1.0]))
    assert part.p_value == pytest.approx(2 * stats.t.sf(abs(value / error), degrees), abs=1e-9)
    assert part.test == "t-hall"
    assert part.estimate.clusters == 30


def test_worst_first_whichever_way_is_better():
    rng = np.random.default_rng(21)
    scores = np.where(LANGUAGE == "de", 0.9, np.where(LANGUAGE == "en", 0.5, 0.1)) + rng.normal(0, 0.01, 300)
    masks = masks_of(LANGUAGE.tolist())
    assert [part.name for part in slices(scored(scores), masks)] == ["fr", "en", "de"]
    assert [part.name for part in slices(scored(scores, direction="lower"), masks)] == ["de", "en", "fr"]


def test_pooled_values_have_slices_too():
    rng = np.random.default_rng(21)
    rows = {"predicted": np.full(300, 5), "reference": np.full(300, 5)}
    rows["overlap"] = rng.binomial(5, np.where(LANGUAGE == "fr", 0.5, 0.7))
    reduction = RatioOfSums((("overlap", 2.0),), (("predicted", 1.0), ("reference", 1.0)))
    result = MetricResult([Measure(Signature.of("f1", {}), reduction, None)], Statistics(rows))
    worst, *others = slices(Target(result, "f1"), masks_of(LANGUAGE.tolist()))
    assert (worst.name, worst.test, worst.estimate.interval.method) == ("fr", "one-more", "one-more")
    assert worst.p_adjusted < 0.001
    per_item = rows["overlap"] / 5
    peer = stats.ttest_ind(per_item[LANGUAGE == "fr"], per_item[LANGUAGE != "fr"], equal_var=False)
    assert math.log10(worst.p_value) == pytest.approx(math.log10(peer.pvalue), abs=3)
    assert len(others) == 2


def test_slices_without_items_say_nothing_and_come_last():
    target = scored([0.5, 0.7, None, 0.9])
    masks = {
        "empty": np.array([0, 0, 1, 0], bool),
        "all": np.ones(4, bool),
        "one": np.array([1, 0, 0, 0], bool),
    }
    found = slices(target, masks)
    assert [part.name for part in found] == ["one", "all", "empty"]
    assert all(math.isnan(part.p_value) for part in found)
    assert found[-1].estimate.items == 0
    assert json.dumps([part.to_dict() for part in found], allow_nan=False)
    with pytest.raises(InputError, match="slice x: 2 entries for 4 items"):
        slices(target, {"x": np.ones(2, bool)})


def test_values_are_shrunk_as_in_the_golden_values():
    file = Path(__file__).parents[2] / "golden/inference/rest.json"
    for case in json.loads(file.read_text())["cases"]["shrunk"]:
        assert shrunk(case["values"], case["errors"]) == pytest.approx(case["shrunk"], abs=1e-9)
    some = shrunk([0.5, math.nan, 0.7, 0.9], [0.1, 0.1, math.nan, 0.1])
    assert np.isnan(some).tolist() == [False, True, True, False]
    assert shrunk([0.5], [0.1]).tolist() == [0.5]
    assert np.isnan(shrunk([0.5, 0.5], [0.0, 0.0])).all()


@pytest.mark.simulation
@pytest.mark.parametrize("between", [0, 0.05])
def test_the_worst_slice_is_expected_where_it_is(between):
    seen, expected = [], []
    for seed in range(60):
        rng = np.random.default_rng([seed, 4])
        code, true = np.repeat(np.arange(12), 30), 0.8 + rng.normal(0, between, 12)
        scores = np.where(rng.random(360) < 0.05, 0, true[code] + rng.normal(0, 0.02, 360))
        parts = slices(scored(np.clip(scores, 0, 1), bounds=(0.0, 1.0)), masks_of(code.tolist()))
        worst = min(parts, key=lambda part: part.estimate.value)
        seen.append(worst.estimate.value - 0.95 * true[int(worst.name)])
        expected.append(worst.expected - 0.95 * true[int(worst.name)])
    assert np.mean(seen) < -0.02
    assert abs(np.mean(expected)) < 0.017


def test_slices_are_ordered_by_what_to_expect_of_them():
    scores = np.r_[np.arange(10) < 6, np.arange(400) < 248, np.arange(120) < 108]
    labels = ["few"] * 10 + ["many"] * 400 + ["good"] * 120
    parts = slices(scored(scores, bounds=(0.0, 1.0)), masks_of(labels))
    by_name = {part.name: part for part in parts}
    assert by_name["few"].estimate.value < by_name["many"].estimate.value
    assert by_name["few"].expected > by_name["many"].expected
    assert parts[0].name == "many"


def conditions(rng, items, groups):
    return rng.random((groups, items)) < rng.uniform(0.1, 0.5, (groups, 1))


def test_a_search_finds_the_worse_group_and_corrects_for_all():
    rng = np.random.default_rng(4)
    masks = conditions(rng, 400, 80)
    scores = np.where(masks[7], rng.random(400) < 0.6, rng.random(400) < 0.9).astype(float)
    p_values, sizes = worse_groups(scores, masks)
    assert p_values.argmin() == sizes.argmax() == 7
    assert p_values[7] < 0.01
    assert (p_values[p_values > p_values[7]] > 0.05).sum() > 60
    z = [(scores[mask].mean() - scores[~mask].mean()) for mask in masks]
    assert sizes[7] == pytest.approx(
        -z[7] / scores.std(ddof=1) / np.sqrt(1 / masks[7].sum() + 1 / (~masks[7]).sum()), rel=1e-4
    )
    alone = worse_groups(scores, masks[7:8])[0]
    assert alone[0] <= p_values[7]
    better, _ = worse_groups(-scores, masks)
    assert better[7] == 1.0
    same, none = worse_groups(np.ones(400), masks)
    assert (same == 1).all()
    assert (none == 0).all()


@pytest.mark.simulation
@pytest.mark.parametrize("kind", ["nearly perfect", "clusters"])
def test_a_search_of_unchanged_items_claims_a_group_in_five_percent(kind):
    claims = 0
    for seed in range(100):
        rng = np.random.default_rng([seed, 5])
        sizes = rng.integers(1, 13, 50)
        cluster = np.repeat(np.arange(50), sizes)
        if kind == "clusters":
            masks = conditions(rng, 50, 40)[:, cluster]
            scores = rng.normal(0, 1, 50)[cluster] + rng.normal(0, 1, len(cluster)) < 1
        else:
            cluster, masks = None, conditions(rng, 300, 40)
            scores = np.where(rng.random(300) < 0.04, rng.random(300), 1.0)
        claims += worse_groups(scores.astype(float), masks, cluster)[0].min() <= 0.05
    assert claims <= 12
