"""The systems that may be the best."""

import json
from pathlib import Path

import numpy as np
import pytest

from thresher.kernels.inference.many_systems import SystemScores, best_set
from thresher.kernels.inference.many_systems.best_set import _critical_values
from thresher.kernels.inference.many_systems.contrasts import aligned
from thresher.kernels.inference.many_systems.families import all_pairs

GOLDEN = json.loads((Path(__file__).parents[3] / "golden" / "statistics" / "many_systems.json").read_text())
CRITICAL = GOLDEN["critical_values_equal_correlation_infinite_df"]
NOISE = np.random.default_rng(3).normal(size=(60, 4))


def test_the_critical_value_is_that_of_comparisons_with_the_best():
    table = np.random.default_rng(1).normal(size=(700, 8))
    (pairs,) = aligned([(SystemScores.of_scores(table), all_pairs(8))], 1)
    critical = _critical_values(pairs, 8, 0.95, 2500, 1)
    assert critical == pytest.approx(np.full(8, CRITICAL["8"]["with_the_best_one_sided"]), abs=0.1)
    assert critical.mean() == pytest.approx(CRITICAL["8"]["with_the_best_one_sided"], abs=0.025)


def test_clear_differences_leave_one_system():
    chosen = best_set(SystemScores.of_scores(NOISE + np.array([0, 1, 5, 2])))
    assert chosen.possible.tolist() == [False, False, True, False]
    assert chosen.low[2] == 0 < chosen.high[2]
    assert (chosen.high[[0, 1, 3]] == 0).all()
    assert (chosen.low[[0, 1, 3]] < -2).all()


def test_lower_may_be_better():
    table = NOISE + np.array([0, 1, 5, 2])
    lower = best_set(SystemScores.of_scores(table, direction="lower"))
    turned = best_set(SystemScores.of_scores(-table))
    assert lower.possible.tolist() == turned.possible.tolist()
    assert lower.possible[0]
    assert not lower.possible[2]
    assert lower.low.tolist() == turned.low.tolist()


def test_limits_contain_the_observed_advantage():
    scores = SystemScores.of_scores(NOISE + np.array([0, 0.2, 0.3, 0.1]))
    chosen = best_set(scores)
    for system in np.flatnonzero(chosen.possible):
        advantage = scores.values[system] - np.delete(scores.values, system).max()
        assert chosen.low[system] <= advantage <= chosen.high[system]


def test_equal_systems_are_in_the_set_together():
    table = np.column_stack([NOISE[:, 0], NOISE[:, 0], NOISE[:, 0] - 1, NOISE[:, 0] - 1])
    chosen = best_set(SystemScores.of_scores(table))
    assert chosen.possible.tolist() == [True, True, False, False]
    every = best_set(SystemScores.of_scores(np.column_stack([NOISE[:, 0]] * 3)))
    assert every.possible.tolist() == [True] * 3


def test_what_is_not_shown_may_be_the_best():
    assert (
        best_set(SystemScores.of_scores(NOISE[:2] + np.array([0, 9, 0, 0]))).possible.tolist() == [True] * 4
    )
    table = NOISE + np.array([0.0, 9.0, 0.0, 0.0])
    table[:, 3] = np.nan
    chosen = best_set(SystemScores.of_scores(table))
    assert chosen.possible.tolist() == [False, True, False, True]


def test_a_dominant_cluster_widens_the_set():
    clusters = np.repeat(np.arange(12), [49] + [1] * 11)
    table = NOISE + np.array([0, 0, 0, 0.9])
    independent, clustered = (best_set(SystemScores.of_scores(table, clusters=c)) for c in (None, clusters))
    assert independent.possible.sum() == 1
    assert clustered.possible.sum() == 2
