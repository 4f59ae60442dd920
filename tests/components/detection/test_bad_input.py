"""What people's files really hold: one clear line, or the value that the documentation gives."""

import numpy as np
import pytest

from thresher.components.detection import (
    DetectionAveragePrecisionEvaluator,
    DetectionAverageRecallEvaluator,
    DetectionCocoEvaluator,
    DetectionErrorEvaluator,
    DetectionMatcher,
    DetectionPrecisionRecallCurveEvaluator,
)
from thresher.datasets import Dataset
from thresher.errors import InputError
from thresher.results import FrozenColumn

SQUARE = [0, 0, 10, 10]
GOOD = {"labels": ["cat"], "boxes": [SQUARE], "scores": [0.9]}
BOW_TIE = {"type": "Polygon", "coordinates": [[[0, 0], [10, 10], [10, 0], [0, 10]]]}
NOTHING = {"labels": [], "boxes": []}


def matched(truths, found):
    return DetectionMatcher().run(ground_truths=truths, predictions=found)["matches"]


def without_scores(image):
    return {key: each for key, each in image.items() if key != "scores"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"boxes": [[0, 0, float("nan"), 10]]}, "box 0 is [0.0, 0.0, nan, 10.0]; give finite numbers"),
        ({"boxes": [[0, 0, float("inf"), 10]]}, "box 0 is [0.0, 0.0, inf, 10.0]; give finite numbers"),
        ({"boxes": [[9, 0, 1, 10]]}, "box 0 is [9.0, 0.0, 1.0, 10.0] (xyxy); give xmin <= xmax"),
        ({"boxes": [[0, 0, -5, 5]], "box_format": "xywh"}, "give width and height of at least 0"),
        ({"boxes": [[0, 0, 10]]}, "give four numbers per box"),
        ({"scores": [float("nan")]}, "object 0 has the score nan; give a finite number"),
        ({"scores": [0.5, 0.5]}, "scores has 2 entries for 1 label; give one per object"),
        ({"scores": ["high"]}, "scores are ['high']; give one number per object"),
        ({"scores": ["0.5"]}, "scores are ['0.5']; give one number per object"),
        ({"scores": 0.5}, "scores is 0.5; give a list with one entry per object"),
        ({"areas": [float("nan")]}, "object 0 has the area nan; give a finite number of at least 0"),
        ({"areas": [-1]}, "object 0 has the area -1; give a finite number of at least 0"),
        ({"areas": ["large"]}, "areas are ['large']; give one number per object"),
        ({"crowd": ["0"]}, "crowd is ['0']; give 0 or 1 per object"),
        ({"labels": "cat"}, "labels is 'cat'; give a list with one label per object"),
        ({"labels": 5}, "labels is 5; give a list with one label per object"),
        ({"boxes": [[0, 0, 1e308, 1e308]]}, "its area overflows"),
        (
            {"boxes": None, "geometries": [{"size": "ab", "counts": [1]}]},
            "the size of a mask is [height, width], not 'ab'",
        ),
        (
            {"boxes": None, "geometries": [{"size": [1, 2], "counts": [0, 2.5, -0.5]}]},
            "run lengths are integers of at least 0",
        ),
        ({"labels": [0.5]}, "0.5 is not a label; give a string"),
        (
            {"boxes": None, "geometries": [{"type": "Polygon", "coordinates": []}]},
            "a polygon needs an outer ring",
        ),
        (
            {"boxes": None, "geometries": [{"size": [2, 3], "counts": [1, 2]}]},
            "run lengths add up to 3, but a",
        ),
        (
            {"boxes": None, "geometries": [{"size": [2, 3], "counts": "~"}]},
            "compressed run lengths are damaged",
        ),
        ({"bbox": [SQUARE]}, "an image is a dict of areas, box_format, boxes"),
    ],
)
def test_an_image_that_cannot_be_is_named(change, message):
    with pytest.raises(InputError) as caught:
        matched([without_scores(GOOD)] * 2, [GOOD, GOOD | change])
    assert str(caught.value).startswith("predictions[1]: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_predictions_without_scores_cannot_be_ranked():
    with pytest.raises(InputError, match="scores"):
        DetectionAveragePrecisionEvaluator().run(
            matches=matched([without_scores(GOOD)], [without_scores(GOOD)])
        )


def test_coordinates_outside_the_image_count_as_they_are():
    outside = GOOD | {"boxes": [[-5, -5, 5, 5]]}
    matches = matched([without_scores(outside)], [outside])
    assert DetectionAveragePrecisionEvaluator().run(matches=matches)["score"] == 1.0


def test_a_self_crossing_polygon_counts_by_the_even_odd_rule():
    """The bow-tie covers half of its square."""
    crossing = {"labels": ["cat"], "geometries": [BOW_TIE]}
    square = {"labels": ["cat"], "geometries": [{"type": "Polygon", "coordinates": [_ring(SQUARE)]}]}
    matches = matched([crossing, square], [crossing | {"scores": [0.9]}, crossing | {"scores": [0.8]}])
    assert matches.pairs().iou == pytest.approx([1.0, 0.5])


def _ring(box):
    left, top, right, bottom = box
    return [[left, top], [right, top], [right, bottom], [left, bottom]]


def test_what_has_no_area_overlaps_nothing():
    flat = GOOD | {"boxes": [[3, 3, 3, 9]]}
    empty = {"labels": ["cat"], "geometries": [{"size": [4, 4], "counts": [16]}]}
    for image in (flat, empty | {"scores": [0.9]}):
        result = DetectionAveragePrecisionEvaluator().run(matches=matched([without_scores(image)], [image]))
        assert result["score"] == 0.0


def test_two_images_of_one_id_are_refused():
    with pytest.raises(InputError, match="id 'a' appears twice; give every item a unique id"):
        Dataset(FrozenColumn(["a", "a"]), {"predictions": FrozenColumn([GOOD, GOOD])})


@pytest.mark.parametrize("rule", ["valor", "valor-code", "coco"])
def test_labels_of_one_side_only(rule):
    """`dog` is never predicted and counts 0; `ape` is never true and does not count, but is a phantom."""
    truth = {"labels": ["cat", "dog"], "boxes": [SQUARE, [50, 50, 60, 60]]}
    found = {"labels": ["cat", "ape"], "boxes": [SQUARE, SQUARE], "scores": [0.9, 0.8]}
    matches = matched([truth], [found])
    assert DetectionAveragePrecisionEvaluator(matching=rule).run(matches=matches)["score"] == 0.5
    assert DetectionAverageRecallEvaluator(matching=rule).run(matches=matches)["score"] == 0.5
    curve = (
        DetectionPrecisionRecallCurveEvaluator(matching=rule).run(matches=matches)["result"].detail("curve")
    )
    counts = {
        row["label"]: (row["tp"], row["fp"], row["fn"]) for row in curve.rows() if row["threshold"] == 0.5
    }
    assert counts == {"ape": (0, 1, 0), "cat": (1, 0, 0), "dog": (0, 0, 1)}


@pytest.mark.parametrize(
    ("truths", "found"), [([], []), ([NOTHING], [NOTHING | {"scores": []}]), ([NOTHING], [GOOD])], ids=str
)
def test_nothing_to_find_is_undefined(truths, found):
    for evaluator in (
        DetectionAveragePrecisionEvaluator(),
        DetectionAverageRecallEvaluator(),
        DetectionCocoEvaluator(),
    ):
        assert np.isnan(evaluator.run(matches=matched(truths, found))["score"])


def test_nothing_found_is_zero():
    matches = matched([without_scores(GOOD)], [NOTHING | {"scores": []}])
    assert DetectionAveragePrecisionEvaluator().run(matches=matches)["score"] == 0.0
    assert DetectionAverageRecallEvaluator().run(matches=matches)["score"] == 0.0


def test_masks_of_one_image_have_one_size():
    truth = {"labels": ["cat"], "geometries": [{"size": [10, 10], "counts": [0, 100]}]}
    found = {"labels": ["cat"], "geometries": [{"size": [20, 10], "counts": [0, 200]}], "scores": [0.5]}
    with pytest.raises(
        InputError, match=r"ground_truths\[1\] has a mask of \(10, 10\) .* another .* \(20, 10\)"
    ):
        matched([truth, truth], [{**truth, "scores": [0.5]}, found])


@pytest.mark.parametrize("limits", [[5, 1], [-1, 5], [1]])
def test_ranges_of_areas_rise_from_0(limits):
    with pytest.raises(InputError, match=r"area_ranges: small is .*; give \[lowest, highest\], at least 0"):
        DetectionCocoEvaluator(area_ranges={"small": limits})


def test_nobody_is_meant_to_find_a_crowd():
    """The prediction overlaps it by too little to be ignored, and put right it would still find nothing."""
    truth = {"labels": ["cat", "cat"], "boxes": [[0, 0, 10, 10], [50, 50, 60, 60]], "crowd": [1, 0]}
    found = {"labels": ["cat"], "boxes": [[6, 0, 16, 10]], "scores": [0.9]}
    result = DetectionErrorEvaluator().run(matches=matched([truth], [found]))["result"]
    table = result.detail("by_error").columns
    assert dict(zip(table["error"], table["count"], strict=True)) == {
        **dict.fromkeys(("classification", "localization", "both", "duplicate"), 0.0),
        "background": 1.0,
        "missed": 1.0,
    }
