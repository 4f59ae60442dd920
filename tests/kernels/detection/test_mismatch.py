"""Warnings of objects in memory that are not what metrics expect."""

import numpy as np
import pytest

from thresher.components.detection import DetectionCocoEvaluator, DetectionColumns, DetectionMatcher
from thresher.errors import DataWarning


def columns(count, scale=1.0, scores=None):
    boxes = np.tile([0.1, 0.1, 0.3, 0.4], (count, 1)) * scale
    return DetectionColumns.from_arrays(
        np.zeros(count, int), np.zeros(count, int), boxes, scores, size=1, labels=["cat"]
    )


def matches(truths, predictions):
    return DetectionMatcher().run(predictions=predictions, ground_truths=truths)["matches"]


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
