"""Rows in buckets come back once, in the order of adding."""

import numpy as np
import pytest

from thresher.files.buckets import Buckets


@pytest.mark.parametrize("count", [1, 5, 300])
def test_rows_are_read_bucket_by_bucket(tmp_path, count):
    generator = np.random.default_rng(count)
    buckets, expected = Buckets(tmp_path / "buckets.tmp", count), [[] for _ in range(count)]
    for start in range(0, 200, 30):
        values = np.arange(start, start + 30)
        numbers = generator.integers(0, count, 30)
        buckets.add(numbers, lambda rows, values=values: values[rows].tolist())
        for number, value in zip(numbers.tolist(), values.tolist(), strict=True):
            expected[number].append(value)
    assert [
        [value for piece in buckets.read(number) for value in piece] for number in range(count)
    ] == expected


def test_rows_can_be_read_before_others_are_added(tmp_path):
    buckets = Buckets(tmp_path / "buckets.tmp", 2)
    buckets.add(np.array([1, 1]), lambda rows: ("first", rows.tolist()))
    assert (buckets.read(0), buckets.read(1)) == ([], [("first", [0, 1])])
    buckets.add(np.array([0]), lambda _: "second")
    buckets.add(np.array([], np.int64), lambda _: "none")
    assert (buckets.read(0), len(buckets.read(1))) == (["second"], 1)
