"""Letters: golden displays, and the property that defines them."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from thresher.kernels.inference.many_systems import (
    SystemScores,
    all_pairs,
    contrasts,
    different_pairs,
    letters,
)

GOLDEN = json.loads((Path(__file__).parents[3] / "golden" / "statistics" / "many_systems.json").read_text())


@pytest.mark.parametrize("case", GOLDEN["letters"])
def test_golden_displays(case):
    assert letters(case["different"], case["order"]) == case["letters"]


@pytest.mark.parametrize("seed", range(8))
def test_systems_share_a_letter_exactly_if_they_do_not_differ(seed):
    different = np.triu(np.random.default_rng(seed).random((7, 7)) < 0.4, 1)
    marks = letters(different | different.T)
    for first, second in combinations(range(7), 2):
        assert bool(set(marks[first]) & set(marks[second])) != different[first, second]


def test_letters_after_z_are_numbers():
    marks = letters(~np.eye(28, dtype=bool))
    assert (marks[0], marks[25], marks[26], marks[27]) == ("a", "z", "(27)", "(28)")


def test_pairs_differ_if_their_interval_excludes_zero():
    table = np.random.default_rng(1).normal(size=(30, 3)) + np.array([0, 0, 2])
    table[:, 0] = [*table[:2, 0], *[np.nan] * 28]
    pairs = contrasts(SystemScores.of_scores(table), all_pairs(3), draws=999)
    different = different_pairs(pairs, 3)
    assert different.tolist() == [[False] * 3, [False, False, True], [False, True, False]]
