import copy

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


def test_a_pipeline_does_not_copy_a_column():
    column = FrozenColumn([["a"]] * 3)
    assert copy.deepcopy(column) is column
    assert _deepcopy_with_exceptions({"x": column})["x"] is column
