"""Each row of the tables of disagreements in docs/vision.md: what others gave, the default, the option."""

from math import isnan
from pathlib import Path

import numpy as np
import pytest

from thresher.components.classification import (
    AccuracyEvaluator,
    ClassificationF1Evaluator,
    ClassificationPrecisionEvaluator,
    DetailedPrecisionRecallCurveEvaluator,
    PrecisionRecallCurveEvaluator,
    RocAucEvaluator,
)
from thresher.components.detection import (
    AveragePrecisionEvaluator,
    AverageRecallEvaluator,
    CocoDetectionEvaluator,
    DetailedDetectionPrecisionRecallCurveEvaluator,
    DetectionConfusionMatrixEvaluator,
    DetectionMatcher,
    DetectionPrecisionRecallCurveEvaluator,
    Detections,
    Polygons,
    Raster,
)
from thresher.components.segmentation import MeanIouEvaluator
from thresher.kernels.valor_format import to_valor
from vision_cases import by_label, by_threshold, classification_inputs, detection_inputs, golden, pixel_inputs

PAGE = (Path(__file__).parents[2] / "docs" / "vision.md").read_text(encoding="utf-8")
CORE, API = "valor_core_0.33.19", "valor_api_0.33.19"
LITE33, LITE39 = "valor_lite_0.33.19", "valor_lite_0.39.0"
SKLEARN, COCO = "sklearn_1.9.1", "pycocotools_2.0.11"
SQUARE, FAR = [0, 0, 10, 10], [50, 50, 60, 60]
PROOFS = {}


def rows():
    """The questions of all tables below `Where the others disagree`."""
    part = PAGE.split("## Where the others disagree")[1].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    return [line.split("|")[1].strip() for line in lines if not line.startswith("| question")]


def shows(question):
    """Register a proof of a row."""

    def register(proof):
        PROOFS[question] = proof
        return proof

    return register


@pytest.mark.parametrize("question", rows())
def test_the_row_is_true(question, tmp_path):
    proof = PROOFS[question]
    proof(*([tmp_path] if proof.__code__.co_argcount else []))


def test_no_proof_is_left_over():
    assert set(PROOFS) == set(rows())


def expected(name, engine):
    found = golden(name)["expected"][engine]
    return found["class"] if "class" in found and "Accuracy" in found["class"] else found


def labels(evaluator, name):
    return evaluator.run(**classification_inputs(golden(name)))["result"]


def matched(name, **options):
    return DetectionMatcher(**options).run(**detection_inputs(golden(name)))["matches"]


def precision(name, rule, threshold=0.5):
    evaluator = AveragePrecisionEvaluator(rule, [threshold], [threshold])
    return evaluator.run(matches=matched(name))["result"]


def precision_of(name, rule, label, threshold=0.5):
    return by_label(precision(name, rule, threshold).detail("by_label"), "ap")[label]


def point(evaluator, name, label, *columns):
    curve = evaluator.run(matches=matched(name))["result"].detail("curve")
    return tuple(by_threshold(curve, *columns)[label]["0.05"].values())


def pairs(*images):
    """IoU of pairs of single geometries."""
    truths, found = zip(*images, strict=True)
    sides = [[Detections.of(["a"], geometries=[shape], scores=None) for shape in truths]]
    sides.append([Detections.of(["a"], geometries=[shape], scores=[0.9]) for shape in found])
    return (
        DetectionMatcher().run(ground_truths=sides[0], predictions=sides[1])["matches"].pairs().iou.tolist()
    )


def boxes(*images, **options):
    """Matches of images, each a list of true (label, box) and of predicted (label, box, score)."""
    truths = [Detections.of([row[0] for row in true], [row[1] for row in true] or None) for true, _ in images]
    found = [
        Detections.of([row[0] for row in each], [row[1] for row in each] or None, [row[2] for row in each])
        for _, each in images
    ]
    return DetectionMatcher(**options).run(ground_truths=truths, predictions=found)["matches"]


@shows("ROC AUC where scores tie")
def _():
    for name, mine, core in (("cls_02_ties_all_equal", 0.5, 0.0), ("cls_03_partial_ties", 0.75, 0.7083333)):
        assert (
            labels(RocAucEvaluator(), name).score == expected(name, SKLEARN)["ROCAUC_mean_of_defined"] == mine
        )
        assert expected(name, CORE)["ROCAUC"]["class"] == pytest.approx(core, abs=1e-6)
        assert expected(name, API)["ROCAUC"]["class"] == pytest.approx(core, abs=1e-6)
    assert expected("cls_02_ties_all_equal", LITE33)["ROCAUC"]["class:pos"] == 0
    assert expected("cls_02_ties_all_equal", LITE39)["ROCAUC"]["class:pos"] == 0.5


@shows("ROC AUC of a label without positives or negatives")
def _():
    result = labels(RocAucEvaluator(), "cls_07_single_class")
    assert isnan(result.score)
    assert result.detail("by_label").columns["undefined"] == ["every item has the label"]
    assert expected("cls_07_single_class", LITE39)["ROCAUC"] == {"class:a": 0.0}
    assert expected("cls_07_single_class", SKLEARN)["ROCAUC_mean_of_defined"] is None


@shows("a score that is not listed (top-k)")
def _():
    assert labels(RocAucEvaluator(), "cls_05_sparse_topk").score == pytest.approx(
        expected("cls_05_sparse_topk", SKLEARN)["ROCAUC_mean_of_defined"]
    )
    assert expected("cls_05_sparse_topk", LITE39)["ROCAUC"] == {"class:a": 0.0, "class:b": 0.0}
    assert "error" in expected("cls_05_sparse_topk", CORE)
    sides = {"ground_truths": ["cat", "dog"], "predictions": [{"dog": 0.4}, {"cat": 0.1}]}
    assert RocAucEvaluator().run(**sides)["score"] != RocAucEvaluator(missing_score=1).run(**sides)["score"]


@shows("item without prediction, in accuracy")
def _():
    assert labels(AccuracyEvaluator(), "cls_04_label_edges").score == 0.2
    assert expected("cls_04_label_edges", CORE)["Accuracy"]["class"] == 0.2
    inputs = classification_inputs(golden("cls_04_label_edges"))
    left_out = {**inputs, "predictions": [each or None for each in inputs["predictions"]]}
    assert (
        AccuracyEvaluator().run(**left_out)["score"]
        == expected("cls_04_label_edges", API)["Accuracy"]["class"]
    )


@shows("item without true label, in the curves")
def _():
    sides = {"ground_truths": ["cat", []], "predictions": [{"cat": 0.9}, {"cat": 0.8}]}
    ignored = PrecisionRecallCurveEvaluator().run(**sides)["result"].detail("curve")
    negative = PrecisionRecallCurveEvaluator(unlabelled="negative").run(**sides)["result"].detail("curve")
    assert (ignored.columns["fp"][0], negative.columns["fp"][0]) == (0, 1)


@shows("precision, recall, F1 that are 0/0")
def _():
    result = labels(ClassificationF1Evaluator(), "cls_04_label_edges")
    assert isnan(by_label(result.detail("by_label"), "precision")["class:rare"])
    assert expected("cls_04_label_edges", API)["Precision"]["class:quiet"] == -1
    assert expected("cls_04_label_edges", CORE)["Precision"]["class:a"] == -1
    assert expected("cls_04_label_edges", SKLEARN)["Precision"]["class:quiet"] == 0
    sides = {"ground_truths": ["cat", "ape"], "predictions": ["cat", "cat"]}
    for zero_division, wanted in ((0.0, 0.25), (1.0, 0.75)):
        evaluator = ClassificationPrecisionEvaluator(zero_division=zero_division)
        assert evaluator.run(**sides)["score"] == wanted


@shows("0/0 in the curves")
def _():
    result = PrecisionRecallCurveEvaluator().run(["cat"], [{"cat": 0.3}])["result"]
    assert isnan(result.detail("curve").columns["precision"][-1])
    assert to_valor(result)[0]["value"]["cat"]["0.95"]["precision"] == -1


@shows("missed items without any prediction, in the curves")
def _():
    result = DetailedPrecisionRecallCurveEvaluator().run(["cat"], [{}])["result"]
    assert result.detail("detailed_curve").columns["fn_no_predictions"][0] == 1


@shows("F1 in the curves where precision is 0")
def _():
    result = PrecisionRecallCurveEvaluator().run(["cat", "dog"], [{"dog": 0.9}, {"cat": 0.9}])["result"]
    assert result.detail("curve").columns["f1"][0] == 0


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
        evaluator = AverageRecallEvaluator(rule, iou_thresholds=[0.3])
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
    evaluator = DetectionPrecisionRecallCurveEvaluator("valor-code")
    assert point(evaluator, "od_03_matching", "class:a", "tp", "fp") == (1, 2)
    assert expected("od_03_matching", API)["PrecisionRecallCurve"]["class:a"]["0.05"]["fp"] == 0


@shows("false positives on images without the label, in the curves")
def _():
    evaluator = DetectionPrecisionRecallCurveEvaluator("valor-code")
    assert point(evaluator, "od_05_pr_curve", "class:a", "fp") == (3,)
    assert expected("od_05_pr_curve", API)["PrecisionRecallCurve"]["class:a"]["0.05"]["fp"] == 4
    assert point(evaluator, "od_07_detailed_pr", "class:cat", "fp") == (2,)
    assert expected("od_07_detailed_pr", API)["PrecisionRecallCurve"]["class:cat"]["0.05"]["fp"] == 4


@shows("a higher-scored box that overlaps too little, in the curves")
def _():
    hits = [
        point(DetectionPrecisionRecallCurveEvaluator(rule), "od_05_pr_curve", "class:a", "tp")
        for rule in ("valor", "valor-code", "coco")
    ]
    assert hits == [(1,), (2,), (2,)]
    assert expected("od_05_pr_curve", CORE)["PrecisionRecallCurve"]["class:a"]["0.05"]["tp"] == 1


@shows("asking for the detailed curve")
def _():
    changed = expected("od_07_detailed_pr", API)["values_that_change_when_Detailed_is_requested"]
    assert changed["AP"]["class:cat"]["0.5"] == 1.0
    matches = matched("od_07_detailed_pr")
    DetailedDetectionPrecisionRecallCurveEvaluator("valor-code").run(matches=matches)
    evaluator = AveragePrecisionEvaluator("valor-code", [0.5], [0.5])
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
    result = CocoDetectionEvaluator().run(matches=boxes(image))["result"]
    values = [result.value(f"coco_map_{size}") for size in ("small", "medium")]
    assert values == pytest.approx([1.0, 1.0])
    apart = CocoDetectionEvaluator({"small": [0, 1023], "medium": [1024, 9216]}).run(matches=boxes(image))
    assert isnan(apart["result"].value("coco_map_small"))


@shows("area of a predicted mask")
def _(folder):
    from cli.test_vision import coco_results, coco_truths
    from thresher.datasets.coco import read_coco

    coco_truths(folder / "truth.json")
    rows = [(3, 1, [0, 0, 20, 20], 0.9)]
    coco_results(folder / "mask.json", rows, masks=True)
    coco_results(folder / "both.json", rows, masks=True, bbox=[0, 0, 50, 50])
    areas = [
        read_coco(folder / "truth.json", folder / name, geometries="masks").column("predictions")[0].areas[0]
        for name in ("mask.json", "both.json")
    ]
    assert areas == [400, 2500]


@shows("raster against polygon")
def _():
    inputs = golden("is_03_raster_as_polygon")
    wanted = {
        label: by_iou["0.65"] for label, by_iou in expected("is_03_raster_as_polygon", API)["AP"].items()
    }
    hull = DetectionMatcher("polygon", "hull").run(**detection_inputs(inputs))["matches"]
    exact = DetectionMatcher("polygon").run(**detection_inputs(inputs))["matches"]
    found = [
        by_label(
            AveragePrecisionEvaluator("valor", [0.65], [0.65]).run(matches=each)["result"].detail(), "ap"
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
    table = AveragePrecisionEvaluator("valor", [0.75], [0.75]).run(matches=case)["result"].detail()
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
    from cli.test_vision import coco_truths
    from thresher.datasets.coco import read_coco

    coco_truths(folder / "truth.json")
    kinds = {way: read_coco(folder / "truth.json", geometries=way) for way in ("masks", "polygons", "boxes")}
    found = {way: type((*data.column("ground_truths")[0].geometries, None)[0]) for way, data in kinds.items()}
    assert found == {"masks": Raster, "polygons": Polygons, "boxes": type(None)}


@shows("label only in predictions, pixel by pixel")
def _():
    sides = pixel_inputs(golden("ss_02_label_edges"))
    scores = [MeanIouEvaluator(each).run(**sides)["score"] for each in ("truth", "all")]
    assert scores == pytest.approx(
        [expected("ss_02_label_edges", API)["mIOU"]["class"], expected("ss_02_label_edges", LITE39)["mIOU"]]
    )


@shows("IoU over images")
def _():
    sides = {"ground_truths": [[[1, 1]], [[1, 1, 2, 2]]], "predictions": [[[1, 2]], [[1, 1, 2, 2]]]}
    out = MeanIouEvaluator().run(**sides)
    assert out["score"] == pytest.approx((3 / 4 + 2 / 3) / 2)
    assert out["individual_scores"] == pytest.approx([0.5, 1.0])


@shows("accuracy")
def _():
    sides = pixel_inputs(golden("ss_02_label_edges"))
    value = MeanIouEvaluator().run(**sides)["result"].value("miou_accuracy")
    assert value == pytest.approx(expected("ss_02_label_edges", LITE39)["Accuracy"])
