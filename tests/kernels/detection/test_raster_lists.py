"""Masks as columns are the masks that they were made of, with native kernels and without."""

import json
import pickle

import numpy as np
import pytest

from thresher.kernels.detection.raster_lists import Rasters
from thresher.kernels.detection.rasters import Raster
from thresher.native.library import library


@pytest.fixture(params=["native", "numpy"], autouse=True)
def kernels(request, monkeypatch):
    if request.param == "native" and library() is None:
        pytest.skip("the native kernels are not compiled")
    if request.param == "numpy":
        monkeypatch.setenv("THRESHER_KERNELS", "numpy")
        library.cache_clear()
    yield
    monkeypatch.undo()
    library.cache_clear()


def masks(seed, count=30):
    """Empty, full and speckled masks, of several sizes, with empty runs too."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        height, width = rng.integers(0, 12, 2)
        mask = Raster.of(rng.random((height, width)) < rng.choice([0, 0.05, 0.6, 1]))
        counts = mask.counts.tolist()
        found.append(Raster(mask.size, np.array([0, 0, *counts, 0])) if rng.random() < 0.3 else mask)
    return found


def plain(rasters):
    return [(mask.size, mask.counts.tolist()) for mask in rasters]


def assert_same(columns, rasters):
    assert plain(columns) == plain(rasters)
    assert columns.areas.tolist() == [mask.area for mask in rasters]
    assert columns.boxes.tolist() == [list(mask.box) for mask in rasters]
    assert (
        bytes(columns.json())
        == json.dumps([mask.to_dict() for mask in rasters], sort_keys=True)[1:-1].encode()
    )


@pytest.mark.parametrize("seed", range(3))
def test_parts_of_lists(seed):
    rasters = masks(seed)
    columns = Rasters.of(rasters)
    assert_same(columns, rasters)
    assert columns[-1].counts.dtype == np.int64
    rows = np.random.default_rng(seed).integers(0, 30, 50)
    for entries in (slice(None), slice(4, 9), slice(9, 4), slice(None, None, -2), slice(30, 40)):
        assert_same(columns[entries], rasters[entries])
        assert_same(columns[entries].compact(), rasters[entries])
    some = columns.take(rows)
    assert_same(some, [rasters[at] for at in rows])
    assert_same(some[3:9].take(np.array([2, 2, 0])), [rasters[at] for at in rows[[5, 5, 3]]])
    copied = pickle.loads(pickle.dumps(some))  # noqa: S301
    assert_same(copied, [rasters[at] for at in rows])
    assert_same(Rasters.concatenate([some, columns, some[:0]]), [*(rasters[at] for at in rows), *rasters])
    with pytest.raises(IndexError):
        columns[30]


def test_a_pickle_has_the_masks_of_the_part_alone():
    columns = Rasters.of(masks(0, 400))
    assert len(pickle.dumps(columns[5:6])) < len(pickle.dumps(columns)) / 20


def test_intersections():
    rng = np.random.default_rng(5)
    ours, theirs = ([Raster.of(rng.random((9, 7)) < share) for share in rng.random(12)] for _ in range(2))
    pairs = np.sort(rng.integers(0, 12, 200)), rng.integers(0, 12, 200)
    shared = Rasters.of(ours).intersections(Rasters.of(theirs), *pairs)
    wanted = [(ours[a].to_array() & theirs[b].to_array()).sum() for a, b in zip(*pairs, strict=True)]
    assert shared.tolist() == wanted
    turned = Rasters.of(ours)[::-1].intersections(Rasters.of(theirs)[::-1], *(11 - side for side in pairs))
    assert turned.tolist() == wanted


@pytest.mark.parametrize("pair", [(12, 0), (0, 12), (-1, 0)])
def test_pairs_of_other_masks_are_refused(pair):
    if library() is None:
        pytest.skip("numpy refuses others")
    some = Rasters.of([Raster.of([[1]])] * 12)
    with pytest.raises(ValueError, match="contradict"):
        some.intersections(some, *(np.array([at]) for at in pair))


@pytest.mark.parametrize(
    "shapes", [[None], [Raster.of([[1]]), None], [Raster((2**16, 2**16), np.array([2**32]))]]
)
def test_other_shapes_are_no_columns(shapes):
    assert Rasters.of(shapes) is None


def test_no_masks():
    assert_same(Rasters.of([]), [])
