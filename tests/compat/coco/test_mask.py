"""The functions of pycocotools.mask: equal run lengths, arrays and types."""

import numpy as np
import pytest
from pycocotools import mask as theirs

from coco_sides import assert_same
from thresher.compat.coco import mask as ours
from thresher.compat.coco.mask_rasters import to_rasters
from thresher.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # pycocotools


@pytest.mark.parametrize("seed", range(20))
def test_equal_pycocotools(seed):
    rng = np.random.default_rng(seed)
    height, width, count = (int(side) for side in (*rng.integers(1, 60, 2), rng.integers(1, 6)))
    pixels = np.asfortranarray(rng.random((height, width, count)) < rng.random(), dtype=np.uint8)
    masks = theirs.encode(pixels)
    assert_same(ours.encode(pixels), masks)
    assert_same(ours.encode(pixels[:, :, 0]), masks[0])
    for name in ("decode", "area", "toBbox"):
        for given in (masks, masks[0]):
            assert_same(getattr(ours, name)(given), getattr(theirs, name)(given), name)
    for intersect in (False, True):
        assert_same(ours.merge(masks, intersect), theirs.merge(masks, intersect))
    crowd = rng.integers(0, 2, count).tolist()
    assert_same(ours.iou(masks, masks[::-1], crowd), theirs.iou(masks, masks[::-1], crowd))
    boxes, others = rng.random((2, count, 4)) * 40
    assert_same(ours.iou(boxes, others, crowd), theirs.iou(boxes, others, crowd))
    polygons = [(rng.random(2 * int(rng.integers(3, 9))) * 70 - 5).tolist() for _ in range(count)]
    runs = {"size": [height, width], "counts": to_rasters(masks)[0].counts.tolist()}
    for given in (polygons, boxes, runs, [runs]):
        assert_same(ours.frPyObjects(given, height, width), theirs.frPyObjects(given, height, width))
    for given in (polygons, boxes.tolist()):  # pycocotools refuses single ones, and lists of boxes
        assert [ours.frPyObjects(one, height, width) for one in given] == ours.frPyObjects(
            given, height, width
        )


def test_nothing():
    assert ours.iou([], [[0, 0, 1, 1]], [0]) == theirs.iou([], [[0, 0, 1, 1]], [0]) == []
    assert_same(ours.merge([]), theirs.merge([]))


def test_masks_of_different_sizes():
    masks = [ours.encode(np.ones((2, side), np.uint8)) for side in (2, 3)]
    assert_same(ours.iou(masks[:1], masks, [0, 0]), theirs.iou(masks[:1], masks, [0, 0]))
    with pytest.raises(InputError, match=r"different sizes: \[\(2, 2\), \(2, 3\)\]"):
        ours.merge(masks)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ours.decode({"counts": "22"}), "a mask is a dict of size and counts"),
        (lambda: ours.frPyObjects([["a"] * 6], 4, 4), "frPyObjects: give numbers of a polygon"),
        (lambda: ours.iou([[0, 0, 1, 1]], [[0, 0, 1, 1]], []), "0 entries of iscrowd for 1 true object"),
        (lambda: ours.iou([[0, 0, 1, 1]], [ours.encode(np.ones((2, 2)))], [0]), "give both as the same kind"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InputError, match=message):
        call()
