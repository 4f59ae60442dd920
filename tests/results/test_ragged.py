import copy
import pickle

import numpy as np
import pytest

from thresher.errors import InputError
from thresher.results.ragged import Ragged, ranges


@pytest.fixture
def entries():
    return Ragged([2, 0, 3], {"score": [0.1, 0.2, 0.3, 0.4, 0.5], "box": np.arange(10).reshape(5, 2)})


def test_a_mask_and_indices_take_whole_items(entries):
    masked = entries.take([True, False, True])
    assert masked["score"].tolist() == entries["score"].tolist()
    twice = entries.take([2, 1, 2])
    assert twice["score"].tolist() == [0.3, 0.4, 0.5, 0.3, 0.4, 0.5]
    assert twice["box"].tolist() == [[4, 5], [6, 7], [8, 9]] * 2
    assert twice.lengths.tolist() == [3, 0, 3]


def test_shards_make_the_whole(entries):
    whole = Ragged.concatenate([entries.take([0]), entries.take([1, 2])])
    assert whole.offsets.tolist() == entries.offsets.tolist()
    assert whole["box"].tolist() == entries["box"].tolist()


def test_columns_must_fit_the_lengths():
    with pytest.raises(InputError, match="column score has 1 entry where the items have 2"):
        Ragged([1, 1], {"score": [0.1]})


def test_entries_cannot_be_changed_and_copies_are_free(entries):
    with pytest.raises(ValueError, match="read-only"):
        entries["score"][0] = 1
    assert copy.deepcopy(entries) is entries
    assert pickle.loads(pickle.dumps(entries))["score"].tolist() == entries["score"].tolist()  # noqa: S301


def test_ranges_of_nothing_are_empty():
    assert ranges([], []).tolist() == []
    assert ranges([7, 3], [0, 2]).tolist() == [3, 4]
