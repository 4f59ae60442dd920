import pickle

import pytest

from thresher.results import FrozenColumn
from thresher.results.parted_columns import PartedColumn, PartedReasons

PARTS = [FrozenColumn("ab"), FrozenColumn(["c"]), FrozenColumn([None, "e", "f"])]
WHOLE = ["a", "b", "c", None, "e", "f"]


@pytest.fixture
def read():
    return []


@pytest.fixture
def column(read):
    def part(place):
        read.append(place)
        return PARTS[place]

    return PartedColumn([2, 3, 6], part)


def test_it_equals_the_whole_column(column):
    assert list(column) == WHOLE
    assert column == WHOLE
    assert column == FrozenColumn(WHOLE)
    assert FrozenColumn(WHOLE) == column
    assert column != WHOLE[:-1]
    assert [column[item] for item in range(-6, 6)] == WHOLE + WHOLE
    assert column[1:5] == WHOLE[1:5]
    assert column[::-2] == WHOLE[::-2]
    assert column.missing() == [3]
    assert column.whole() == WHOLE
    assert (column.index("c"), "f" in column, "g" in column) == (2, True, False)


@pytest.mark.parametrize("items", [[], [5, 0, 2, 0, 3], [-1, 1], range(6)])
def test_items_are_taken_in_their_order(column, items):
    assert list(column.take(items)) == [WHOLE[item] for item in items]


def test_only_the_parts_with_the_items_are_read_and_each_once(column, read):
    column.take([5, 0, 4, 1])
    assert sorted(read) == [0, 2]


@pytest.mark.parametrize("item", [6, -7])
def test_an_item_beyond_the_ends_is_an_error(column, item):
    with pytest.raises(IndexError, match=f"^item {item} is out of range: the column has 6 items$"):
        column[item]


def test_a_pickle_holds_the_entries(column):
    again = pickle.loads(pickle.dumps(column))  # noqa: S301
    assert type(again) is FrozenColumn
    assert again == WHOLE


def test_without_an_index_every_position_is_a_candidate(column):
    assert column.candidates("e") == [0, 1, 2, 3, 4, 5]


def test_reasons_are_the_entries_that_are_texts(column):
    reasons = PartedReasons(column)
    assert dict(reasons) == {0: "a", 1: "b", 2: "c", 4: "e", 5: "f"}
    assert (reasons.get(3), reasons.get(9), reasons.get(-1)) == (None, None, None)
    assert reasons
    assert not PartedReasons(PartedColumn([2], lambda _: FrozenColumn([None, None])))
