"""Outcomes in the order of labels and scores are equal with native kernels and with numpy."""

import numpy as np
import pytest

from thresher.kernels.detection.ranked import View, ranked
from thresher.results import Label, Ragged, Statistics


def statistics(labels, ranges, bits, images=300):
    rng = np.random.default_rng([labels, ranges])
    lengths, true_lengths = rng.integers(0, 9, images), rng.integers(0, 4, images)
    rows, true_rows = int(lengths.sum()), int(true_lengths.sum())
    label, true_label = rng.integers(0, labels, rows), rng.integers(0, labels, true_rows)
    kind = np.uint8 if labels <= 256 else np.int32
    columns = {
        "label": label.astype(kind),
        "score": rng.integers(0, 50, rows) / 50,
        "hits": rng.integers(0, 1024, (rows, ranges)).astype(bits),
        "ignored": rng.integers(0, 1024, (rows, ranges)).astype(bits),
        "rank": rng.integers(0, 12, rows).astype(np.int32),
    }
    true_columns = {"label": true_label.astype(kind), "ignored": rng.random((true_rows, ranges)) < 0.2}
    ragged = {"predictions": Ragged(lengths, columns), "truths": Ragged(true_lengths, true_columns)}
    names = [Label("", str(code)) for code in range(labels)]
    return Statistics({}, ragged, names, ("predictions.label", "truths.label"))


@pytest.mark.parametrize("bits", [np.uint16, np.uint32])
@pytest.mark.parametrize("ranges", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("labels", [1, 7, 256, 300])  # 256 codes fit a byte, their number does not
def test_outcomes_in_order(both, labels, ranges, bits):
    def ordered():
        return ranked(statistics(labels, ranges, bits), View(10, 0, 10)).ordered

    fast, slow = both(ordered)
    for name in (
        "images",
        "starts",
        "ranks",
        "hits",
        "ignored",
        "truth_images",
        "truth_starts",
        "truth_ignored",
    ):
        np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name), err_msg=name)
    data = statistics(labels, ranges, bits)
    counts = np.bincount(data.ragged["predictions"]["label"], minlength=labels)
    np.testing.assert_array_equal(np.diff(fast.starts), counts)
    assert fast.hits.shape == (ranges, counts.sum())
