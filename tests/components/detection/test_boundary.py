"""Boundary average precision: golden numbers of faster-coco-eval, and the definition as plain loops."""

import json
from pathlib import Path

import numpy as np
import pytest

from thresher.components.detection import DetectionCocoEvaluator, DetectionMatcher, Detections, Raster
from thresher.errors import InputError
from thresher.kernels.detection.boundaries import boundary, boundary_width

GOLDEN = Path(__file__).parents[2] / "golden" / "vision2"
CASES = ["bd_01_shifts", "bd_03_image_border", "bd_05_crowd", "bd_07_random"]
SIZES = ("small", "medium", "large")
NAMES = {"AP_all": "map", "AP_50": "map_50", "AP_75": "map_75"}
NAMES |= {"AR_all": "mar_1", "AR_second": "mar_10", "AR_third": "mar_100"}
NAMES |= {
    f"{stem}_{size}": f"{measure}_{size}"
    for stem, measure in (("AP", "map"), ("AR", "mar"))
    for size in SIZES
}


def sides(case):
    """Areas of predictions are those of their masks, as faster-coco-eval takes them."""

    def side(rows, image):
        own = [row for row in rows if row["image_id"] == image]
        masks = [Raster.from_rle(row["segmentation"]["size"], row["segmentation"]["counts"]) for row in own]
        more = {"scores": [row["score"] for row in own]} if rows is case["dt"] else {}
        more |= {} if more else {"crowd": [bool(row["iscrowd"]) for row in own]}
        return Detections.of([str(row["category_id"]) for row in own], geometries=masks, **more)

    images = [row["id"] for row in case["gt"]["images"]]
    rows = {"predictions": case["dt"], "ground_truths": case["gt"]["annotations"]}
    return {name: [side(entries, image) for image in images] for name, entries in rows.items()}


@pytest.mark.parametrize("name", CASES)
def test_golden_numbers_and_overlaps(name):
    case = json.loads((GOLDEN / f"{name}.json").read_text())
    data = sides(case)
    matches = DetectionMatcher(compare_as="boundary").run(**data)["matches"]
    result = DetectionCocoEvaluator().run(matches=matches)["result"]
    expected = case["expected"]["faster_coco_eval_1.8.0"]
    for key, measure in NAMES.items():
        value = result.value(f"detection_coco_{measure}")
        assert (-1 if np.isnan(value) else value) == pytest.approx(expected[key], abs=1e-12), key
    pairs = matches.pairs(same_label=False)
    overlaps = {
        (row, truth): iou for row, truth, iou in zip(pairs.prediction, pairs.truth, pairs.iou, strict=True)
    }
    for pair, numbers in case["hand"]["pairs"].items():
        row, truth = (int(text[2:]) for text in pair.split("-"))
        if not matches.truths.crowd[truth - 1]:
            assert overlaps.get((row, truth - 1), 0) == pytest.approx(numbers["used"], abs=1e-12), pair


@pytest.mark.parametrize("seed", range(6))
def test_a_boundary_is_what_is_near_the_outside(seed):
    rng = np.random.default_rng(seed)
    mask = rng.random((9, 12)) < 0.97
    for width in (1, 2, 3):
        outside = np.pad(~mask, width, constant_values=True)
        expected = np.zeros_like(mask)
        for row, column in zip(*np.nonzero(mask), strict=True):
            expected[row, column] = outside[row : row + 2 * width + 1, column : column + 2 * width + 1].any()
        np.testing.assert_array_equal(boundary(mask, width), expected)
        assert expected.sum() < mask.sum() or width == 3


def test_the_width_is_rounded_half_to_even():
    assert [boundary_width((3, 4), ratio) for ratio in (0.5, 0.7, 0.01)] == [2, 4, 1]


def test_objects_without_masks_are_refused():
    box = {"labels": ["cat"], "boxes": [[0, 0, 9, 9]]}
    with pytest.raises(InputError, match=r"predictions\[1\] has an object without a mask; compare_as='bound"):
        DetectionMatcher(compare_as="boundary").run(
            predictions=[None, box | {"scores": [0.5]}], ground_truths=[None, box]
        )


def test_the_width_is_part_of_the_signature_of_boundaries_only():
    data = sides(json.loads((GOLDEN / "bd_01_shifts.json").read_text()))
    signatures = []
    for compare_as in ("boundary", "raster"):
        matches = DetectionMatcher(compare_as=compare_as).run(**data)["matches"]
        result = DetectionCocoEvaluator().run(matches=matches)["result"]
        signatures.append(str(result.measures[0].signature))
    assert ["dilation_ratio:0.02" in signature for signature in signatures] == [True, False]
