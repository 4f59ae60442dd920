import copy

import pytest
from haystack.core.pipeline.utils import _deepcopy_with_exceptions

from thresher.results import FrozenColumn


def test_a_column_reads_like_the_list_it_was_made_from():
    column = FrozenColumn(["a", None, "c"])
    assert list(column) == ["a", None, "c"]
    assert column[1:] == [None, "c"]
    assert column == ["a", None, "c"]
    assert column != ["a"]
    assert None in column
    assert column.take([2, 0]) == ["c", "a"]
    assert repr(FrozenColumn(range(9))) == "FrozenColumn([0, 1, 2, ...], 9 items)"


@pytest.mark.parametrize(
    ("size", "item", "items"), [(1, 10**9, "1 item"), (3, -4, "3 items"), (2000, 2000, "2,000 items")]
)
def test_an_item_beyond_the_ends_is_an_error_with_the_size(size, item, items):
    with pytest.raises(IndexError, match=f"^item {item} is out of range: the column has {items}$"):
        FrozenColumn(range(size))[item]


def test_a_pipeline_does_not_copy_a_column():
    column = FrozenColumn([["a"]] * 3)
    assert copy.deepcopy(column) is column
    assert _deepcopy_with_exceptions({"x": column})["x"] is column
