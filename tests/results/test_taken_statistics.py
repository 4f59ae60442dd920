"""Statistics and entries taken in any order, part by part, are those taken in memory."""

import tracemalloc

import numpy as np
import pytest

from thresher.files import building
from thresher.results import FrozenColumn, Label, Ragged, Statistics, taken_entries, taken_statistics
from thresher.results.parted_columns import PartedColumn
from thresher.results.statistics_blocks import in_blocks
from thresher.results.taken_statistics import TakenStatistics

ITEMS = 60


def statistics(size=ITEMS):
    generator = np.random.default_rng(0)
    lengths = generator.integers(0, 4, size)
    return {
        0: Statistics({"score": generator.random(size)}),
        3: Statistics(
            {"counts": generator.integers(0, 9, (size, 2)), "label": generator.integers(0, 2, size)},
            {"boxes": Ragged(lengths, {"area": generator.random(lengths.sum())})},
            [Label.of("a"), Label.of("b")],
            ["label"],
        ),
    }


class Store:
    """A store in memory that gives blocks of odd sizes and counts its readings."""

    def __init__(self, results, size=7):
        self.results, self.block, self.readings = results, size, []

    def load(self, number):
        return self.results[number]

    def column(self, number, name):
        return self.results[number][name]

    def blocks(self, columns):
        self.readings.append(list(columns))
        size = self.results[next(iter(columns))].size
        for start in range(0, size, self.block):
            rows = slice(start, min(start + self.block, size))
            yield rows, {number: self.results[number].section(rows) for number in columns}


@pytest.fixture(autouse=True)
def blocks_are_small(monkeypatch):
    monkeypatch.setattr(Statistics, "BLOCK", 8)
    monkeypatch.setattr(taken_statistics, "_BUCKET", 10)


POSITIONS = {
    "all": np.random.default_rng(1).permutation(ITEMS),
    "some": np.random.default_rng(2).permutation(ITEMS)[:41],
    "ascending": np.arange(3, ITEMS, 2),
    "a few": np.array([59, 0]),
}


def same(one, other):
    assert (one.names, one.labels, one.coded) == (other.names, other.labels, other.coded)
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], strict=True)
    for name, entries in one.ragged.items():
        np.testing.assert_array_equal(entries.offsets, other.ragged[name].offsets)
        np.testing.assert_array_equal(entries["area"], other.ragged[name]["area"])


@pytest.mark.parametrize("positions", POSITIONS.values(), ids=POSITIONS)
@pytest.mark.parametrize("numbers", [[0], [3, 0], [3]])
def test_blocks_are_those_of_the_taken_statistics(positions, numbers):
    results = statistics()
    taken = TakenStatistics(Store(results), positions, ITEMS)
    for requested in (numbers, [0, 3], [0]):
        blocks = list(taken.blocks(dict.fromkeys(requested)))
        assert [rows.stop - rows.start for rows, _ in blocks[:-1]] == [8] * (len(blocks) - 1)
        assert blocks[-1][0].stop == len(positions)
        for number in requested:
            expected = results[number].take(positions)
            same(Statistics.concatenate([block[number] for _, block in blocks]), expected)
            same(taken.load(number), expected)
    np.testing.assert_array_equal(taken.column(0, "score"), results[0]["score"][positions])


def test_statistics_in_another_order_are_read_once_from_the_run():
    store = Store(statistics())
    taken = TakenStatistics(store, POSITIONS["all"], ITEMS)
    for numbers in ([0], [0], [0, 3], [3]):
        list(taken.blocks(dict.fromkeys(numbers)))
    assert store.readings == [[0], [3]]


@pytest.mark.parametrize("sizes", [[60], [1] * 60, [0, 25, 0, 3, 32, 0]])
@pytest.mark.parametrize("size", [1, 8, 59, 60, 100])
def test_pieces_are_cut_into_blocks_of_one_size(sizes, size):
    whole, ends = statistics()[0], np.cumsum(sizes).tolist()
    pieces = [{0: whole.section(slice(end - length, end))} for end, length in zip(ends, sizes, strict=True)]
    blocks = list(in_blocks(pieces, size))
    assert [(rows.start, rows.stop) for rows, _ in blocks] == [
        (start, min(start + size, ITEMS)) for start in range(0, ITEMS, size)
    ]
    np.testing.assert_array_equal(np.concatenate([block[0]["score"] for _, block in blocks]), whole["score"])


@pytest.mark.parametrize("positions", POSITIONS.values(), ids=POSITIONS)
@pytest.mark.parametrize("size", [1, 9, 100])
def test_entries_come_in_the_requested_order_and_each_part_is_read_once(positions, size):
    parts = [
        FrozenColumn([number, f"text {number}"] for number in range(start, start + 12))
        for start in range(0, 60, 12)
    ]
    read = []

    def part(number):
        read.append(number)
        return parts[number]

    column = PartedColumn([12, 24, 36, 48, 60], part)
    blocks = list(taken_entries.taken_entries(column, positions, size))
    assert [len(block) for block in blocks[:-1]] == [size] * (len(blocks) - 1)
    assert [entry[0] for block in blocks for entry in block] == positions.tolist()
    if size == 9 and len(positions) > size and not taken_entries.is_ascending(positions):
        assert len(read) == len(set(read))


def test_memory_does_not_grow_with_the_numbers_of_an_item(monkeypatch):
    """Of eight numbers an item, one block is in memory, and two positions."""
    monkeypatch.setattr(taken_statistics, "_BUCKET", 1000)
    monkeypatch.setattr(Statistics, "BLOCK", 500)
    monkeypatch.setattr(building, "_BUFFER", 1 << 14)
    peaks = []
    for size in (8_000, 32_000):
        store = Store({0: Statistics({f"n{number}": np.ones(size) for number in range(8)})}, 500)
        positions = np.random.default_rng(0).permutation(size)
        tracemalloc.start()
        for _ in TakenStatistics(store, positions, size).blocks({0: None}):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < 24_000 * 20
