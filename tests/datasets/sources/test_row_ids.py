"""Derived ids are numbered, and repeated ids are noticed."""

import numpy as np
import pytest

from thresher.datasets._ids import derived_ids
from thresher.datasets.sources.row_ids import NO_QUESTION, Keys, ids_of_keys, repeated_rows


@pytest.mark.parametrize("distinct", [1, 2, 50])
def test_questions_are_numbered_as_in_memory(distinct):
    questions = [None if n % 11 == 5 else f"q{n * 7 % distinct}" for n in range(120)]
    keys = Keys()
    for start in range(0, 120, 9):
        block = questions[start : start + 9]
        keys.add_questions(block, len(block))
    numbers = np.ones(120, np.int64)
    repeats = repeated_rows(keys.all())
    numbers[repeats[:, 0]] = repeats[:, 1]
    numbers[keys.all() == NO_QUESTION] = 1
    expected = derived_ids(questions, 120)
    assert ids_of_keys(keys.all(), numbers, 0) == expected
    assert ids_of_keys(keys.all()[40:70], numbers[40:70], 40) == expected[40:70]


@pytest.mark.parametrize("repeated", [(3, 90), (0, 119), (50, 51)])
def test_the_first_repeated_id_is_a_suspect(repeated):
    first, second = repeated
    names = [f"i{n}" for n in range(120)]
    names[second] = names[first]
    keys = Keys()
    for start in range(0, 120, 9):
        keys.add_ids(names[start : start + 9])
    assert keys.suspects() == [(second, first, first)]


def test_ids_that_are_all_equal_name_the_second_row_first():
    keys = Keys()
    keys.add_ids(["x"] * 40)
    assert keys.suspects()[:2] == [(1, 0, 0), (2, 0, 1)]
    assert not Keys().suspects()
