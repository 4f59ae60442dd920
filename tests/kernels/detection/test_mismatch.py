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
