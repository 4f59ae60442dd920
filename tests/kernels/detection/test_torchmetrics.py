"""TorchMetrics' `MeanAveragePrecision` on the same dictionaries; `docs/tools.md` lists the differences."""

from dataclasses import replace

import numpy as np
import pytest

from thresher.components.detection import (
    DetectionAverageRecallEvaluator,
    DetectionCocoEvaluator,
    DetectionMatcher,
    Detections,
)
from tool_outputs import golden, rebuilt

CASES, DEFAULTS = golden("torchmetrics")["cases"], golden("torchmetrics")["defaults"]
"""TorchMetrics' default thresholds and recalls are numbers of 32 bits."""
PREFIX = "detection_coco_"


def sides(case, kind, copied):
    """Predictions and targets; `copied` is whether to do as TorchMetrics does."""
    records = [[rebuilt(entry) for entry in case[side]] for side in ("predictions", "targets")]
    how = {"geometries": "boxes" if kind == "bbox" else "masks", "box_format": case["options"]["box_format"]}
    predictions, targets = ([Detections.of(entry, **how) for entry in side] for side in records)
    types = case["options"]["iou_type"]
    if copied and types == "segm":  # images without true masks are left out
        pairs = [pair for pair in zip(predictions, targets, strict=True) if len(pair[1])]
        predictions, targets = map(list, zip(*pairs, strict=True))
    if copied and kind == "bbox" and len(types) == 2:  # areas of masks
        areas = [Detections.of(entry).areas for entry in records[1]]
        targets = [replace(target, areas=area) for target, area in zip(targets, areas, strict=True)]
    return predictions, targets


def results(case, kind, copied=True):
    """COCO's result, and that of recall per label."""
    options = DEFAULTS | {"max_detection_thresholds": (1, 10, 100)} | case["options"]
    predictions, targets = sides(case, kind, copied)
    matcher = DetectionMatcher(
        compare_as="box" if kind == "bbox" else "raster", class_agnostic=options["average"] == "micro"
    )
    matches = matcher.run(predictions=predictions, ground_truths=targets)["matches"]
    steps = options["iou_thresholds"]
    coco = DetectionCocoEvaluator(
        iou_thresholds=steps,
        recall_points=options["rec_thresholds"],
        max_detections=options["max_detection_thresholds"],
    )
    recall = DetectionAverageRecallEvaluator(matching="coco", iou_thresholds=steps, max_detections=100)
    return coco.run(matches=matches)["result"], recall.run(matches=matches)["result"]


def kinds(case):
    """Names of the compared geometries, each with the prefix of its values."""
    types = case["options"]["iou_type"]
    return [(types, "")] if isinstance(types, str) else [(kind, f"{kind}_") for kind in types]


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_numbers_are_those_of_torchmetrics(case):
    compared = 0
    for kind, prefix in kinds(case):
        coco, recall = results(case, kind)
        for measure in coco.measures:
            expected = case["values"][prefix + measure.signature.metric.removeprefix(PREFIX)]
            found = coco.value(measure.signature.metric)
            assert found == pytest.approx(np.nan if expected == -1 else expected, abs=1e-7, nan_ok=True)
            compared += expected != -1
        if case["options"]["class_metrics"]:
            for result, column, name in ((coco, "ap", "map"), (recall, "ar", "mar_100")):
                found = [row[column] for row in result.detail("by_label").rows()]
                expected = np.atleast_1d(case["values"][f"{prefix}{name}_per_class"])
                assert found == pytest.approx([value for value in expected if value != -1], abs=1e-7)
    assert compared >= 8


def test_false_positives_of_images_without_true_masks_count():
    (case,) = (case for case in CASES if case["options"]["iou_type"] == "segm")
    coco, _ = results(case, "segm", copied=False)
    assert coco.value(f"{PREFIX}map") < case["values"]["map"] - 0.005


def test_sizes_of_boxes_follow_from_boxes():
    (case,) = (case for case in CASES if len(case["options"]["iou_type"]) == 2)
    coco, _ = results(case, "bbox", copied=False)
    assert coco.value(f"{PREFIX}map_small") != pytest.approx(case["values"]["bbox_map_small"], abs=0.01)
    assert coco.value(f"{PREFIX}map") == pytest.approx(case["values"]["bbox_map"], abs=1e-7)
