"""Native and numpy intersections of masks are equal."""

import os

import numpy as np
import pytest

from thresher.kernels.detection.rasters import Raster, RasterColumn

SEEDS = range(int(os.environ.get("FUZZ_SEEDS", "4")))


def column(rng, masks):
    """Empty, full, speckled and blocky masks, and None."""
    rasters = []
    for _ in range(masks):
        share = rng.choice([0.0, 1.0, 0.02, 0.5, 0.98])
        speckled = rng.random((9, 8)) < share
        blocks = np.kron(rng.random((3, 4)) < share, np.ones((3, 2), bool))
        rasters.append([None, Raster.of(speckled), Raster.of(blocks)][rng.choice(3, p=[0.1, 0.6, 0.3])])
    return rasters, RasterColumn.of(rasters)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("masks", [1, 5, 40])
def test_intersections(both, seed, masks):
    rng = np.random.default_rng(seed)
    (ours, one), (theirs, other) = column(rng, masks), column(rng, masks + 3)
    pairs = rng.integers(0, masks, 500), rng.integers(0, masks + 3, 500)
    fast, slow = both(one.intersections, other, *pairs)
    np.testing.assert_array_equal(fast, slow, strict=True)
    for shared, first, second in zip(fast, *pairs, strict=True):
        inside = [mask is not None and mask.to_array() for mask in (ours[first], theirs[second])]
        assert shared == np.count_nonzero(inside[0] & inside[1])


def test_no_pairs_and_no_masks(both):
    empty, none = RasterColumn.of([]), np.zeros(0, np.int64)
    fast, slow = both(empty.intersections, empty, none, none)
    np.testing.assert_array_equal(fast, slow, strict=True)


def test_threads_change_nothing(native, monkeypatch):
    monkeypatch.setattr("thresher.kernels.detection.rasters._PAIRS_PER_THREAD", 1)
    rng = np.random.default_rng(0)
    _, masks = column(rng, 50)
    pairs, counts = rng.integers(0, 50, (2, 3000)), []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("THRESHER_THREADS", threads)
        counts.append(masks.intersections(masks, *pairs).tolist())
    assert counts[0] == counts[1] == counts[2]


@pytest.mark.parametrize("pair", [(2, 0), (0, 2), (-1, 0)])
def test_pairs_of_other_masks_are_refused(native, pair):
    masks = RasterColumn.of([Raster.of([[1, 0]]), None])
    with pytest.raises(ValueError, match="contradict"):
        masks.intersections(masks, *(np.array([at]) for at in pair))
