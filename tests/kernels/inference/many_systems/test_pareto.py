"""Trade-offs of several measures."""

import numpy as np
import pytest

from thresher.errors import InputError
from thresher.kernels.inference.many_systems import KnownValues, Place, SystemScores, pareto

RNG = np.random.default_rng(3)
NOISE = RNG.normal(size=(60, 4))
OTHER = RNG.normal(size=(60, 4))
FRONT, POSSIBLE, DOMINATED = Place.FRONT, Place.POSSIBLE, Place.DOMINATED


def quality(*shifts):
    return SystemScores.of_scores(NOISE - NOISE.mean(axis=0) + np.array(shifts), measure="quality")


def latency(*shifts):
    table = OTHER - OTHER.mean(axis=0) + np.array(shifts)
    return SystemScores.of_scores(table, measure="latency", direction="lower")


def test_a_system_is_dominated_if_another_is_surely_better_in_all_measures():
    front = pareto([quality(0, 2, 1, 0.95), latency(5, 3, 1, 1.05)])
    assert front.places == (DOMINATED, FRONT, FRONT, POSSIBLE)
    assert front.dominators == (1, None, None, None)
    assert front.p_values[1, 0] < 0.05 / 3
    assert front.p_values[2, 3] > 0.05
    assert front.p_values[0, 1] == 1


def test_one_measure_that_is_not_surely_better_keeps_a_system():
    front = pareto([quality(0, 2, 2, 2), latency(1.05, 1, 1, 1)])
    assert front.places[0] is POSSIBLE


def test_the_error_rate_is_shared_by_the_rivals():
    clear = pareto([quality(0, 0.45, -3, -3), latency(1, 0.5, 9, 9)])
    p_value = clear.p_values[1, 0]
    assert 0.001 < p_value < 0.05
    for level, place in ((1 - 3.3 * p_value, DOMINATED), (1 - 2.7 * p_value, POSSIBLE)):
        made = pareto([quality(0, 0.45, -3, -3), latency(1, 0.5, 9, 9)], level=level)
        assert made.places[0] is place


def test_a_known_cost_has_no_error():
    cost = KnownValues("cost", np.array([1.0, 1.0, 3.0, 0.5]))
    front = pareto([quality(0, 2, 1.95, -1), cost])
    assert front.places == (DOMINATED, FRONT, POSSIBLE, FRONT)
    assert front.dominators[0] == 1
    assert front.p_values[3, 0] == 1, "cheaper but worse"
    gain = KnownValues("discount", -cost.values, "higher")
    assert pareto([quality(0, 2, 1.95, -1), gain]).places == front.places


def test_known_measures_alone_are_compared_as_they_are():
    cost, time = KnownValues("cost", np.array([1.0, 1, 2])), KnownValues("time", np.array([3.0, 3, 3]))
    assert pareto([cost, time]).places == (FRONT, FRONT, DOMINATED)
    equal = KnownValues("cost", np.ones(3))
    assert pareto([equal, time]).places == (FRONT, FRONT, FRONT)


def test_equal_systems_do_not_dominate_each_other():
    table = np.tile(NOISE[:, :1], 3)
    assert pareto([SystemScores.of_scores(table)]).places == (FRONT, FRONT, FRONT)


@pytest.mark.parametrize("items", [1, 2, 3])
def test_few_items_dominate_nothing(items):
    table = NOISE[:items] + np.array([0, 1, 2, 9.0])
    assert DOMINATED not in pareto([SystemScores.of_scores(table)]).places


def test_measures_need_the_same_systems():
    with pytest.raises(InputError, match="one or more measures of the same systems"):
        pareto([quality(0, 0, 0, 0), KnownValues("cost", np.ones(3))])
    with pytest.raises(InputError, match="one or more measures"):
        pareto([])
