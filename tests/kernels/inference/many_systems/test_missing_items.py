"""Systems that did not score the same items."""

import numpy as np
import pytest

from thresher.errors import InputError
from thresher.kernels.inference.many_systems import (
    SystemScores,
    adjusted_means,
    all_pairs,
    common_items,
    contrasts,
)

RNG = np.random.default_rng(3)
TABLE = RNG.normal(size=(60, 1)) + 0.5 * RNG.normal(size=(60, 4))
GAPS = np.where(RNG.random(TABLE.shape) < 0.2, np.nan, TABLE)


def least_squares(table):
    """Item and system effects by numpy's solver: adjusted means of the systems."""
    items, systems = table.shape
    rows = [(i, s) for i in range(items) for s in range(systems) if np.isfinite(table[i, s])]
    design = np.zeros((len(rows), items + systems))
    for number, (item, system) in enumerate(rows):
        design[number, [item, items + system]] = 1
    solved = np.linalg.lstsq(design, np.array([table[row] for row in rows]), rcond=None)[0]
    effects = solved[items:] - solved[items:].mean()
    used = np.isfinite(table).any(axis=1)
    return effects + solved[:items][used].mean() + solved[items:].mean()


def test_common_items_are_those_that_all_systems_scored():
    scores = SystemScores.of_scores(GAPS, clusters=np.arange(60) // 5)
    common = common_items(scores)
    complete = np.isfinite(GAPS).all(axis=1)
    assert common.common == scores.common == complete.sum() == len(common.scores)
    assert common.values == pytest.approx(TABLE[complete].mean(axis=0))
    own = SystemScores.of_scores(TABLE[complete], clusters=(np.arange(60) // 5)[complete])
    made, expected = (contrasts(scores, all_pairs(4), draws=99) for scores in (common, own))
    assert made.standard_error.tolist() == expected.standard_error.tolist()
    assert common_items(own) is own


def test_a_system_that_fails_on_hard_items_gains_nothing():
    table = TABLE.copy()
    table[np.argsort(TABLE.mean(axis=1))[:12], 0] = np.nan
    scores = SystemScores.of_scores(table)
    truth = TABLE.mean(axis=0)
    assert scores.values[0] - truth[0] > 0.2
    assert adjusted_means(scores).values[0] - truth[0] < 0.1


def test_adjusted_means_are_least_squares():
    made = adjusted_means(SystemScores.of_scores(GAPS))
    assert made.values == pytest.approx(least_squares(GAPS))
    assert made.influences.parts.sum(axis=0) == pytest.approx(np.zeros(4), abs=1e-12)


def test_without_gaps_adjusted_means_are_the_means():
    plain = SystemScores.of_scores(TABLE)
    adjusted = adjusted_means(plain)
    assert adjusted.values == pytest.approx(plain.values)
    made, expected = (contrasts(scores, all_pairs(4), draws=999) for scores in (adjusted, plain))
    assert made.standard_error == pytest.approx(expected.standard_error)
    assert made.p_adjusted.tolist() == expected.p_adjusted.tolist()


def test_errors_of_adjusted_means_are_those_of_the_bootstrap():
    made = contrasts(adjusted_means(SystemScores.of_scores(GAPS)), all_pairs(4), draws=99)
    rng = np.random.default_rng(1)
    draws = [
        all_pairs(4) @ adjusted_means(SystemScores.of_scores(GAPS[rng.integers(0, 60, 60)])).values
        for _ in range(150)
    ]
    assert made.standard_error == pytest.approx(np.std(draws, axis=0), rel=0.25)


def test_adjusted_means_of_clusters():
    clusters = np.arange(60) // 5
    made = adjusted_means(SystemScores.of_scores(GAPS, clusters=clusters))
    plain = adjusted_means(SystemScores.of_scores(GAPS))
    assert made.values.tolist() == plain.values.tolist()
    errors = contrasts(made, all_pairs(4), draws=99)
    assert errors.units == 12
    assert (errors.standard_error >= contrasts(plain, all_pairs(4), draws=99).standard_error - 1e-12).all()
    full = SystemScores.of_scores(TABLE, clusters=clusters)
    made, expected = (contrasts(scores, all_pairs(4), draws=99) for scores in (adjusted_means(full), full))
    assert made.standard_error == pytest.approx(expected.standard_error)


def test_items_without_any_score_do_not_count():
    more = np.vstack([GAPS, np.full((5, 4), np.nan)])
    made, plain = (adjusted_means(SystemScores.of_scores(table)) for table in (more, GAPS))
    assert made.values == pytest.approx(plain.values)
    assert made.influences.items == plain.influences.items == 60
    one, other = (contrasts(scores, all_pairs(4), draws=99).standard_error for scores in (made, plain))
    assert one == pytest.approx(other)


def test_systems_without_shared_items_are_refused():
    table = GAPS.copy()
    table[:30, :2] = np.nan
    table[30:, 2:] = np.nan
    with pytest.raises(InputError, match="share no items with the others; compare them separately"):
        adjusted_means(SystemScores.of_scores(table))


def test_values_that_are_not_means_are_over_common_items_already():
    adjusted = adjusted_means(SystemScores.of_scores(GAPS))
    assert common_items(adjusted) is adjusted
    with pytest.raises(InputError, match="score is not a mean of item scores; it is computed"):
        adjusted_means(adjusted)


@pytest.mark.parametrize("clusters", [None, np.arange(60) // 3])
def test_systems_that_agree_on_all_items_are_not_ordered_by_rounding_errors(clusters):
    table = np.repeat(TABLE[:, :1], 3, axis=1)
    table[:30, 0] = table[30:, 1] = np.nan
    scores = adjusted_means(SystemScores.of_scores(table, clusters=clusters))
    made = contrasts(scores, all_pairs(3), draws=99)
    assert made.estimate == pytest.approx(np.zeros(3), abs=1e-9)
    assert (made.low < -1e-3).all()
    assert (made.high > 1e-3).all()
