"""Families of contrasts and effects of the parameters of grids."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from thresher.errors import InputError
from thresher.kernels.inference.many_systems import (
    SystemScores,
    against,
    all_pairs,
    factor_effects,
    interaction,
)

GOLDEN = json.loads((Path(__file__).parents[3] / "golden" / "statistics" / "many_systems.json").read_text())
INCOMPLETE = GOLDEN["factor_effects_incomplete_grid"]
GRID = [{"k": k, "c": c, "m": m} for k, c, m in product((3, 5, 10), (100, 250), "ab")]


def effects_of(settings, values, levels="all"):
    grid = factor_effects(settings, levels=levels)
    made = grid.matrix @ np.array(values)
    return {(e.factor, e.before, e.after): value for e, value in zip(grid.effects, made, strict=True)}


def test_pairs_and_baselines():
    assert all_pairs(4).shape == (6, 4)
    assert (all_pairs(4) @ np.array([1.0, 2.0, 4.0, 8.0])).tolist() == [1, 3, 7, 2, 6, 4]
    assert (against(4, 2) @ np.array([1.0, 2.0, 4.0, 8.0])).tolist() == [-3, -2, 4]


def test_effects_of_an_incomplete_grid_are_those_of_least_squares():
    made = effects_of(INCOMPLETE["settings"], INCOMPLETE["values"])
    assert len(made) == 4
    for (factor, before, after), effect in made.items():
        assert effect == pytest.approx(INCOMPLETE["effects"][f"{factor}: {after} - {before}"], abs=1e-12)


def test_effects_of_a_complete_grid_are_differences_of_means():
    values = np.random.default_rng(1).random(12)
    made = effects_of(GRID, values, "adjacent")
    assert set(made) == {("k", 3, 5), ("k", 5, 10), ("c", 100, 250), ("m", "a", "b")}
    table = values.reshape(3, 2, 2)
    assert made["k", 3, 5] == pytest.approx(table[1].mean() - table[0].mean())
    assert made["c", 100, 250] == pytest.approx(table[:, 1].mean() - table[:, 0].mean())
    assert [effect.configurations for effect in factor_effects(GRID).effects] == [8, 8, 12, 12]


def test_numbers_are_ordered_by_size_and_other_values_by_occurrence():
    settings = [{"k": k, "m": m} for k, m in product((10, 3, 5.5), ("small", None, ["a"], True))]
    pairs = [(e.before, e.after) for e in factor_effects(settings).effects]
    assert pairs == [(3, 5.5), (5.5, 10), ("small", None), (None, ["a"]), (["a"], True)]


def test_parameters_that_do_not_vary_are_ignored_and_missing_ones_are_none():
    settings = [{"k": 1, "same": {"x": 1}}, {"k": 2, "same": {"x": 1}}, {"k": 1, "same": {"x": 1}, "r": "on"}]
    grid = factor_effects(settings)
    assert [(e.factor, e.before, e.after) for e in grid.effects] == [("k", 1, 2), ("r", None, "on")]
    assert grid.matrix == pytest.approx(np.array([[-1, 1, 0], [-1, 0, 1]]))
    assert not factor_effects([{"k": 1}, {"k": 1}]).effects


def test_parameters_that_vary_together_are_refused_by_name():
    settings = [{"k": k, "llm": f"m{k}", "c": c} for k, c in product((1, 2), (7, 8))]
    with pytest.raises(InputError, match=r"cannot separate the effects of k, llm, which vary together; add"):
        factor_effects(settings)


def test_interactions_are_what_the_effects_do_not_explain():
    additive = np.array([0.1 * row["k"] + (0.2 if row["c"] == 250 else 0) for row in GRID])
    grid = factor_effects(GRID)
    assert grid.interactions @ additive == pytest.approx(np.zeros(12), abs=1e-12)
    table = np.random.default_rng(1).normal(size=(60, 12))
    additive_p = interaction(SystemScores.of_scores(table + additive), grid, draws=999).p_adjusted
    assert additive_p.min() > 0.05
    special = np.array([float(row == GRID[3]) for row in GRID])
    mixed = interaction(SystemScores.of_scores(table + additive + 2 * special), grid, draws=999)
    assert mixed.estimate.argmax() == 3
    assert mixed.p_adjusted.min() < 0.01


def test_one_parameter_shows_no_interaction():
    grid = factor_effects([{"k": k} for k in range(3)])
    assert grid.interactions.shape == (0, 3)
    with pytest.raises(InputError, match="cannot show interactions; vary two parameters in a grid"):
        interaction(SystemScores.of_scores(np.eye(3)), grid)


def test_a_configuration_that_the_model_must_fit_shows_no_interaction():
    settings = [{"k": k, "c": c} for k, c in ((1, 7), (1, 8), (2, 7), (2, 8), (3, 8))]
    grid = factor_effects(settings)
    assert grid.interactions[4].tolist() == [0] * 5
    scores = SystemScores.of_scores(np.random.default_rng(1).normal(size=(30, 5)))
    made = interaction(scores, grid, draws=99)
    assert np.isnan([made.p_adjusted[4], made.low[4], made.high[4]]).all()
    assert not np.isnan(made.p_adjusted[:4]).any()
