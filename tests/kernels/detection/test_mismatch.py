"""Warnings of objects in memory that are not what metrics expect."""

import warnings

import numpy as np
import pytest

from thresher.components.detection import (
    DetectionCocoEvaluator,
    DetectionColumns,
    DetectionMatcher,
    Detections,
)
from thresher.errors import DataWarning, InputError
from thresher.kernels.detection.detections_column import DetectionsColumn


def columns(count, scale=1.0, scores=None):
    boxes = np.tile([0.1, 0.1, 0.3, 0.4], (count, 1)) * scale
    return DetectionColumns.from_arrays(
        np.zeros(count, int), np.zeros(count, int), boxes, scores, size=1, labels=["cat"]
    )


def matches(truths, predictions):
    return DetectionMatcher().run(predictions=predictions, ground_truths=truths)["matches"]


@pytest.mark.parametrize("from_file", [True, False])
@pytest.mark.parametrize(("lowest", "count"), [(0.06, 100), (0.05, 100), (0.06, 99)])
def test_a_cut_of_scores_is_reported_once(lowest, count, from_file):
    predicted, true = columns(count, 100, np.linspace(lowest, 0.9, count)), columns(3, 100)
    sides = [DetectionsColumn(side) if from_file else list(side) for side in (true, predicted)]
    with warnings.catch_warnings(record=True, action="always") as caught:
        matches(*sides)
    message = (
        "all scores of predictions are above 0.05: a detector that leaves out predictions with lower scores "
        "has a lower average precision; write them from 0.001 on"
    )
    is_reported = (lowest, count) == (0.06, 100) and not from_file  # readers of files warn
    assert [str(one.message) for one in caught] == [message] * is_reported


def test_objects_that_are_all_small_are_reported():
    shares = matches(columns(10), columns(10, 1, np.linspace(0.01, 0.9, 10)))
    with pytest.warns(DataWarning, match="every object counts as small; .* pass sizes to convert files"):
        DetectionCocoEvaluator().run(matches=shares)
    DetectionCocoEvaluator(area_ranges={"small": [0, 0.1], "large": [0.1, 1]}).run(matches=shares)
    pixels = matches(columns(10, 10), columns(10, 10, np.linspace(0.01, 0.9, 10)))
    DetectionCocoEvaluator().run(matches=pixels)


def side(label, scores=None, scale=10, names="0123"):
    boxes = np.array([[at % 4, at, at % 4 + 1, at + 1] for at in range(len(label))]) * scale
    return DetectionColumns.from_arrays(
        np.arange(len(label)) // 4, label, boxes, scores, size=len(label) // 4, labels=list(names)
    )


@pytest.mark.parametrize(("step", "remedy"), [(1, "add 1 to the labels"), (-1, "subtract 1 from the labels")])
def test_class_numbers_that_are_shifted_are_reported(step, remedy):
    true = np.arange(40) % 2 + 1
    scores = np.linspace(0.01, 0.9, 40)
    with pytest.warns(DataWarning, match=remedy):
        matches(side(true), side(true - step, scores))
    matches(side(true), side(np.where(np.arange(40) % 10 == 0, true, true - step), scores))  # a bad detector
    matches(side(true), side(np.arange(40) // 2 % 4, scores))
    matches(side(true, names="abcd"), side(true - step, scores, names="abcd"))
    matches(side(true)[:2], side(true - step, scores)[:2])  # too few


def test_predicted_shares_may_stick_out_of_the_image():
    true, scores = np.zeros(40, int), np.linspace(0.01, 0.9, 40)
    matches(side(true, scale=1 / 45), side(true, scores, scale=1 / 36))  # up to 1.1; a warning is an error
    with pytest.warns(DataWarning, match="boxes of predictions are shares of the image"):
        matches(side(true), side(true, scores, scale=1 / 36))


def test_objects_of_unknown_size_count_in_no_range_of_areas():
    """The first image has no size, the second has: values of sizes are those of the second alone."""
    shares = columns(3).without_areas()
    found = columns(3, 1, np.full(3, 0.9)).without_areas()
    with pytest.warns(DataWarning, match="no object of them counts in values of small, medium and large"):
        unknown = DetectionCocoEvaluator().run(matches=matches(shares, found))["result"]
    assert unknown.value("detection_coco_map") > 0
    sizes = [
        f"detection_coco_{kind}_{size}" for kind in ("map", "mar") for size in ("small", "medium", "large")
    ]
    assert np.isnan([unknown.value(name) for name in sizes]).all()
    pixels = columns(2, 100), columns(2, 100, np.full(2, 0.8))
    known = DetectionCocoEvaluator().run(matches=matches(*pixels))["result"]
    with pytest.warns(DataWarning):
        both = DetectionCocoEvaluator().run(
            matches=matches(
                *(DetectionColumns.concatenate(side) for side in zip((shares, found), pixels, strict=True))
            )
        )["result"]
    for name in sizes:
        assert both.value(name) == pytest.approx(known.value(name), nan_ok=True)


def test_unknown_areas_survive_plain_data_and_have_the_fingerprint_of_shares():
    image = Detections.of(["cat"] * 2, [[0, 0, 1, 1]] * 2, areas=[None, 5])
    assert image.areas.tolist() == [-1, 5]
    assert image.to_dict()["areas"] == [None, 5]
    assert Detections.read(image.to_dict()).areas.tolist() == [-1, 5]
    with pytest.raises(InputError, match="object 1 has the area -1"):
        Detections.of(["cat"] * 2, [[0, 0, 1, 1]] * 2, areas=[None, -1])
    contents = [list(DetectionsColumn(side).content()) for side in (columns(3), columns(3).without_areas())]
    assert contents[0] == contents[1]


def test_keypoints_need_areas():
    image = {"labels": ["a"], "keypoints": [[[1, 2, 2]]]}
    matcher = DetectionMatcher(compare_as="keypoints", sigmas=[0.1])
    with pytest.raises(InputError, match="ground_truths have no areas"):
        matcher.run(predictions=[image | {"scores": [0.5]}], ground_truths=[image | {"areas": [None]}])
