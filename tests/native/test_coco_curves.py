"""Native and numpy arrays of COCO's evaluation are equal to the last bit."""

import os
from itertools import pairwise

import numpy as np
import pytest

from thresher.kernels.detection.coco_curves import RankedHits, coco_curves

SEEDS = range(int(os.environ.get("FUZZ_SEEDS", "6")))


def ranked(seed, width):
    rng = np.random.default_rng(seed)
    labels, areas = int(rng.integers(0, 6)), int(rng.integers(1, 4))
    sizes = rng.integers(0, 80, labels) * (rng.random(labels) < 0.8)
    rows = int(sizes.sum())
    scores = rng.integers(0, 12, rows) / 11
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    for first, last in pairwise(starts):
        scores[first:last] = -np.sort(-scores[first:last])
    bits = rng.integers(0, 2**width, (3, rows, areas), dtype=np.uint64).astype(
        np.uint16 if width <= 16 else np.uint32
    )
    hits, ignored = bits[0] & bits[1], bits[2]
    ignored[rng.random((rows, areas)) < 0.3] = 2**width - 1
    ignored[rng.random((rows, areas)) < 0.5] = 0
    positives = rng.integers(0, 40, (labels, areas))
    return RankedHits(
        scores, starts, rng.integers(0, 9, rows).astype(np.int32), hits, ignored & ~hits, positives
    )


@pytest.mark.parametrize("recalls", [np.linspace(0, 1, 101), np.array([0.9, 0.0, 0.2, 0.1]), np.zeros(0)])
@pytest.mark.parametrize("seed", SEEDS)
def test_equal(both, seed, recalls):
    for width in (1, 10, 16, 32):
        fast, slow = both(coco_curves, ranked(seed, width), np.array([1, 4, 100]), recalls, width)
        for name in ("precision", "recall", "scores"):
            assert np.array_equal(getattr(fast, name), getattr(slow, name)), (name, width)


def test_arrays_that_contradict_each_other(native):
    good = ranked(3, 10)
    bad = RankedHits(good.scores[1:], good.starts, good.ranks, good.hits, good.ignored, good.positives)
    with pytest.raises(ValueError, match="contradict"):
        coco_curves(bad, np.array([1]), np.zeros(1), 10)
