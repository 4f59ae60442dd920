import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as peer_mcnemar

from thresher.kernels.inference import Target
from thresher.kernels.inference.paired_tests import item_swap, mcnemar, sign_flip
from thresher.kernels.inference.units import Units
from thresher.results import recorded_result

GOLDEN = Path(__file__).parents[2] / "golden" / "statistics"


@pytest.mark.parametrize(("wins", "losses"), [(0, 1), (3, 0), (8, 3), (0, 40), (120, 95), (70_000, 69_000)])
def test_mid_p_is_the_exact_test_of_statsmodels_less_half_of_what_was_seen(wins, losses):
    exact = peer_mcnemar([[0, wins], [losses, 0]], exact=True).pvalue
    seen = stats.binom.pmf(wins, wins + losses, 0.5)
    assert mcnemar(wins, losses) == pytest.approx(exact - seen, abs=1e-9)


def test_equal_wins_and_losses_are_no_evidence():
    assert mcnemar(0, 0) == mcnemar(5, 5) == 1.0


@pytest.mark.parametrize("items", [4, 9, 13])
def test_all_sign_patterns_are_those_of_scipy(items):
    gains = np.random.default_rng(items).normal(0.4, 1, items)
    peer = stats.permutation_test((gains,), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert sign_flip(gains) == pytest.approx(peer.pvalue, abs=1e-9)


def test_random_signs_come_near_the_peers():
    for case in json.loads((GOLDEN / "ranx.json").read_text())["cases"]:
        gains = np.array(case["second"]) - np.array(case["first"])
        assert stats.ttest_1samp(gains, 0).pvalue == pytest.approx(case["student"], abs=1e-9)
        assert sign_flip(gains, flips=40_000) == pytest.approx(case["fisher"], abs=0.01)


def test_flipping_equal_differences_together_changes_nothing():
    rng = np.random.default_rng(2)
    gains = rng.choice([-0.5, 0.0, 0.5, 1.0], 300, p=[0.2, 0.4, 0.22, 0.18]) - 0.03
    together = sign_flip(gains, flips=40_000)
    apart = sign_flip(gains + rng.uniform(-1e-12, 1e-12, 300), flips=40_000)
    assert together == pytest.approx(apart, abs=0.01)


def test_random_signs_never_give_a_p_value_of_zero():
    gains = np.linspace(1, 2, 60)
    assert sign_flip(gains, flips=500) == 1 / 501, "no random pattern reaches sixty gains out of sixty"
    assert sign_flip(np.ones(13)) == 2 / 2**13, "all patterns: the observed one and its mirror image"


def test_a_million_differences_fit_into_memory():
    gains = np.random.default_rng(3).choice([-0.25, 0.0, 0.25], 1_000_000)
    assert 0 < sign_flip(gains) <= 1


def test_swapping_items_of_a_mean_is_flipping_signs():
    rng = np.random.default_rng(4)
    first, second = rng.random(12), rng.random(12) + 0.15
    targets = [Target(recorded_result("m", run.tolist()), "m") for run in (first, second)]
    units = Units.of(np.ones(12, bool))
    assert item_swap(*targets, units, 8000, 1) == pytest.approx(sign_flip(second - first), abs=0.015)


def test_random_swaps_never_give_a_p_value_of_zero():
    targets = [Target(recorded_result("m", [score] * 60), "m") for score in (0.0, 1.0)]
    units = Units.of(np.ones(60, bool))
    assert item_swap(*targets, units, 500) == 1 / 501, "no random swap separates sixty items as the runs do"
    assert item_swap(*targets[:1] * 2, units, 500) == 1, "equal runs differ by 0, as every swap of them does"


def test_the_seed_decides_the_random_swaps():
    rng = np.random.default_rng(6)
    targets = [Target(recorded_result("m", rng.random(30).tolist()), "m") for _ in range(2)]
    units = Units.of(np.ones(30, bool))
    assert item_swap(*targets, units, 200) == item_swap(*targets, units, 200)
    assert len({item_swap(*targets, units, 200, seed) for seed in range(5)}) > 1
