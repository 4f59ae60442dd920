"""Items with equal weights are counted together, with the numbers of single rows to the last bit."""

import numpy as np
import pytest

from thresher.kernels.classification.curves import BestF1
from thresher.kernels.classification.decisions import DiagonalShare
from thresher.kernels.equal_items import equal_items
from thresher.results import Label, Ragged, Reduction, Statistics


def without_groups(items, groups):
    return (np.arange(groups)[:, None] != np.random.default_rng(0).integers(0, groups, items)).astype(float)


def curve_statistics(items):
    rng = np.random.default_rng(1)
    lengths, true_lengths = rng.integers(0, 9, items), rng.integers(0, 4, items)
    scores = {
        "label": rng.integers(0, 6, lengths.sum()).astype(np.int8),
        "step": rng.integers(1, 20, lengths.sum()).astype(np.uint8),
        "truth": rng.integers(-1, 6, lengths.sum()).astype(np.int8),
    }
    truths = {"label": rng.integers(0, 5, true_lengths.sum()).astype(np.int8)}
    ragged = {"scores": Ragged(lengths, scores), "truths": Ragged(true_lengths, truths)}
    labels = [Label.of(code) for code in range(6)]
    return Statistics({}, ragged, labels, ("scores.label", "scores.truth", "truths.label"))


def decision_statistics(items):
    rng = np.random.default_rng(2)
    lengths = rng.integers(0, 4, items)
    codes = {name: rng.integers(0, 3, lengths.sum()).astype(np.int8) for name in ("truth", "predicted")}
    return Statistics({}, {"decisions": Ragged(lengths, codes)})


@pytest.mark.parametrize("items", [1, 3, 400])
@pytest.mark.parametrize(
    ("reduction", "statistics_of"), [(BestF1(), curve_statistics), (DiagonalShare(), decision_statistics)]
)
def test_values_are_those_of_single_rows(items, reduction, statistics_of):
    statistics, rng = statistics_of(items), np.random.default_rng(3)
    for weights in (
        without_groups(items, 20),
        np.vstack([np.zeros(items), np.ones(items)]),
        rng.integers(0, 4, (5, items)).astype(float),
        rng.random((5, items)),
        np.full((2, items), 1 / 3),
    ):
        expected = Reduction.many(reduction, statistics, weights)
        np.testing.assert_array_equal(reduction.many(statistics, weights), expected)


def test_groups_that_are_left_out_are_found():
    weights = without_groups(1000, 20)
    group, of_groups = equal_items(weights)
    assert of_groups.shape == (20, 20)
    np.testing.assert_array_equal(of_groups[:, group], weights)


@pytest.mark.parametrize(
    "weights",
    [
        np.full((2, 100), 0.5),
        np.full((2, 100), -1.0),
        np.full((2, 100), 256.0),
        np.full((2, 100), np.nan),
        np.random.default_rng(0).integers(0, 3, (30, 100)).astype(float),
        np.zeros((0, 100)),
        np.zeros((3, 0)),
    ],
)
def test_other_weights_have_no_groups(weights):
    assert equal_items(weights) is None
