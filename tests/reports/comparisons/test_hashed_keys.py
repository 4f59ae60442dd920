import tempfile
from collections import Counter
from functools import partial

import numpy as np
import pytest

from thresher.files.sorted_pairs import SortedPairs
from thresher.reports.comparisons import hashed_keys as module
from thresher.reports.comparisons.hashed_keys import HashedKeys, matching_keys, occurrences
from thresher.results import FrozenColumn
from thresher.results.parted_columns import PartedColumn


def by_dictionary(first, second):
    there = {key: place for place, key in enumerate(second)}
    return [(place, there[key]) for place, key in enumerate(first) if key in there]


def column(ids, parts):
    ends = np.cumsum([len(part) for part in np.array_split(np.arange(len(ids)), parts)]).tolist()
    pieces = [FrozenColumn(piece.tolist()) for piece in np.array_split(np.array(ids, dtype=object), parts)]
    return PartedColumn(ends, pieces.__getitem__)


@pytest.fixture(autouse=True)
def blocks_are_short(monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", 7)


def pairs(first, second):
    here, there = matching_keys(*map(HashedKeys.of_ids, (first, second)))
    return list(zip(here.tolist(), there.tolist(), strict=True))


@pytest.mark.parametrize("shared", [0, 1, 40])
def test_pairs_are_those_of_a_dictionary(shared):
    generator = np.random.default_rng(shared)
    first = generator.permutation([f"a{n}" for n in range(60)] + [f"both{n}" for n in range(shared)]).tolist()
    second = generator.permutation(
        [f"b{n}" for n in range(30)] + [f"both{n}" for n in range(shared)]
    ).tolist()
    assert pairs(column(first, 9), column(second, 4)) == by_dictionary(first, second)
    assert pairs(column(second, 3), FrozenColumn(first)) == by_dictionary(second, first)


@pytest.mark.parametrize("buckets", [1, 2, 13])
def test_equal_hashes_of_different_ids_match_nothing(monkeypatch, buckets):
    def few(ids):
        return np.array([sum(map(ord, key)) % buckets for key in ids], dtype=np.int64)

    monkeypatch.setattr(module, "_hashes", few)
    first, second = [f"i{n}" for n in range(40)], [f"i{n}" for n in range(60, 20, -1)]
    assert pairs(column(first, 5), column(second, 6)) == by_dictionary(first, second)


def test_one_pair_of_different_ids_with_one_hash_is_not_joined(monkeypatch):
    monkeypatch.setattr(module, "_hashes", lambda ids: np.zeros(len(ids), np.int64))
    assert pairs(FrozenColumn(["a"]), FrozenColumn(["b"])) == []
    assert pairs(FrozenColumn(["a"]), FrozenColumn(["a"])) == [(0, 0)]


def test_columns_without_ids_match_nothing():
    assert pairs(FrozenColumn(), FrozenColumn("ab")) == pairs(FrozenColumn("ab"), FrozenColumn()) == []


def test_repeats_are_numbered_in_order():
    texts = ["b", "a", None, "b", "c", "a", "b", None, ""]
    assert list(occurrences(texts)) == [1, 1, 1, 2, 1, 2, 3, 1, 1]


def test_repeats_sorted_on_disk_are_those_of_a_counter(monkeypatch):
    monkeypatch.setattr(module, "_HASHED", 3)
    monkeypatch.setattr(module, "SortedPairs", partial(SortedPairs, run=4))
    texts = [f"q{number}" for number in np.random.default_rng(1).zipf(1.5, 200) % 50]
    seen, expected = Counter(), []
    for text in texts:
        seen[text] += 1
        expected.append(seen[text])
    assert list(occurrences(texts)) == expected


def test_sorting_repeats_leaves_no_files(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    numbers = occurrences(["a", "b", "a"])
    assert next(numbers) == 1
    assert list(tmp_path.iterdir())
    numbers.close()
    assert not list(tmp_path.iterdir())


def text_of(entry):
    return entry


def by_repeat(questions):
    seen = {}
    keys = []
    for text in questions:
        seen[text] = seen.get(text, 0) + 1
        keys.append(None if text is None else (text, seen[text]))
    return keys


@pytest.mark.parametrize("few", [False, True])
def test_questions_are_matched_repeat_by_repeat(monkeypatch, few):
    if few:
        monkeypatch.setattr(module, "_hashes", lambda texts: np.array([len(text or "") for text in texts]))
    generator = np.random.default_rng(3)
    texts = ["what?", "why?", None, "who?", "where?", ""]
    first, second = (generator.choice(np.array(texts, dtype=object), size).tolist() for size in (50, 70))
    keys = [HashedKeys.of_questions(column(side, 6), text_of) for side in (first, second)]
    expected = [
        pair for pair in by_dictionary(by_repeat(first), by_repeat(second)) if first[pair[0]] is not None
    ]
    assert list(zip(*(side.tolist() for side in matching_keys(*keys)), strict=True)) == expected
    assert [keys[0].numbers[item] for item in keys[0].items] == [key[1] for key in by_repeat(first) if key]
