import tempfile
import tracemalloc
from collections import Counter
from functools import partial

import numpy as np
import pytest

from thresher.files import building
from thresher.files.sorted_pairs import SortedPairs
from thresher.reports.comparisons import matching_keys as module
from thresher.reports.comparisons.matching_keys import matching_keys, occurrences
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
def buckets_are_small(monkeypatch):
    monkeypatch.setattr(module, "_BUCKET", 7)
    monkeypatch.setattr(module, "_BATCH", 11)


def pairs(first, second):
    matched = matching_keys(first, second, max(len(first), len(second)))
    return sorted(
        pair for side in matched for pair in zip(*(column.tolist() for column in side[:2]), strict=True)
    )


@pytest.mark.parametrize("shared", [0, 1, 40])
def test_pairs_are_those_of_a_dictionary(shared):
    generator = np.random.default_rng(shared)
    first = generator.permutation([f"a{n}" for n in range(60)] + [f"both{n}" for n in range(shared)]).tolist()
    second = generator.permutation(
        [f"b{n}" for n in range(30)] + [f"both{n}" for n in range(shared)]
    ).tolist()
    assert pairs(column(first, 9), column(second, 4)) == by_dictionary(first, second)
    assert pairs(column(second, 3), FrozenColumn(first)) == by_dictionary(second, first)


def test_equal_hashes_of_different_ids_match_nothing(monkeypatch):
    monkeypatch.setattr(
        module, "text_hashes", lambda texts: np.array([len(text.as_py()) % 2 for text in texts])
    )
    first, second = [f"i{n}" for n in range(40)], [f"i{n}" for n in range(60, 20, -1)]
    assert pairs(first, second) == by_dictionary(first, second)
    assert pairs(["a"], ["b"]) == []
    assert pairs(["a", "ab"], ["ab", "b"]) == [(1, 0)]


def test_keys_come_with_their_pairs_and_none_matches_nothing():
    first, second = ["a", None, "b"], [None, "b", "a"]
    matched = [keys.tolist() for _, _, keys in matching_keys(first, second, 3)]
    assert sorted(key for keys in matched for key in keys) == [b"a", b"b"]
    assert pairs(first, second) == [(0, 2), (2, 1)]


def test_columns_without_ids_match_nothing():
    assert pairs(FrozenColumn(), FrozenColumn("ab")) == pairs(FrozenColumn("ab"), FrozenColumn()) == []


def test_files_are_deleted_also_if_not_all_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    matched = matching_keys("abcdefgh", "hgfedcba", 8)
    next(matched)
    assert list(tmp_path.iterdir())
    matched.close()
    assert not list(tmp_path.iterdir())


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


def test_memory_does_not_grow_with_the_number_of_keys(monkeypatch):
    for name in ("_BUCKET", "_BATCH"):
        monkeypatch.setattr(module, name, 500)
    monkeypatch.setattr(building, "_BUFFER", 1 << 14)
    peaks = []
    for size in (5_000, 20_000):
        order = np.random.default_rng(0).permutation(size)
        first, second = (f"item {number}" for number in range(size)), (f"item {number}" for number in order)
        tracemalloc.start()
        matched = sum(len(keys) for _, _, keys in matching_keys(first, second, size))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert matched == size
    assert peaks[1] - peaks[0] < 15_000 * 20  # texts alone take 60 bytes each
