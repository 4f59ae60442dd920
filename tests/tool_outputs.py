"""Frozen files and outputs of training tools, and COCO's numbers of them."""

import json
from pathlib import Path

import numpy as np
import pytest

from thresher.components.detection import (
    DetectionCocoEvaluator,
    DetectionKeypointsEvaluator,
    DetectionMatcher,
)

GOLDEN = Path(__file__).parent / "golden/tools"
COMPARED = {"boxes": "box", "masks": "raster", "keypoints": "keypoints", "polygons": "polygon"}


def golden(tool):
    return json.loads((GOLDEN / f"{tool}.json").read_text())


def array(record):
    """The array of a record of dtype, shape and values, or of runs of equal values."""
    values = np.repeat(*record["runs"]) if "runs" in record else record["values"]
    return np.array(values, record["dtype"]).reshape(record["shape"])


def rebuilt(value):
    """An output with arrays instead of records."""
    if isinstance(value, dict) and "dtype" in value:
        return array(value)
    return {key: rebuilt(entry) for key, entry in value.items()} if isinstance(value, dict) else value


def numbers(truths, predictions, geometries):
    matches = DetectionMatcher(compare_as=COMPARED[geometries]).run(
        predictions=predictions, ground_truths=truths
    )["matches"]
    evaluator = DetectionKeypointsEvaluator if geometries == "keypoints" else DetectionCocoEvaluator
    result = evaluator().run(matches=matches)["result"]
    return [result.value(measure.signature.metric) for measure in result.measures]


def assert_equal_to_pycocotools(found, expected):
    assert found == pytest.approx([np.nan if v is None else v for v in expected], abs=1e-9, nan_ok=True)
