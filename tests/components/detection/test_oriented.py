"""Rotated boxes: overlaps, ProbIoU, the protocol of DOTA and COCO's."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from thresher.components.detection import (
    DetectionAveragePrecisionEvaluator,
    DetectionCocoEvaluator,
    DetectionMatcher,
    Detections,
    Polygons,
)
from thresher.errors import InputError
from vision_cases import by_label

GOLDEN = Path(__file__).parents[2] / "golden" / "vision2"
KIT = {"11": "DOTA_devkit (polyiou by shapely), AP by 11 points", "area": "DOTA_devkit, AP by area"}


def case(name):
    return json.loads((GOLDEN / f"{name}.json").read_text())


def matched(data, **options):
    names = {row["id"]: row["name"] for row in data["gt"]["categories"]}

    def side(rows, image):
        own = [row for row in rows if row["image_id"] == image]
        more = {"scores": [row["score"] for row in own]} if rows is data["dt"] else {}
        more |= {} if more else {"difficult": [bool(row["difficult"]) for row in own]}
        labels = [names[row["category_id"]] for row in own]
        return Detections.of(labels, [row["obb"] for row in own], box_format="cxcywhr", **more)

    images = [row["id"] for row in data["gt"]["images"]]
    return DetectionMatcher(**options).run(
        predictions=[side(data["dt"], image) for image in images],
        ground_truths=[side(data["gt"]["annotations"], image) for image in images],
    )["matches"]


def overlap(pair, compare_as):
    one, two = (Detections.of(["x"], [pair[key]], box_format="cxcywhr") for key in "ab")
    scored = Detections.of(["x"], [pair["a"]], [1.0], box_format="cxcywhr")
    matches = DetectionMatcher(compare_as=compare_as).run(predictions=[scored], ground_truths=[two])
    assert len(one) == 1
    return float(matches["matches"].pairs().iou.sum())


def test_overlaps_and_probiou():
    for pair in case("obb_01_iou")["pairs"]:
        assert overlap(pair, "polygon") == pytest.approx(pair["iou_shapely"], abs=1e-12), pair["note"]
        similarity = overlap(pair, "probiou")
        if pair["iou_shapely"] > 1e-9:
            assert similarity == pytest.approx(pair["probiou"], abs=1e-6), pair["note"]
        else:
            assert similarity < 0.125, pair["note"]
            assert isinstance(pair["probiou"], str) or pair["probiou"] < 0.125, pair["note"]


@pytest.mark.parametrize("name", ["obb_02_protocol", "obb_05_no_predictions_of_a_class"])
def test_the_protocol_of_dota(name):
    data = case(name)
    matches = matched(data)
    for integration, engine in KIT.items():
        evaluator = DetectionAveragePrecisionEvaluator(
            matching="voc", iou_thresholds=[0.5], integration=integration
        )
        table = by_label(evaluator.run(matches=matches)["result"].detail("by_label"), "ap")
        for label, row in data["expected"][engine].items():
            if label != "map":  # the kit cannot read an empty file of results
                assert table[f":{label}"] == pytest.approx(row.get("ap", 0.0), abs=1e-12), (name, label)


def test_coco_s_protocol_equals_hotcoco_without_difficult_objects():
    data = case("obb_05_no_predictions_of_a_class")
    result = DetectionCocoEvaluator().run(matches=matched(data))["result"]
    expected = data["expected"]["hotcoco_1.3.0 obb (COCO protocol)"]
    for key, measure in {"AP": "map", "AP50": "map_50", "AP75": "map_75", "AR100": "mar_100"}.items():
        assert result.value(f"detection_coco_{measure}") == pytest.approx(expected[key], abs=1e-12)


def test_a_rectangle_may_be_written_in_several_ways():
    ways = [[50, 40, 30, 10, 0.4], [50, 40, 10, 30, 0.4 + math.pi / 2], [50, 40, 30, 10, 0.4 + math.pi]]
    truth = Detections.of(["x"], ways[:1], box_format="cxcywhr")
    for way in ways:
        for compare_as in ("polygon", "probiou"):
            one = overlap({"a": way, "b": ways[0]}, compare_as)
            assert one == pytest.approx(1 if compare_as == "polygon" else 0.99955, abs=1e-5)
    assert truth.areas.tolist() == pytest.approx([300])
    turned = Polygons.rotated_box((50, 40), (30, 10), math.degrees(0.4))
    np.testing.assert_allclose(truth.geometries[0].parts[0][0], turned.parts[0][0])


def test_probiou_of_other_shapes_is_that_of_the_smallest_box_around_them():
    corners = np.array([[10, 10], [50, 14], [49, 34], [9, 30.0]])
    shapes = [Polygons.of([np.insert(corners, 1, corners[:2].mean(axis=0), axis=0)]), Polygons.of([corners])]
    values = []
    for shape in shapes:
        sides = [Detections.of(["x"], geometries=[shape], scores=scores) for scores in ([0.5], None)]
        run = DetectionMatcher(compare_as="probiou").run(predictions=sides[:1], ground_truths=sides[1:])
        values += run["matches"].pairs().iou.tolist()
    assert values == pytest.approx([0.99955, 0.99955], abs=1e-5)


@pytest.mark.parametrize(
    ("boxes", "message"),
    [
        ([[1, 2, 3, 4]], "give five numbers per rotated box"),
        ([[1, 2, 3, 4, 90]], "box 0 is turned by 90, more than a full turn in radians; convert degrees"),
        ([[1, 2, -3, 4, 0]], "box 0: a rotated box has width and height of at least 0"),
        ([[1, 2, 3, 4, float("nan")]], "box 0"),
    ],
)
def test_rotated_boxes_that_cannot_be_are_refused(boxes, message):
    with pytest.raises(InputError, match=message):
        Detections.of(["x"], boxes, box_format="cxcywhr")


def test_upright_boxes_have_no_probiou():
    box = {"labels": ["x"], "boxes": [[0, 0, 9, 9]]}
    with pytest.raises(
        InputError, match="predictions are upright boxes; compare_as='probiou' is for rotated"
    ):
        DetectionMatcher(compare_as="probiou").run(predictions=[box | {"scores": [1]}], ground_truths=[box])
