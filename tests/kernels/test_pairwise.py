import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from thresher.kernels.pairwise import (
    bradley_terry,
    calibrated,
    consensus,
    expected_win_rates,
    most_divided,
    vote,
    vote_entropy,
)

votes = st.sampled_from([0.0, 0.5, 1.0])
tables = st.integers(2, 5).flatmap(lambda n: arrays(np.int64, (n, n), elements=st.integers(0, 20)))


@pytest.mark.parametrize(
    ("straight", "swapped", "lenient", "strict"),
    [
        (1, 1, 1, 1),
        (0, 0, 0, 0),
        (1, 0, 0.5, 0.5),
        (0, 1, 0.5, 0.5),
        (0.5, 0.5, 0.5, 0.5),
        (1, 0.5, 1, 0.5),
        (0, 0.5, 0, 0.5),
        (0.5, 1, 1, 0.5),
        (0.5, 0, 0, 0.5),
    ],
)
def test_what_two_orders_come_to(straight, swapped, lenient, strict):
    assert consensus([straight, swapped]) == lenient
    assert consensus([straight, swapped], tie_and_win="tie") == strict


def test_one_order_stands_for_itself():
    assert [consensus([each]) for each in (1.0, 0.5, 0.0)] == [1.0, 0.5, 0.0]


@settings(deadline=None)
@given(st.lists(votes, min_size=1, max_size=6), st.sampled_from(["win", "tie"]))
def test_exchanging_the_answers_mirrors_the_outcome(cast, tie_and_win):
    mirrored = consensus([1 - each for each in cast], tie_and_win)
    assert mirrored == 1 - consensus(cast, tie_and_win)


@settings(deadline=None)
@given(st.integers(1, 10), st.integers(1, 10), st.floats(0, 5))
def test_exchanging_the_scores_mirrors_the_vote(first, second, margin):
    assert vote(first, second, margin) == 1 - vote(second, first, margin)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 10), st.integers(1, 10)), min_size=1, max_size=5), st.integers(0, 3))
def test_a_bonus_for_the_position_cancels_out(scores, bonus):
    straight = [(first + bonus, second) for first, second in scores]
    swapped = [(first, second + bonus) for first, second in scores]
    plain = calibrated(scores)
    biased = calibrated(straight + swapped)
    assert biased[0] - biased[1] == pytest.approx(plain[0] - plain[1])


def test_the_order_of_the_same_scores_makes_no_winner():
    means = calibrated([(8.1, 7.3), (7.3, 2.7), (2.7, 8.1)])
    assert vote(*means) == 0.5


def test_a_judge_that_always_prefers_the_first_place_gives_a_tie():
    assert vote(*calibrated([(9, 8), (8, 9)])) == 0.5


@settings(deadline=None)
@given(st.lists(votes, min_size=1, max_size=12))
def test_entropy_is_nought_for_one_voice_and_never_beyond_log_three(cast):
    entropy = vote_entropy(cast)
    assert 0 <= entropy <= math.log(3) + 1e-12
    assert (entropy == 0) == (len(set(cast)) == 1)


def test_entropy_is_that_of_scipy():
    from scipy.stats import entropy

    assert vote_entropy([1, 1, 0.5, 0, 0, 0]) == pytest.approx(entropy([2, 1, 3]))


@settings(deadline=None)
@given(st.lists(st.floats(0, 1.09), max_size=30), st.floats(0, 1))
def test_the_most_divided_are_no_less_divided_than_the_others(entropies, share):
    picked = most_divided(entropies, share)
    rest = [each for item, each in enumerate(entropies) if item not in picked]
    assert len(picked) <= math.ceil(share * len(entropies))
    assert all(entropies[item] >= max(rest, default=0) for item in picked)


def _loss(strengths, wins):
    difference = strengths[:, None] - strengths[None, :]
    return float((wins * np.logaddexp(0, -difference)).sum())


@settings(deadline=None, max_examples=30)
@given(tables)
def test_bradley_terry_is_the_maximum_that_a_general_optimiser_finds(wins):
    np.fill_diagonal(wins, 0)
    met = wins + wins.T
    penalised = wins + 0.5 * (met > 0)
    strengths = bradley_terry(wins)
    if np.isnan(strengths).any():
        return
    found = minimize(_loss, np.zeros(len(wins)), args=(penalised,), method="BFGS", options={"gtol": 1e-8})
    assert _loss(strengths, penalised) <= found.fun + 1e-7
    np.testing.assert_allclose(strengths, found.x - found.x.mean(), atol=2e-3)


@settings(deadline=None)
@given(tables)
def test_expected_wins_equal_the_wins_counted(wins):
    np.fill_diagonal(wins, 0)
    strengths = bradley_terry(wins)
    if np.isnan(strengths).any():
        return
    penalised = wins + 0.5 * ((wins + wins.T) > 0)
    chance = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    np.testing.assert_allclose(
        ((penalised + penalised.T) * chance).sum(axis=1), penalised.sum(axis=1), atol=1e-6
    )
    assert strengths.mean() == pytest.approx(0, abs=1e-9)


def test_two_systems_have_the_odds_of_their_wins():
    strengths = bradley_terry([[0, 30], [10, 0]], prior=0)
    assert strengths[0] - strengths[1] == pytest.approx(math.log(3))


def test_without_a_prior_a_system_that_never_loses_has_no_strength():
    assert np.isnan(bradley_terry([[0, 5], [0, 0]], prior=0)).all()
    assert np.isfinite(bradley_terry([[0, 5], [0, 0]])).all()


def test_systems_that_never_met_have_no_order():
    apart = np.zeros((4, 4))
    apart[0, 1] = apart[1, 0] = apart[2, 3] = apart[3, 2] = 2
    assert np.isnan(bradley_terry(apart)).all()


def test_tables_are_solved_one_by_one():
    tables = np.array([[[0, 3, 1], [1, 0, 2], [4, 1, 0]], [[0, 1, 1], [9, 0, 2], [4, 1, 0]]])
    together = bradley_terry(tables)
    np.testing.assert_allclose(together, [bradley_terry(table) for table in tables], atol=1e-9)


@settings(deadline=None)
@given(tables)
def test_expected_win_rates_average_to_a_half(wins):
    np.fill_diagonal(wins, 0)
    rates = expected_win_rates(bradley_terry(wins))
    if not np.isnan(rates).any():
        assert rates.mean() == pytest.approx(0.5)
        assert ((rates > 0) & (rates < 1)).all()
