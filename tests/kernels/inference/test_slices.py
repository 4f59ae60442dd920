import json
import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from kernels.inference.cr2 import cr2
from thresher.errors import InputError
from thresher.kernels.inference import Target, masks_of, slices
from thresher.results import Measure, MetricResult, RatioOfSums, Signature, Statistics, recorded_result

LANGUAGE = np.random.default_rng(21).choice(["de", "en", "fr"], 300)


def scored(scores, **options):
    return Target(recorded_result("m", np.array(scores, dtype=float).tolist(), **options), "m")


def test_rates_of_slices_are_tested_by_fishers_exact_test():
    rng = np.random.default_rng(21)
    hits = rng.random(300) < np.where(LANGUAGE == "fr", 0.6, 0.85)
    found = {each.name: each for each in slices(scored(hits), masks_of(LANGUAGE.tolist()))}
    for name, part in found.items():
        inside = name == LANGUAGE
        table = [[hits[side].sum(), (~hits[side]).sum()] for side in (inside, ~inside)]
        assert part.p_value == pytest.approx(stats.fisher_exact(table).pvalue, abs=1e-9)
        assert (part.test, part.estimate.interval.method) == ("fisher", "wilson")
        assert part.rest == hits[~inside].mean()
    raw = [part.p_value for part in found.values()]
    adjusted = [part.p_adjusted for part in found.values()]
    assert adjusted == pytest.approx(multipletests(raw, method="fdr_bh")[1], abs=1e-12)


def test_means_of_slices_are_tested_by_welch_as_in_scipy():
    rng = np.random.default_rng(21)
    scores = rng.normal(np.where(LANGUAGE == "de", -0.5, 0), 1)
    found = slices(scored(scores), masks_of(LANGUAGE.tolist()), correction="holm")
    assert found[0].name == "de"
    for part in found:
        inside = part.name == LANGUAGE
        peer = stats.ttest_ind(scores[inside], scores[~inside], equal_var=False)
        assert part.p_value == pytest.approx(peer.pvalue, abs=1e-12)
        assert part.difference == pytest.approx(scores[inside].mean() - scores[~inside].mean())
    raw = [part.p_value for part in found]
    assert [part.p_adjusted for part in found] == pytest.approx(multipletests(raw, method="holm")[1])


def test_clusters_may_lie_across_slices():
    rng = np.random.default_rng(21)
    clusters = np.arange(300) // 10
    scores = rng.normal(size=300) + rng.normal(size=30)[clusters]
    inside = LANGUAGE == "en"
    (part,) = slices(scored(scores), {"en": inside}, clusters=clusters)
    design = np.column_stack([np.ones(300), inside])
    value, error, degrees = cr2(design, scores, clusters, np.array([0.0, 1.0]))
    assert part.p_value == pytest.approx(2 * stats.t.sf(abs(value / error), degrees), abs=1e-9)
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
    assert (worst.name, worst.test, worst.estimate.interval.method) == ("fr", "jackknife", "jackknife")
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
