"""Statistics of a stored run in any order are those taken in memory."""

import numpy as np
import pytest

from thresher.results import Label, Ragged, Statistics
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
    """A store in memory that gives blocks of odd sizes."""

    def __init__(self, results, size=7):
        self.results, self.block = results, size

    def load(self, number):
        return self.results[number]

    def columns(self, number, names, **_):
        return {name: self.results[number][name] for name in names}

    def blocks(self, columns):
        size = self.results[next(iter(columns))].size
        for start in range(0, size, self.block):
            rows = slice(start, min(start + self.block, size))
            yield rows, {number: self.results[number].section(rows) for number in columns}


@pytest.fixture(autouse=True)
def blocks_are_small(monkeypatch):
    monkeypatch.setattr(Statistics, "BLOCK", 8)


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
    taken = TakenStatistics(Store(results), positions)
    for requested in (numbers, [0, 3], [0]):
        blocks = list(taken.blocks(dict.fromkeys(requested)))
        assert [rows.stop - rows.start for rows, _ in blocks[:-1]] == [8] * (len(blocks) - 1)
        assert blocks[-1][0].stop == len(positions)
        for number in requested:
            expected = results[number].take(positions)
            same(Statistics.concatenate([block[number] for _, block in blocks]), expected)
            same(taken.load(number), expected)
    np.testing.assert_array_equal(taken.columns(0, ["score"])["score"], results[0]["score"][positions])


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
