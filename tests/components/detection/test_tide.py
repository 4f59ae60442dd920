"""The costs of errors against those of tidecv 1.0.1, frozen in a golden file."""

import json
from pathlib import Path

import numpy as np
import pytest

from thresher.components.detection import (
    DetectionErrorEvaluator,
    DetectionMatcher,
    DetectionMatches,
    DetectionTideEvaluator,
)
from thresher.errors import InputError

GOLDEN = Path(__file__).parents[2] / "golden" / "vision2" / "tide_random.json"
NAMES = {
    "Cls": "classification",
    "Loc": "localization",
    "Both": "both",
    "Dupe": "duplicate",
    "Bkg": "background",
    "Miss": "missed",
    "FalsePos": "false_positive",
    "FalseNeg": "false_negative",
}


def matches(truths, predictions):
    sides = []
    for images, last in ((truths, "crowd"), (predictions, "scores")):
        names = ("labels", "boxes", last)
        rows = [dict(zip(names, map(list, zip(*image, strict=True)), strict=False)) for image in images]
        sides.append([{"labels": [], "boxes": [], "box_format": "xywh"} | row for row in rows])
    for image in sides[1]:
        image.setdefault("scores", [])
    return DetectionMatcher().run(ground_truths=sides[0], predictions=sides[1])["matches"]


def evaluate(truths, predictions, **options):
    return DetectionTideEvaluator(**options).run(matches=matches(truths, predictions))["result"]


def test_costs_and_counts_are_those_of_tidecv():
    cases = json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]
    assert len(cases) == 24
    for case in cases:
        result = evaluate(case["truths"], case["predictions"], **case["parameters"])
        costs = {short: 100 * result.value(f"detection_tide_{name}") for short, name in NAMES.items()}
        assert costs == pytest.approx({short: case["expected"][short] for short in NAMES}, abs=1e-11)
        for row, short in zip(result.detail("by_error").rows(), NAMES, strict=False):
            assert row["error"] == NAMES[short]
            assert row["count"] == case["expected"][f"n{short}"]


def test_a_label_without_objects_lowers_the_mean():
    """What differs from the costs that relate to COCO's mean average precision."""
    truths, box = [[["cat", [0, 0, 10, 10], 0]]], [0, 0, 10, 10]
    predictions = [[["cat", box, 0.9], ["dog", [50, 50, 9, 9], 0.8]]]
    ours = DetectionErrorEvaluator().run(matches=matches(truths, predictions))["result"]
    assert ours.value("detection_error_background") == 0
    assert evaluate(truths, predictions).value("detection_tide_background") == 0.5


def test_a_wrong_place_counts_before_a_wrong_label():
    truths = [[["cat", [0, 0, 10, 10], 0], ["dog", [6, 0, 10, 10], 0]]]
    predictions = [[["cat", [6, 0, 10, 10], 0.9]]]
    kinds = [
        {row["error"]: row["count"] for row in result.detail("by_error").rows()}
        for result in (
            DetectionErrorEvaluator().run(matches=matches(truths, predictions))["result"],
            evaluate(truths, predictions),
        )
    ]
    assert [kind["classification"] for kind in kinds] == [1, 0]
    assert [kind["localization"] for kind in kinds] == [0, 1]


def test_slices_shards_and_weights_need_no_further_code():
    case = json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"][1]
    sides = case["truths"], case["predictions"]
    whole = evaluate(*sides)
    half = evaluate(*(side[:2] for side in sides))
    weights = np.array([1.0, 1.0, *[0.0] * (len(sides[0]) - 2)])
    parts = [matches(*(side[place] for side in sides)) for place in (slice(0, 2), slice(2, None))]
    joined = DetectionTideEvaluator().run(matches=DetectionMatches.concatenate(parts))["result"]
    for measure in whole.measures:
        assert half.value(measure.name) == pytest.approx(whole.value(measure.name, weights=weights))
        assert joined.value(measure.name) == whole.value(measure.name)


def test_thresholds_that_leave_no_room_are_refused():
    with pytest.raises(InputError, match=r"background_threshold=0\.5 must be below iou_threshold"):
        DetectionTideEvaluator(background_threshold=0.5)


def test_of_equal_overlaps_the_first_object_is_taken():
    """The second box then has no object left; COCO's rule takes the last object, and both are found."""
    truths = [[["cat", [0, 0, 20, 10], 0], ["cat", [8, 0, 20, 10], 0]]]
    predictions = [[["cat", [4, 0, 20, 10], 0.9], ["cat", [0, 0, 20, 10], 0.8]]]
    result = evaluate(truths, predictions)
    assert {row["error"]: row["count"] for row in result.detail("by_error").rows() if row["count"]} == {
        "duplicate": 1,
        "missed": 1,
    }
    coco = DetectionErrorEvaluator().run(matches=matches(truths, predictions))["result"]
    assert not any(row["count"] for row in coco.detail("by_error").rows())
