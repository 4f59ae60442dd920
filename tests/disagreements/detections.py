"""Proofs of the rows about detections."""

from math import isnan

import pytest

from disagreements.register import (
    API,
    COCO,
    CORE,
    FAR,
    LITE33,
    LITE39,
    SQUARE,
    boxes,
    expected,
    matched,
    point,
    precision,
    precision_of,
    shows,
)
from thresher.components.detection import (
    DetectionAveragePrecisionEvaluator,
    DetectionAverageRecallEvaluator,
    DetectionCocoEvaluator,
    DetectionConfusionMatrixEvaluator,
    DetectionDetailedPrecisionRecallCurveEvaluator,
    DetectionMatcher,
    DetectionPrecisionRecallCurveEvaluator,
    Detections,
)
from thresher.datasets.coco import read_coco
from vision_cases import by_label
from vision_files import coco_results, coco_truths


@shows("best object is taken already")
def _():
    assert precision("od_03_matching", "valor").score == precision("od_03_matching", "coco").score == 1.0
    released = expected("od_03_matching", API)["AP"]["class:a"]["0.5"]
    assert (
        precision("od_03_matching", "valor-code").score
        == pytest.approx(released)
        == pytest.approx(0.50495049)
    )


@shows("an object overlapped too little")
def _():
    values = [precision("od_05_pr_curve", rule).score for rule in ("valor", "valor-code", "coco")]
    assert values == pytest.approx([51 / 303, 2 / 3, 2 / 3])


@shows("label that the image does not have")
def _():
    values = [precision_of("od_02_label_edges", rule, "class:a") for rule in ("valor", "valor-code", "coco")]
    assert values == pytest.approx([51 / 101, 51 / 202, 51 / 202])
    assert expected("od_02_label_edges", API)["AP"]["class:a"]["0.5"] == pytest.approx(51 / 202)


@shows("equal scores")
def _():
    values = [precision_of("od_04_ties", rule, "class:a") for rule in ("valor", "valor-code", "coco")]
    assert values == pytest.approx([1.0, 1.0, 2 / 3], abs=1e-2)
    assert expected("od_04_ties", API)["AP"]["class:a"]["0.5"] == pytest.approx(1.0)


@shows("equal overlaps")
def _():
    """Two true boxes overlap one prediction alike; the second prediction finds only the second of them."""
    truths = [("a", [0, 0, 10, 10]), ("a", [10, 0, 20, 10])]
    found = [("a", [5, 0, 15, 10], 0.9), ("a", [10, 0, 20, 10], 0.8)]
    for rule, recall in (("valor", 1.0), ("valor-code", 1.0), ("coco", 0.5)):
        evaluator = DetectionAverageRecallEvaluator(matching=rule, iou_thresholds=[0.3])
        assert evaluator.run(matches=boxes((truths, found)))["score"] == recall


@shows("a score of exactly 0")
def _():
    assert expected("od_04_ties", API)["AP"]["class:z"]["0.5"] == 0
    assert expected("od_04_ties", CORE)["AP"]["class:z"]["0.5"] == "NaN"
    for rule in ("valor", "valor-code", "coco"):
        assert precision_of("od_04_ties", rule, "class:z") == pytest.approx(1.0)


@shows("label only in predictions")
def _():
    assert precision("od_07_detailed_pr", "valor-code").score == pytest.approx(0.33498349)
    assert expected("od_07_detailed_pr", LITE39)["mAP"]["0.5"] == pytest.approx(0.22332233)
    assert expected("od_07_detailed_pr", COCO)["AP"]["class:bird"]["0.5"] == -1
    assert "class:bird" not in expected("od_07_detailed_pr", API)["AP"]


@shows("label only in the truth")
def _():
    assert precision_of("od_02_label_edges", "valor", "class:only_gt") == 0
    assert precision("od_02_label_edges", "coco").score == pytest.approx(0.08415842)
    assert expected("od_02_label_edges", API)["mAP"]["class"]["0.5"] == pytest.approx(0.08415842)
    assert expected("od_02_label_edges", LITE33)["mAP"]["0.5"] == pytest.approx(0.12623762)


@shows("recall 0.29 on the grid of 101")
def _():
    for rule in ("valor", "valor-code", "coco"):
        assert precision_of("od_06_interp101", rule, "class:hundred") == pytest.approx(30 / 101)
    assert expected("od_06_interp101", API)["AP"]["class:hundred"]["0.5"] == pytest.approx(30 / 101)
    assert expected("od_06_interp101", LITE39)["AP"]["class:hundred"]["0.5"] == pytest.approx(29 / 101)


@shows("several precisions in one recall step")
def _():
    assert precision_of("od_06_interp101", "valor", "class:many") == pytest.approx(0.61499077)
    assert expected("od_06_interp101", LITE39)["AP"]["class:many"]["0.5"] == pytest.approx(0.61499077)
    assert expected("od_06_interp101", LITE33)["AP"]["class:many"]["0.5"] == pytest.approx(0.61027149)


@shows("duplicates in the curves")
def _():
    evaluator = DetectionPrecisionRecallCurveEvaluator(matching="valor-code")
    assert point(evaluator, "od_03_matching", "class:a", "tp", "fp") == (1, 2)
    assert expected("od_03_matching", API)["PrecisionRecallCurve"]["class:a"]["0.05"]["fp"] == 0


@shows("false positives on images without the label, in the curves")
def _():
    evaluator = DetectionPrecisionRecallCurveEvaluator(matching="valor-code")
    assert point(evaluator, "od_05_pr_curve", "class:a", "fp") == (3,)
    assert expected("od_05_pr_curve", API)["PrecisionRecallCurve"]["class:a"]["0.05"]["fp"] == 4
    assert point(evaluator, "od_07_detailed_pr", "class:cat", "fp") == (2,)
    assert expected("od_07_detailed_pr", API)["PrecisionRecallCurve"]["class:cat"]["0.05"]["fp"] == 4


@shows("a higher-scored box that overlaps too little, in the curves")
def _():
    hits = [
        point(DetectionPrecisionRecallCurveEvaluator(matching=rule), "od_05_pr_curve", "class:a", "tp")
        for rule in ("valor", "valor-code", "coco")
    ]
    assert hits == [(1,), (2,), (2,)]
    assert expected("od_05_pr_curve", CORE)["PrecisionRecallCurve"]["class:a"]["0.05"]["tp"] == 1


@shows("asking for the detailed curve")
def _():
    changed = expected("od_07_detailed_pr", API)["values_that_change_when_Detailed_is_requested"]
    assert changed["AP"]["class:cat"]["0.5"] == 1.0
    matches = matched("od_07_detailed_pr")
    DetectionDetailedPrecisionRecallCurveEvaluator(matching="valor-code").run(matches=matches)
    evaluator = DetectionAveragePrecisionEvaluator(
        matching="valor-code", iou_thresholds=[0.5], iou_thresholds_to_return=[0.5]
    )
    table = evaluator.run(matches=matches)["result"].detail("by_label")
    assert by_label(table, "ap")["class:cat"] == pytest.approx(1 / 3)


@shows("no predictions, no truths, no images")
def _():
    for name in ("od_08b_no_groundtruths", "od_08c_empty"):
        assert isnan(precision(name, "valor").score)
    assert precision("od_08a_no_predictions", "valor").score == 0
    assert "error" in expected("od_08c_empty", CORE)


@shows("confusion matrix")
def _():
    """A confident box with overlap 0.1 does not take the object of a good one."""
    matches = boxes(([("a", SQUARE)], [("a", [0, 0, 10, 1], 0.9), ("a", [0, 0, 10, 9], 0.8)]))
    rows = (
        DetectionConfusionMatrixEvaluator().run(matches=matches)["result"].detail("confusion_matrix").rows()
    )
    found = {(row["truth"], row["predicted"]): row["count"] for row in rows}
    assert found == {("a", "a"): 1, (None, "a"): 1}


@shows("limits of small, medium and large")
def _():
    image = ([("a", [0, 0, 32, 32])], [("a", [0, 0, 32, 32], 0.9)])
    result = DetectionCocoEvaluator().run(matches=boxes(image))["result"]
    values = [result.value(f"detection_coco_map_{size}") for size in ("small", "medium")]
    assert values == pytest.approx([1.0, 1.0])
    apart = DetectionCocoEvaluator(area_ranges={"small": [0, 1023], "medium": [1024, 9216]}).run(
        matches=boxes(image)
    )
    assert isnan(apart["result"].value("detection_coco_map_small"))


@shows("area of a predicted mask")
def _(folder):
    coco_truths(folder / "truth.json")
    rows = [(3, 1, [0, 0, 20, 20], 0.9)]
    coco_results(folder / "mask.json", rows, masks=True)
    coco_results(folder / "both.json", rows, masks=True, bbox=[0, 0, 50, 50])
    areas = [
        read_coco(folder / "truth.json", folder / name, geometries="masks").column("predictions")[0].areas[0]
        for name in ("mask.json", "both.json")
    ]
    assert areas == [400, 2500]


@shows("objects that are `difficult` (Pascal VOC)")
def _():
    """Two predictions find the difficult box, with higher scores than the one that finds the other box."""
    found = Detections.of(["a"] * 3, [SQUARE, SQUARE, FAR], [0.9, 0.8, 0.7])
    scores = []
    for difficult in ([True, False], [False, False]):
        truths = Detections.of(["a", "a"], [SQUARE, FAR], difficult=difficult)
        matches = DetectionMatcher().run(ground_truths=[truths], predictions=[found])["matches"]
        scores.append(
            DetectionAveragePrecisionEvaluator(
                matching="coco", iou_thresholds=[0.5], iou_thresholds_to_return=[0.5]
            ).run(matches=matches)["score"]
        )
    kept = (51 + 50 * 2 / 3) / 101  # the second find of the difficult box is a false positive
    assert scores == pytest.approx([1.0, kept])
