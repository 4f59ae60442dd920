"""Short simulations; `benchmarks/experiments.py` has the long ones."""

import numpy as np
import pytest

from thresher.kernels.inference.many_systems import (
    SystemScores,
    adjusted_means,
    all_pairs,
    common_items,
    contrasts,
    rank_intervals,
)

pytestmark = pytest.mark.simulation
RUNS, DRAWS = 150, 300


def false_claims(draw, clusters=None):
    """Share of samples of equal systems in which some pair is called different."""
    rng = np.random.default_rng(1)
    claims = []
    for _ in range(RUNS):
        table = draw(rng)
        scores = SystemScores.of_scores(table, clusters=clusters)
        made = contrasts(scores, all_pairs(table.shape[1]), draws=DRAWS)
        claims.append(bool((made.p_adjusted <= 0.05).any()))
    return np.mean(claims)


def test_six_equal_systems():
    def draw(rng):
        return rng.normal(size=(40, 1)) + rng.normal(size=(40, 6))

    assert 0.01 < false_claims(draw) < 0.1


def test_clusters_of_unequal_size():
    clusters = np.repeat(np.arange(12), [1, 1, 2, 2, 3, 4, 5, 8, 12, 18, 27, 40])

    def draw(rng):
        return rng.normal(size=(12, 3))[clusters] + rng.normal(size=(123, 3))

    assert false_claims(draw, clusters) < 0.1
    assert false_claims(draw) > 0.5, "items taken as independent"


def test_rates_with_few_misses():
    rates = 1 - np.array([0.06, 0.04, 0.02, 0.01])
    rng, pairs = np.random.default_rng(1), all_pairs(4)
    truth, holds = pairs @ rates, []
    for _ in range(RUNS):
        table = (rng.random((60, 4)) < rates).astype(float)
        made = contrasts(SystemScores.of_scores(table), pairs, draws=DRAWS)
        holds.append(bool(((made.low <= truth) & (truth <= made.high)).all()))
    assert np.mean(holds) > 0.9


def test_the_best_system_is_in_the_set():
    rng, holds, sizes = np.random.default_rng(1), [], []
    for _ in range(RUNS):
        table = rng.normal(size=(50, 5)) + np.array([0, 0, 0, 0.5, 0.4])
        scores = SystemScores.of_scores(table)
        possible = rank_intervals(scores, contrasts(scores, all_pairs(5), draws=DRAWS))[0] == 1
        holds.append(possible[3])
        sizes.append(possible.sum())
    assert np.mean(holds) > 0.9
    assert 1.2 < np.mean(sizes) < 4


def test_a_system_that_fails_on_hard_items_is_no_winner():
    rng, first = np.random.default_rng(1), []
    for _ in range(RUNS):
        difficulty = rng.normal(0, 0.2, (60, 1))
        table = difficulty + rng.normal(0, 0.15, (60, 5))
        table[np.argsort(difficulty[:, 0])[:9], 0] = np.nan
        scores = SystemScores.of_scores(table)
        fair = (scores, common_items(scores), adjusted_means(scores))
        first.append([scores.values.argmax() == 0 for scores in fair])
    own, common, adjusted = np.mean(first, axis=0)
    assert own > 0.8
    assert 0.1 < common < 0.3
    assert 0.1 < adjusted < 0.32
