"""How often a leaderboard of equal runs errs, and how often it shows a difference that exists."""

from functools import partial

import numpy as np
import pytest
from scipy import stats
from tests.reports.leaderboards.conftest import made

from thresher.kernels.inference.many_systems import contrasts
from thresher.reports.leaderboards import differences
from thresher.reports.leaderboards.entrants import named_runs
from thresher.reports.leaderboards.options import LeaderboardOptions
from thresher.reports.leaderboards.ranking import Ranking

RUNS, ITEMS, SETS = 5, 40, 150


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """500 sign vectors instead of 10,000: p-values near 0.05 are then known to one point."""
    monkeypatch.setattr(differences, "contrasts", partial(contrasts, draws=500))


def ranked(scores, baseline=None):
    runs = [made(str(run), column) for run, column in enumerate(np.asarray(scores, dtype=object).T)]
    return Ranking.of(named_runs(runs), LeaderboardOptions(baseline=baseline, most_missing=0.5))


def simulated(generator, gains):
    items = generator.normal(0, 0.3, (ITEMS, 1))
    return items + generator.normal(0, 0.3, (ITEMS, RUNS)) + np.asarray(gains)


def verdicts(ranking):
    family = ranking.shown
    return [family.between(0, run).verdict.value for run in range(1, RUNS)]


def test_equal_runs_are_seldom_called_better_or_excluded_from_the_best():
    generator = np.random.default_rng(1)
    rankings = [ranked(simulated(generator, np.zeros(RUNS)), "0") for _ in range(SETS)]
    most = stats.binom.ppf(0.999, SETS, 0.05)
    assert sum("better" in verdicts(ranking) or "worse" in verdicts(ranking) for ranking in rankings) <= most
    assert sum(not all(ranking.standing.possible) for ranking in rankings) <= most, "no run lacks its star"
    ranges = [(ranking.standing.best_ranks, ranking.standing.worst_ranks) for ranking in rankings]
    assert sum(ranks != ((1,) * RUNS, (RUNS,) * RUNS) for ranks in ranges) <= most


def test_a_better_run_is_shown_and_the_others_are_not_among_the_best():
    generator = np.random.default_rng(2)
    sets = 20
    rankings = [ranked(simulated(generator, [0, 0, 0, 0, 0.3]), "0") for _ in range(sets)]
    shown = sum(verdicts(ranking) == ["inconclusive"] * 3 + ["better"] for ranking in rankings)
    assert shown >= 0.6 * sets
    assert sum(ranking.standing.possible == (False,) * 4 + (True,) for ranking in rankings) >= 0.6 * sets
    assert all(ranking.standing.possible[4] for ranking in rankings)


@pytest.mark.parametrize("share", [0.05, 0.15, 0.3])
def test_a_run_that_fails_on_the_hardest_items_comes_first_by_chance_only(share):
    generator = np.random.default_rng(3)
    sets, first, naive = 60, 0, 0
    for _ in range(sets):
        scores = simulated(generator, np.zeros(RUNS))
        hardest = np.argsort(scores.mean(axis=1))[: round(share * ITEMS)]
        naive += scores[np.setdiff1d(np.arange(ITEMS), hardest), 0].mean() > scores[:, 1:].mean(axis=0).max()
        table = scores.astype(object)
        table[hardest, 0] = None
        ranking = ranked(table)
        first += ranking.order[0] == 0
    assert first <= stats.binom.ppf(0.999, sets, 1 / RUNS)
    assert naive > stats.binom.ppf(0.999, sets, 1 / RUNS), "its own mean would rank it first"
