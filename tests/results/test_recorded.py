"""Scores from elsewhere: what counts as a score, and which entry an error names."""

import math
from fractions import Fraction

import numpy as np
import pytest

from thresher.errors import InputError
from thresher.results import Status, recorded_result

PLAIN = [0.25, 1, True, None, math.nan, np.float64(0.5)]


@pytest.mark.parametrize("scores", [PLAIN, (*PLAIN, Fraction(1, 8)), [*PLAIN, np.float32(0.125)]])
def test_numbers_of_any_type_are_scores(scores):
    result = recorded_result("m", scores, bounds=(0, 1))
    expected = [0.25, 1.0, 1.0, math.nan, math.nan, 0.5, 0.125][: len(scores)]
    np.testing.assert_array_equal(result.item_scores(), expected)
    assert result.status.tolist() == [
        Status.MISSING if math.isnan(score) else Status.SCORED for score in expected
    ]


@pytest.mark.parametrize("other", [0.5, Fraction(1, 2)])
@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (1.5, r"m\[1\] is 1.5, outside its bounds 0.0 to 1.0"),
        (-0.1, r"m\[1\] is -0.1, outside its bounds 0.0 to 1.0"),
        (math.inf, r"m\[1\] is inf; give a number, or None for a missing score"),
        (10**400, r"m\[1\] is 1000.*\.\.\.; give a number"),
        ("1", r"m\[1\] is '1'; give a number"),
        ([1.0], r"m\[1\] is \[1.0\]; give a number"),
    ],
)
def test_the_first_entry_that_is_not_a_score_is_named(entry, message, other):
    with pytest.raises(InputError, match=message):
        recorded_result("m", [other, entry, "later"], bounds=(0, 1))
    with pytest.raises(InputError, match=message):
        recorded_result("m", [other, entry], bounds=(0, 1))
