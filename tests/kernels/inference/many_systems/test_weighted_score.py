"""A weighted sum of measures, with the uncertainty of all of them."""

from dataclasses import replace

import numpy as np
import pytest

from thresher.errors import InputError
from thresher.kernels.inference.many_systems import (
    SystemScores,
    all_pairs,
    contrasts,
    value_intervals,
    weighted_score,
)

RNG = np.random.default_rng(3)
QUALITY, SECONDS = RNG.random((40, 3)), RNG.gamma(2, 1, (40, 3))
CLUSTERS = np.arange(40) // 4
REFERENCES = {"latency": (0.0, 20.0)}
WEIGHTS = {"quality": 3.0, "latency": 1.0}
ITEM_SCORES = (3 * QUALITY + 1 - SECONDS / 20) / 4


def measures(clusters=None, quality=QUALITY, seconds=SECONDS):
    return [
        SystemScores.of_scores(quality, measure="quality", bounds=(0.0, 1.0), clusters=clusters),
        SystemScores.of_scores(seconds, measure="latency", direction="lower", clusters=clusters),
    ]


def same_contrasts(made, expected):
    first, second = (contrasts(scores, all_pairs(3), draws=999) for scores in (made, expected))
    assert first.estimate == pytest.approx(second.estimate)
    assert first.standard_error == pytest.approx(second.standard_error)
    assert first.p_adjusted.tolist() == second.p_adjusted.tolist()


@pytest.mark.parametrize("clusters", [None, CLUSTERS])
def test_it_is_the_mean_of_weighted_item_scores(clusters):
    made = weighted_score(measures(clusters), WEIGHTS, REFERENCES)
    expected = SystemScores.of_scores(ITEM_SCORES, clusters=clusters)
    assert made.values == pytest.approx(expected.values)
    assert (made.direction, made.measure, made.bounds) == ("higher", "weighted_score", (-np.inf, np.inf))
    same_contrasts(made, expected)


def test_missing_items_of_one_measure_do_not_count_there():
    seconds = SECONDS.copy()
    seconds[:10, 1] = np.nan
    made = weighted_score(measures(seconds=seconds), WEIGHTS, REFERENCES)
    values = (3 * QUALITY.mean(axis=0) + 1 - SECONDS[10:].mean(axis=0) / 20) / 4
    assert made.values == pytest.approx(values)
    assert made.common == 30
    parts = 3 * (QUALITY - QUALITY.mean(axis=0)) / 40 / 4
    parts[10:] -= (SECONDS[10:] - SECONDS[10:].mean(axis=0)) / 20 / 30 / 4
    error = contrasts(made, all_pairs(3), draws=99).standard_error
    squares = np.square(parts @ all_pairs(3).T).sum(axis=0)
    assert error == pytest.approx(np.sqrt(squares * 40 / 39))


def test_only_the_ratio_of_the_weights_matters():
    made, doubled = (
        weighted_score(measures(), {"quality": 3 * factor, "latency": factor}, REFERENCES)
        for factor in (1, 2)
    )
    assert made.values == pytest.approx(doubled.values)


def test_another_system_does_not_change_the_scores():
    fewer = [scores.select([0, 1]) for scores in measures()]
    made = weighted_score(fewer, WEIGHTS, REFERENCES)
    assert made.values == pytest.approx(weighted_score(measures(), WEIGHTS, REFERENCES).values[:2])
    assert made.names == ("1", "2")


def test_finite_bounds_give_a_score_from_zero_to_one():
    both = [measures()[0], SystemScores.of_scores(QUALITY, measure="other", bounds=(0.0, 2.0))]
    made = weighted_score(both, {"quality": 1, "other": 1})
    assert made.bounds == (0.0, 1.0)
    assert made.values == pytest.approx(QUALITY.mean(axis=0) * 0.75)
    assert [interval.method for interval in value_intervals(made)] == ["one-more"] * 3


def test_many_items_are_summed_in_the_same_groups():
    table = np.random.default_rng(1).normal(size=(20_001, 3))
    scores = SystemScores.of_scores(table, measure="a")
    both = [scores, replace(scores, measure="b")]
    made = weighted_score(both, {"a": 1, "b": 1}, {"a": (0, 1), "b": (0, 1)})
    assert len(made.influences.parts) == 2000
    same_contrasts(made, scores)


@pytest.mark.parametrize(
    ("weights", "references", "message"),
    [
        (WEIGHTS, None, r"'latency' has no finite scale \(-inf to inf\); give one"),
        (WEIGHTS, {"latency": (5, 5)}, r"'latency' has no finite scale \(5 to 5\)"),
        ({"quality": 1}, REFERENCES, "'latency' has no weight"),
        ({**WEIGHTS, "speed": 1}, REFERENCES, "'speed' has no measure"),
        ({**WEIGHTS, "latency": 0}, REFERENCES, "'latency' has weight 0; give a positive number"),
        ({**WEIGHTS, "latency": float("nan")}, REFERENCES, "'latency' has weight nan"),
    ],
)
def test_unusable_weights_and_scales_are_refused(weights, references, message):
    with pytest.raises(InputError, match=message):
        weighted_score(measures(), weights, references)


def test_other_systems_are_refused():
    with pytest.raises(InputError, match="the measures have different systems"):
        weighted_score([measures()[0], measures()[1].select([0, 1])], WEIGHTS, REFERENCES)
