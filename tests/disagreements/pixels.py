"""Proofs of the rows about geometry and pixels."""

import numpy as np
import pytest

from disagreements.register import API, CORE, LITE33, LITE39, SQUARE, expected, matched, pairs, shows
from thresher.components.detection import (
    DetectionAveragePrecisionEvaluator,
    DetectionMatcher,
    Polygons,
    Raster,
)
from thresher.components.segmentation import SegmentationMeanIouEvaluator
from thresher.datasets.coco import read_coco
from vision_cases import by_label, detection_inputs, golden, pixel_inputs
from vision_files import coco_truths


@shows("raster against polygon")
def _():
    inputs = golden("is_03_raster_as_polygon")
    wanted = {
        label: by_iou["0.65"] for label, by_iou in expected("is_03_raster_as_polygon", API)["AP"].items()
    }
    hull = DetectionMatcher(compare_as="polygon", raster_to_polygon="hull").run(**detection_inputs(inputs))[
        "matches"
    ]
    exact = DetectionMatcher(compare_as="polygon").run(**detection_inputs(inputs))["matches"]
    found = [
        by_label(
            DetectionAveragePrecisionEvaluator(
                matching="valor", iou_thresholds=[0.65], iou_thresholds_to_return=[0.65]
            )
            .run(matches=each)["result"]
            .detail(),
            "ap",
        )
        for each in (hull, exact)
    ]
    assert {label: found[0][label] for label in wanted} == pytest.approx(wanted)
    assert found[1]["class:L"] == 0
    assert "error" in expected("is_03_raster_as_polygon", CORE)


@shows("polygon or raster against box")
def _():
    corner = Polygons.of([[[0, 0], [10, 0], [0, 10]]])
    assert pairs((SQUARE, corner)) == pytest.approx([1.0])
    assert pairs((SQUARE, Raster.of(np.eye(10)))) == pytest.approx([1.0])


@shows("everything as polygons or boxes")
def _():
    case = matched("is_04_raster_as_box", compare_as="box")
    wanted = expected("is_04_raster_as_box", API)["AP"]
    table = (
        DetectionAveragePrecisionEvaluator(
            matching="valor", iou_thresholds=[0.75], iou_thresholds_to_return=[0.75]
        )
        .run(matches=case)["result"]
        .detail()
    )
    assert by_label(table, "ap") == pytest.approx({label: each["0.75"] for label, each in wanted.items()})


@shows("rotated boxes")
def _():
    turned = Polygons.rotated_box((5, 5), (10, 10), 45)
    assert pairs((turned, turned), (SQUARE, turned))[0] == pytest.approx(1.0)
    assert "error" in expected("is_05_rotated_invalid", CORE)


@shows("self-crossing polygon")
def _():
    found = matched("is_05_rotated_invalid").pairs()
    assert 0.5 in [pytest.approx(each) for each in found.iou.tolist()]
    for engine in (CORE, API, LITE33, LITE39):
        assert "error" in expected("is_05_rotated_invalid", engine)


@shows("polygon or box without area")
def _():
    flat = Polygons.of([[[0, 0], [5, 5], [10, 10]]])
    assert pairs((flat, flat), ([3, 3, 3, 9], [3, 3, 3, 9])) == []


@shows("polygons in COCO files")
def _(folder):

    coco_truths(folder / "truth.json")
    kinds = {way: read_coco(folder / "truth.json", geometries=way) for way in ("masks", "polygons", "boxes")}
    found = {way: type((*data.column("ground_truths")[0].geometries, None)[0]) for way, data in kinds.items()}
    assert found == {"masks": Raster, "polygons": Polygons, "boxes": type(None)}


@shows("label only in predictions, pixel by pixel")
def _():
    sides = pixel_inputs(golden("ss_02_label_edges"))
    scores = [
        SegmentationMeanIouEvaluator(averaged_over=labels).run(**sides)["score"]
        for labels in ("truth", "all")
    ]
    assert scores == pytest.approx(
        [expected("ss_02_label_edges", API)["mIOU"]["class"], expected("ss_02_label_edges", LITE39)["mIOU"]]
    )


@shows("IoU over images")
def _():
    sides = {"ground_truths": [[[1, 1]], [[1, 1, 2, 2]]], "predictions": [[[1, 2]], [[1, 1, 2, 2]]]}
    out = SegmentationMeanIouEvaluator().run(**sides)
    assert out["score"] == pytest.approx((3 / 4 + 2 / 3) / 2)
    assert out["individual_scores"] == pytest.approx([0.5, 1.0])


@shows("accuracy")
def _():
    sides = pixel_inputs(golden("ss_02_label_edges"))
    value = SegmentationMeanIouEvaluator().run(**sides)["result"].value("segmentation_mean_iou_accuracy")
    assert value == pytest.approx(expected("ss_02_label_edges", LITE39)["Accuracy"])
