"""Intervals of ranks and the optimism of the best value."""

import numpy as np
import pytest

from thresher.kernels.inference.many_systems import (
    SystemScores,
    all_pairs,
    contrasts,
    rank_intervals,
    winners_curse,
)

NOISE = np.random.default_rng(3).normal(size=(50, 4))


def ranks(scores):
    best, worst = rank_intervals(scores, contrasts(scores, all_pairs(len(scores)), draws=999))
    return list(zip(best.tolist(), worst.tolist(), strict=True))


def test_ranks_are_as_narrow_as_the_pairs_that_differ():
    table = NOISE + np.array([0, 5, 0.1, 10])
    assert ranks(SystemScores.of_scores(table)) == [(3, 4), (2, 2), (3, 4), (1, 1)]
    assert ranks(SystemScores.of_scores(table, direction="lower")) == [(1, 2), (3, 3), (1, 2), (4, 4)]


def test_without_evidence_every_rank_is_possible():
    assert ranks(SystemScores.of_scores(NOISE[:2])) == [(1, 4)] * 4


def test_the_best_of_equal_systems_is_flattered():
    table = np.random.default_rng(1).normal(size=(100, 8))
    scores = SystemScores.of_scores(table)
    # The largest of eight independent standard normal values is 1.42 on average.
    assert winners_curse(scores) == pytest.approx(1.42 / 10, rel=0.35)
    lower = SystemScores.of_scores(-table, direction="lower")
    assert winners_curse(lower) == pytest.approx(winners_curse(scores))


def test_a_clear_winner_is_not_flattered():
    assert winners_curse(SystemScores.of_scores(NOISE + np.array([0, 0, 0, 9]))) == pytest.approx(0, abs=0.02)
    assert winners_curse(SystemScores.of_scores(np.tile(NOISE[:, :1], 2))) == pytest.approx(0, abs=0.02)


def test_clusters_flatter_more():
    cluster = np.repeat(np.arange(10), 5)
    table = np.random.default_rng(1).normal(size=(10, 4))[cluster]
    alone, together = (winners_curse(SystemScores.of_scores(table, clusters=c)) for c in (None, cluster))
    assert together > 1.5 * alone


def test_too_few_items_say_nothing():
    assert np.isnan(winners_curse(SystemScores.of_scores(NOISE[:2])))
