"""Counting pairs by bins and by sorting is the same, whatever the scores look like."""

import numpy as np
import pytest

from thresher.kernels.classification import ranking
from thresher.kernels.classification.ranking import compact, pairs_won

SHAPES = {
    "spread": lambda generator, size: generator.random(size),
    "tied": lambda generator, size: np.round(generator.random(size), 2),
    "logits": lambda generator, size: generator.normal(0, 5, size),
    "tiny and huge": lambda generator, size: np.exp(generator.normal(0, 20, size)),
    "zeros": lambda generator, size: np.where(generator.random(size) < 0.5, -0.0, 0.0),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_many_scores_are_counted_as_few_are(shape, dtype, monkeypatch):
    generator = np.random.default_rng(1)
    negative = SHAPES[shape](generator, 5000).astype(dtype)
    positive = generator.permutation(negative)[:300] + generator.integers(0, 2, 300).astype(dtype)
    plain = pairs_won(positive, negative)
    monkeypatch.setattr(ranking, "_MANY", 10)
    assert pairs_won(positive, negative) == plain
    assert pairs_won(positive[:0], negative) == 0


def test_a_few_pairs_by_hand():
    assert pairs_won([1.0], [0.0, 1.0, 2.0]) == 1.5
    assert pairs_won([], []) == 0.0


def test_counts_take_a_byte_and_other_weights_stay():
    assert compact(np.array([0.0, 3.0, 255.0])).dtype == np.uint8
    for weights in ([0.5, 1.0], [0.0, 256.0], [-1.0, 1.0]):
        assert compact(np.array(weights)).tolist() == weights
