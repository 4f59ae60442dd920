"""Derived ids are numbered, and repeated ids are noticed, over many sorted runs."""

import pytest

from thresher.datasets._ids import derived_ids
from thresher.datasets.sources.row_ids import DerivedIds, GivenIds, Numbers
from thresher.files.sorted_pairs import SortedPairs


@pytest.fixture(autouse=True)
def short_runs(monkeypatch):
    def of(path):
        return SortedPairs(path, 3)

    monkeypatch.setattr("thresher.datasets.sources.row_ids.SortedPairs", of)


@pytest.mark.parametrize("distinct", [1, 2, 50])
def test_questions_are_numbered_as_in_memory(distinct, tmp_path):
    questions = [None if n % 11 == 5 else f"q{n * 7 % distinct}" for n in range(120)]
    ids = DerivedIds(tmp_path)
    for start in range(0, 120, 9):
        block = questions[start : start + 9]
        ids.add(block, len(block))
    expected = derived_ids(questions, 120)
    assert [name for part in ids.finish() for name in part] == expected
    assert Numbers(tmp_path).ids_of(questions[40:70], 30, 40) == expected[40:70]


@pytest.mark.parametrize("repeated", [(3, 90), (0, 119), (50, 51)])
def test_the_first_repeated_id_is_a_suspect(repeated, tmp_path):
    first, second = repeated
    names = [f"i{n}" for n in range(120)]
    names[second] = names[first]
    ids = GivenIds(tmp_path)
    for start in range(0, 120, 9):
        ids.add(names[start : start + 9])
    assert ids.suspects() == [(second, first, first)]


def test_ids_that_are_all_equal_name_the_second_row_first(tmp_path):
    ids = GivenIds(tmp_path)
    ids.add(["x"] * 40)
    assert ids.suspects()[:2] == [(1, 0, 0), (2, 0, 1)]
