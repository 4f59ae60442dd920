"""Pairs sorted on disk come in the order of their keys, whatever the size of the runs."""

import numpy as np
import pytest

from thresher.files.sorted_pairs import SortedPairs


@pytest.mark.parametrize("run", [1, 3, 16, 1000])
@pytest.mark.parametrize("distinct", [1, 2, 7, 10**9])
def test_pairs_come_in_the_order_of_keys_and_of_appending(run, distinct, tmp_path):
    rng = np.random.default_rng([run, distinct])
    keys = rng.integers(-distinct, distinct, 200)
    pairs = SortedPairs(tmp_path / "pairs.tmp", run)
    for start in range(0, 200, 7):
        block = np.arange(start, min(start + 7, 200))
        pairs.append(keys[block], block)
    batches = list(pairs.in_order())
    order = np.argsort(keys, kind="stable")
    assert np.concatenate([batch["value"] for batch in batches]).tolist() == order.tolist()
    assert np.concatenate([batch["key"] for batch in batches]).tolist() == keys[order].tolist()


def test_extreme_keys_are_sorted_and_nothing_is_nothing(tmp_path):
    bounds = np.iinfo(np.int64)
    pairs = SortedPairs(tmp_path / "pairs.tmp", 2)
    keys = np.array([bounds.max, bounds.min, 0] * 6)
    pairs.append(keys, np.arange(18))
    assert np.concatenate([batch["key"] for batch in pairs.in_order()]).tolist() == sorted(keys.tolist())
    assert list(SortedPairs(tmp_path / "none.tmp").in_order()) == []
