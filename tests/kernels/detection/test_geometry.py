"""Boxes, polygons and rasters: areas, outlines and overlaps, against pycocotools, shapely and paper."""

import json
from pathlib import Path

import numpy as np
import pytest
from pycocotools import mask as coco_mask

from thresher.errors import InputError
from thresher.kernels.detection import polygons
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections import Detections
from thresher.kernels.detection.overlaps import BOX, POLYGON, overlapping
from thresher.kernels.detection.polygons import Polygons
from thresher.kernels.detection.rasterize import polygon_raster, ring_raster, union
from thresher.kernels.detection.rasters import Raster, RasterColumn
from thresher.kernels.detection.run_length_texts import decompressed
from vision_cases import detection_inputs, golden


def some_masks(seed, count=60, size=(17, 23)):
    generator = np.random.default_rng(seed)
    masks = [generator.random(size) < generator.random() for _ in range(count - 2)]
    return [*masks, np.zeros(size, bool), np.ones(size, bool)]


def pixels(runs):
    return Raster.from_rle(runs["size"], runs["counts"]).to_array()


def overlaps(name, **options):
    sides = detection_inputs(golden(name))
    truths = DetectionColumns.of(sides["ground_truths"])
    predictions = DetectionColumns.of(sides["predictions"])
    vocabulary = sorted({*truths.labels, *predictions.labels})
    both = [
        side.with_labels(tuple(vocabulary), np.array([vocabulary.index(each) for each in side.labels]))
        for side in (predictions, truths)
    ]
    pairs = overlapping(*both, **options)
    return {
        f"{truths.ids[truth]}-{predictions.ids[prediction]}": iou
        for prediction, truth, iou in zip(pairs.prediction, pairs.truth, pairs.iou, strict=True)
    }


@pytest.mark.parametrize("mask", some_masks(0), ids=str)
def test_run_lengths_are_those_of_pycocotools(mask):
    runs = coco_mask.encode(np.asfortranarray(mask.astype(np.uint8)))
    raster = Raster.of(mask)
    assert raster.counts.tolist() == Raster.from_rle(runs["size"], runs["counts"]).counts.tolist()
    np.testing.assert_array_equal(raster.to_array(), mask)
    assert raster.area == mask.sum()
    x, y, width, height = coco_mask.toBbox(runs)
    assert raster.box == ((x, y, x + width, y + height) if mask.any() else (0, 0, 0, 0))


def test_shared_pixels_are_counted_for_all_pairs():
    first, second = some_masks(1, 20), some_masks(2, 15)
    one, two = (RasterColumn.of([Raster.of(mask) for mask in masks]) for masks in (first, second))
    mine, theirs = (each.ravel() for each in np.meshgrid(range(20), range(15), indexing="ij"))
    wanted = [(first[at] & second[to]).sum() for at, to in zip(mine, theirs, strict=True)]
    assert one.intersections(two, mine, theirs).tolist() == wanted


@pytest.mark.parametrize("seed", range(40))
def test_polygons_are_drawn_as_by_pycocotools(seed):
    generator = np.random.default_rng(seed)
    height, width = generator.integers(1, 90, 2).tolist()
    rings = [generator.random((int(generator.integers(3, 20)), 2)) * [width, height] for _ in range(2)]
    rings[1] = np.round(rings[1] * 2.6 - 0.3 * np.array([width, height])) / 2
    drawn = coco_mask.frPyObjects([ring.ravel().tolist() for ring in rings], height, width)
    for ring, runs in zip(rings, drawn, strict=True):
        np.testing.assert_array_equal(ring_raster(ring, height, width).to_array(), pixels(runs))
    whole = union([ring_raster(ring, height, width) for ring in rings])
    np.testing.assert_array_equal(whole.to_array(), pixels(coco_mask.merge(drawn)))


def test_a_hole_is_left_out():
    square, hole = [[0, 0], [9, 0], [9, 9], [0, 9]], [[3, 3], [6, 3], [6, 6], [3, 6]]
    assert polygon_raster([square, hole], 9, 9).area == 81 - 9


def test_overlaps_by_hand():
    hand = golden("is_01_geometry_iou")["hand"]["iou"]
    found = overlaps("is_01_geometry_iou")
    assert {pair: found.get(pair, 0.0) for pair in hand} == pytest.approx(hand)


def test_masks_by_hand_as_they_are_and_as_boxes():
    hand = golden("is_02_raster")["hand"]
    assert overlaps("is_02_raster") == pytest.approx(hand["iou"])
    assert overlaps("is_02_raster", lowest_kind=BOX) == pytest.approx(hand["iou_as_box"])


def test_an_outline_keeps_what_valors_hull_loses():
    exact = overlaps("is_03_raster_as_polygon", lowest_kind=POLYGON)
    pixels = overlaps("is_03_raster_as_polygon")
    assert exact == pytest.approx(pixels)
    hull = overlaps("is_03_raster_as_polygon", lowest_kind=POLYGON, raster_to_polygon="hull")
    assert hull["g1-p1"] > exact["g1-p1"]
    assert polygons.areas(polygons.shapes([polygons.hull(Raster.of(np.ones((4, 6))))])).tolist() == [3 * 5]


def test_rotated_crossing_and_flat_polygons():
    hand = golden("is_05_rotated_invalid")["hand"]["iou"]
    found = overlaps("is_05_rotated_invalid")
    assert {pair: found.get(pair, 0.0) for pair in hand} == pytest.approx(hand)


def test_a_turned_box_has_the_area_of_the_straight_one():
    straight = Polygons.rotated_box((10, 10), (8, 2), 0)
    turned = Polygons.rotated_box((10, 10), (8, 2), 30)
    areas = polygons.areas(polygons.shapes([straight, turned]))
    assert areas == pytest.approx([16, 16])
    assert straight.box == (6, 9, 14, 11)
    quarter = Polygons.rotated_box((10, 10), (8, 2), 90)
    assert quarter.box == pytest.approx((9, 6, 11, 14))


@pytest.mark.parametrize("mask", some_masks(5, 12, (6, 7)), ids=str)
def test_the_outline_of_pixels_has_their_area(mask):
    outline = polygons.outline(Raster.of(mask))
    area = 0 if outline is None else polygons.areas(polygons.shapes([outline]))[0]
    assert area == pytest.approx(mask.sum())


@pytest.mark.parametrize("text", [b"2P", b"22\x10", b"~~"])
def test_damaged_run_lengths_are_refused(text):
    with pytest.raises(InputError, match="compressed run lengths are damaged"):
        decompressed([text])


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: Raster.from_rle([2, 2], [1, 2]),
            "run lengths add up to 3, but a mask of 2 x 2 has 4 pixels",
        ),
        (lambda: Raster.from_rle([2], [4]), r"the size of a mask is \[height, width\]"),
        (lambda: Raster.of([1, 0]), "a mask has height and width"),
        (lambda: Polygons.of([[[0, 0], [1, 1]]]), "a ring has 2 distinct points; give three or more"),
        (lambda: Polygons.of([[[0, 0], [1, float("nan")], [2, 2]]]), "finite numbers"),
        (lambda: Polygons.of([]), "a polygon needs an outer ring"),
        (Polygons.of, "a polygon needs an outer ring"),
        (lambda: Polygons.rotated_box((0, 0), (-1, 2), 0), "width and height of at least 0"),
        (
            lambda: Detections.of(["a"], [[5, 0, 1, 9]]),
            r"box 0 is \[5.0, 0.0, 1.0, 9.0\] \(xyxy\); give xmin .* ymax, or pass another box_format",
        ),
        (
            lambda: Detections.of(["a"], [[0, 0, -1, 9]], box_format="xywh"),
            "give width and height of at least 0",
        ),
        (lambda: Detections.of(["a"], [[0, 0, float("nan"), 9]]), "box 0 is .*; give finite numbers"),
        (
            lambda: Detections.of(["a"], [[0, 0, 1, 9]], [float("inf")]),
            "object 0 has the score inf; give a finite number",
        ),
        (lambda: Detections.of(["a"], [[0, 0, 1, 9]], [float("nan")]), "object 0 has the score nan"),
        (lambda: Detections.of(["a", "b"], [[0, 0, 1, 9]]), "boxes has 1 entry for 2 labels"),
        (lambda: Detections.of(["a"]), "give either boxes or geometries"),
        (lambda: Detections.of(["a"], [[0, 0, 1, 9]], box_format="yxyx"), "box_format='yxyx' is unknown"),
        (lambda: Detections.read([1]), "an image cannot be list; give Detections, a dict with"),
        (lambda: Detections.read({"boxes": []}), "an image has boxes, and no labels"),
        (
            lambda: Detections.of({"boxes": np.zeros((9, 4)), "category_id": [1], "iscrowd": [0]}),
            "^an image is a dict of .*, not of 'category_id'$",
        ),
        (lambda: Detections.of(object()), "^an image cannot be object; give Detections"),
        (lambda: Detections.of(None), "labels is None; give a list with one label per object"),
        (
            lambda: Detections.read({"labels": ["a"], "geometries": [{"type": "Point"}]}),
            "a geometry is GeoJSON",
        ),
    ],
)
def test_what_cannot_be_is_named(build, message):
    with pytest.raises(InputError, match=message):
        build()


def test_zero_area_and_coordinates_outside_the_image_are_no_error():
    truths = DetectionColumns.of(
        [Detections.of(["a"], [[-5, -5, 5, 5]]), Detections.of(["a"], [[3, 3, 3, 3]])]
    )
    assert overlapping(truths, truths).iou.tolist() == [1.0]


def test_images_survive_as_plain_data():
    image = Detections.of(
        ["a", "b", "c"],
        geometries=[[0, 0, 2, 2], Polygons.of([[[0, 0], [4, 0], [4, 3]]]), Raster.of([[0, 1], [1, 1]])],
        scores=[0.1, 0.2, 0.3],
        crowd=[False, True, False],
        areas=[1.0, 2.0, 3.0],
        ids=[7, 8, 9],
    )
    again = Detections.read(image.to_dict())
    assert again.to_dict() == image.to_dict()
    assert again.boxes.tolist() == image.boxes.tolist() == [[0, 0, 2, 2], [0, 0, 4, 3], [0, 0, 2, 2]]


def test_columns_read_as_lists_of_images():
    boxes = [[0, 0, 1, 1], [0, 0, 2, 2], [0, 0, 3, 3]]
    columns = DetectionColumns.from_arrays(
        [2, 0, 2], [1, 0, 0], boxes, [0.3, 0.2, 0.1], size=3, labels=["b", "a"]
    )
    assert [len(image) for image in columns] == [1, 0, 2]
    assert [str(label) for label in columns[2].labels] == ["a", "b"]
    assert columns[-1].boxes.tolist() == [[0, 0, 1, 1], [0, 0, 3, 3]]
    again = DetectionColumns.of(list(columns))
    assert again.boxes.tolist() == columns.boxes.tolist()
    assert columns[:1].objects == 1
    joined = DetectionColumns.concatenate([columns[:2], columns[2:]])
    assert joined.label.tolist() == columns.label.tolist()


@pytest.mark.parametrize(
    ("images", "label", "scores", "message"),
    [
        ([3], [0], [0.5], "images: row 0 has position 3; there are 2, counted from 0"),
        ([0], [1], [0.5], "label: row 0 has position 1; there are 1"),
        ([0], [0], [-np.inf], "row 0 has the score -inf; give a finite number"),
    ],
)
def test_columns_out_of_range_are_named(images, label, scores, message):
    with pytest.raises(InputError, match=message):
        DetectionColumns.from_arrays(images, label, [[0, 0, 1, 1]], scores, size=2, labels=["a"])


def test_a_soft_mask_needs_a_threshold():
    """Every pixel of a mask of probabilities is above 0: taken as it is, it would cover the image."""
    case = json.loads(
        (Path(__file__).parents[2] / "golden/vision2/src_03_torchvision_masks.json").read_text()
    )
    masks = np.array(case["input"]["prediction"]["masks"], np.float32)[:, 0]
    with pytest.raises(
        InputError, match=r"the mask is soft \(it holds 0.001\).*give mask > 0.5, or Detections.of"
    ):
        Raster.of(masks[0])
    assert [Raster.of(mask, threshold=0.5).area for mask in masks] == case["expected"]["areas_at_0.5"]
    assert [Raster.of(mask >= 0.5).area for mask in masks] == case["expected"]["areas_at_0.5"]


def test_masks_of_whole_floats_are_hard():
    assert Raster.of(np.array([[0.0, 255.0], [1.0, 0.0]])).area == 2
    assert Raster.of(np.array([[0, 7], [7, 0]], np.uint8)).area == 2


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.float32])
@pytest.mark.parametrize("threshold", [None, 0.5])
def test_grey_levels_and_numbers_of_objects_are_not_one_mask(kind, threshold):
    mask = np.array([[0, 5], [229, 5]], kind)
    if kind is np.float32 and threshold:
        assert Raster.of(mask, threshold).area == 3  # logits, say
        return
    with pytest.raises(InputError, match=r"the mask holds 5 and 229.*mask > 127.*mask == NUMBER"):
        Raster.of(mask, threshold)


@pytest.mark.parametrize(
    ("mask", "threshold", "message"),
    [
        ([[0.0, np.nan]], None, "a mask holds NaN"),
        ([["a", "b"]], None, "a mask holds booleans or numbers"),
        ([[0.2, 0.8]], 0, "threshold=0 must be a number above 0, at most 1"),
        ([[0.2, 0.8]], True, "threshold=True must be a number above 0, at most 1"),
    ],
)
def test_masks_that_cannot_be(mask, threshold, message):
    with pytest.raises(InputError, match=message):
        Raster.of(mask, threshold)
