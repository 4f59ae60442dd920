import json
import math
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from thresher.errors import InputError
from thresher.kernels.inference import cohen_kappa, gwet_ac1, krippendorff_alpha
from thresher.kernels.inference.agreement import Agreement, contingency
from thresher.kernels.inference.spread import Spread

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "statistics" / "agreement.json").read_text())
CASES = [pytest.param(case, id=case["name"]) for case in GOLDEN["cases"]]


def test_a_coefficient_holds_what_it_was_built_from():
    agreement = Agreement.of("kappa", Spread(0.5, 0.1, 30), 31, 0.9, "delta")
    assert (agreement.coefficient, agreement.value, agreement.standard_error) == ("kappa", 0.5, 0.1)
    assert (agreement.interval.level, agreement.interval.method, agreement.items) == (0.9, "delta", 31)
    assert -1 < agreement.interval.low < 0.5 < agreement.interval.high < 1


@pytest.mark.parametrize("spread", [Spread(0.5, math.nan, 3), Spread(math.nan, 0.1, 3)])
def test_a_coefficient_without_value_or_error_has_no_interval(spread):
    assert Agreement.of("kappa", spread, 4, 0.95, "jackknife").interval is None


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_alpha_is_that_of_krippendorffs_package(case, metric):
    found = krippendorff_alpha(case["ratings"], metric)
    assert found.value == pytest.approx(case[metric], abs=1e-9)


@pytest.mark.parametrize("case", CASES[:4])
def test_ac1_is_that_of_irrcac(case):
    assert gwet_ac1(case["ratings"]).value == pytest.approx(case["gwet_ac1"], abs=1e-9)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_kappa_is_that_of_scikit_learn_with_the_error_of_statsmodels(weights):
    rng = np.random.default_rng(31)
    first = rng.integers(1, 6, 200)
    second = np.clip(first + rng.integers(-1, 2, 200), 1, 5)
    found = cohen_kappa(first.tolist(), second.tolist(), weights=weights)
    plain = None if weights == "none" else weights
    assert found.value == pytest.approx(cohen_kappa_score(first, second, weights=plain), abs=1e-12)
    peer = cohens_kappa(contingency(first.tolist(), second.tolist()), wt=plain)
    assert found.standard_error == pytest.approx(peer.std_kappa, abs=1e-12)
    assert [found.interval.low, found.interval.high] == pytest.approx(
        [peer.kappa_low, peer.kappa_upp], abs=0.012
    )


def test_the_order_of_categories_counts_for_weights():
    first, second = ["low", "mid", "high", "low"], ["low", "high", "high", "mid"]
    ordered = ["low", "mid", "high"]
    found = cohen_kappa(first, second, weights="linear", categories=ordered).value
    numbers = [[ordered.index(label) for label in rater] for rater in (first, second)]
    assert found == pytest.approx(cohen_kappa_score(*numbers, weights="linear"))
    with pytest.raises(InputError, match="'mid' is not one of the categories"):
        cohen_kappa(first, second, categories=["low", "high"])


def test_perfect_agreement_is_no_certainty_and_no_variety_is_no_agreement():
    labels = ["a", "b"] * 10
    for found in (
        cohen_kappa(labels, labels),
        gwet_ac1([labels, labels]),
        krippendorff_alpha([labels, labels]),
    ):
        assert (found.value, found.interval.high) == (1.0, 1.0)
        assert 0.5 < found.interval.low < 0.9
    same = ["a"] * 10
    for found in (cohen_kappa(same, same), gwet_ac1([same, same]), krippendorff_alpha([same, same])):
        assert np.isnan(found.value)
        assert found.interval is None
        assert json.dumps(found.to_dict(), allow_nan=False)


def test_ac1_does_not_collapse_where_one_label_rules():
    first, second = ["a"] * 95 + ["b"] * 5, ["a"] * 90 + ["b"] * 5 + ["a"] * 5
    assert cohen_kappa(first, second).value < 0
    assert gwet_ac1([first, second]).value > 0.85


def test_missing_ratings_pair_nothing():
    assert cohen_kappa(["a", None, "b"], ["a", "b", "b"]).items == 2
    assert krippendorff_alpha([[1.0, None, 2.0], [1.0, 2.0, None]], "interval").items == 1
    with pytest.raises(InputError, match="one per item"):
        cohen_kappa(["a"], ["a", "b"])
    with pytest.raises(InputError, match="use the nominal metric"):
        krippendorff_alpha([["x", "y"], ["x", "y"]], "interval")
    with pytest.raises(InputError, match="one per item"):
        gwet_ac1([["a"], []])


def test_the_seed_of_alpha_draws_the_groups_of_the_jackknife():
    rng = np.random.default_rng(3)
    truth = rng.normal(size=150)
    ratings = [truth + rng.normal(0, 0.5, 150) for _ in range(2)]
    errors = [krippendorff_alpha(ratings, "interval", seed=seed).standard_error for seed in (1, 1, 2)]
    assert errors[0] == errors[1] != errors[2]


@pytest.mark.simulation
def test_alpha_of_a_hundred_thousand_distinct_numbers_fits_into_memory():
    rng = np.random.default_rng(31)
    truth = rng.normal(size=20_000)
    ratings = [truth + rng.normal(0, 0.5, 20_000) for _ in range(3)]
    found = krippendorff_alpha(ratings, "interval")
    assert found.value == pytest.approx(1 / 1.25, abs=0.01)
    assert krippendorff_alpha(ratings, "ordinal").value == pytest.approx(0.79, abs=0.02)
    assert found.interval.low < 0.8 < found.interval.high
