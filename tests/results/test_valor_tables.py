"""Valor's dictionaries, key by key, with the values that its engines gave."""

import json

import pytest

from thresher import evaluate
from thresher.components.classification import (
    ClassificationAccuracyEvaluator,
    ClassificationCalibrationErrorEvaluator,
    ClassificationConfusionMatrixEvaluator,
    ClassificationDetailedPrecisionRecallCurveEvaluator,
    ClassificationF1Evaluator,
    ClassificationPrecisionEvaluator,
    ClassificationPrecisionRecallCurveEvaluator,
    ClassificationRecallEvaluator,
    ClassificationRocAucEvaluator,
)
from thresher.components.detection import (
    DetectionAveragePrecisionEvaluator,
    DetectionAverageRecallEvaluator,
    DetectionCocoEvaluator,
    DetectionDetailedPrecisionRecallCurveEvaluator,
    DetectionMatcher,
    DetectionPrecisionRecallCurveEvaluator,
)
from thresher.components.segmentation import SegmentationMeanIouEvaluator
from thresher.results import MetricResult
from vision_cases import classification_inputs, detection_inputs, golden

API = "valor_api_0.33.19"


def labels(evaluator, name="cls_01_basic"):
    return evaluator.run(**classification_inputs(golden(name)))["result"].to_valor()


def objects(evaluator, name, **told):
    matches = DetectionMatcher().run(**detection_inputs(golden(name)))["matches"]
    return evaluator.run(matches=matches)["result"].to_valor(**told)


def pixels(**named):
    evaluator = SegmentationMeanIouEvaluator(labels=["sky", "road"])
    return evaluator.run(ground_truths=[[[0, 0, 1]]], predictions=[[[0, 1, 1]]])["result"].to_valor(**named)


KEY, IOU = {"label_key"}, {"ious"}


@pytest.mark.parametrize(
    ("told", "kinds"),
    [
        (lambda: labels(ClassificationPrecisionEvaluator()), {"Precision": None}),
        (lambda: labels(ClassificationRecallEvaluator()), {"Recall": None}),
        (lambda: labels(ClassificationF1Evaluator()), {"F1": None}),
        (lambda: labels(ClassificationAccuracyEvaluator()), {"Accuracy": KEY}),
        (lambda: labels(ClassificationRocAucEvaluator()), {"ROCAUC": KEY}),
        (
            lambda: labels(ClassificationPrecisionRecallCurveEvaluator()),
            {"PrecisionRecallCurve": KEY | {"pr_curve_iou_threshold"}},
        ),
        (
            lambda: labels(ClassificationDetailedPrecisionRecallCurveEvaluator()),
            {"DetailedPrecisionRecallCurve": KEY | {"pr_curve_iou_threshold"}},
        ),
        (
            lambda: objects(DetectionAveragePrecisionEvaluator(), "od_01_basic"),
            {
                "AP": {"iou"},
                "APAveragedOverIOUs": {"ious"},
                "mAP": KEY | {"iou"},
                "mAPAveragedOverIOUs": KEY | {"ious"},
            },
        ),
        (lambda: objects(DetectionAverageRecallEvaluator(), "od_01_basic"), {"AR": IOU, "mAR": KEY | IOU}),
        (
            lambda: objects(DetectionPrecisionRecallCurveEvaluator(), "od_01_basic"),
            {"PrecisionRecallCurve": KEY | {"pr_curve_iou_threshold"}},
        ),
        (
            lambda: objects(DetectionDetailedPrecisionRecallCurveEvaluator(), "od_01_basic"),
            {"DetailedPrecisionRecallCurve": KEY | {"pr_curve_iou_threshold"}},
        ),
        (pixels, {"IOU": None, "mIOU": KEY}),
    ],
)
def test_every_metric_of_valor_has_its_keys(told, kinds):
    """`type`, `value`, `parameters` unless there are none, and `label` where it is one label's."""
    found = told()
    assert {metric["type"] for metric in found} == set(kinds)
    for metric in found:
        parameters = kinds[metric["type"]]
        by_label = parameters is None or "label_key" not in parameters
        wanted = {"type", "value"} | ({"parameters"} if parameters is not None else set())
        assert set(metric) == wanted | ({"label"} if by_label else set())
        assert set(metric.get("parameters", ())) == (parameters or set())
        assert not by_label or set(metric["label"]) == {"key", "value"}
    assert json.loads(json.dumps(found, allow_nan=False)) is not None


def test_average_precision_and_recall():
    expected = golden("od_01_basic")["expected"][API]
    reported = objects(DetectionAveragePrecisionEvaluator(), "od_01_basic")
    assert {metric["type"] for metric in reported} == {
        "AP",
        "APAveragedOverIOUs",
        "mAP",
        "mAPAveragedOverIOUs",
    }
    one = next(metric for metric in reported if metric["type"] == "AP" and metric["label"]["value"] == "dog")
    assert one == {
        "type": "AP",
        "parameters": {"iou": 0.5},
        "value": pytest.approx(expected["AP"]["class:dog"]["0.5"]),
        "label": {"key": "class", "value": "dog"},
    }
    mean = next(metric for metric in reported if metric["type"] == "mAPAveragedOverIOUs")
    assert mean["parameters"]["label_key"] == "class"
    assert mean["parameters"]["ious"][0] == 0.5
    assert mean["value"] == pytest.approx(expected["mAPAveragedOverIOUs"]["class"])
    recalls = objects(DetectionAverageRecallEvaluator(), "od_01_basic")
    assert {
        metric["label"]["value"]: metric["value"] for metric in recalls if metric["type"] == "AR"
    } == pytest.approx({"cat": 0.6, "dog": 17 / 30})
    assert [metric["value"] for metric in recalls if metric["type"] == "mAR"] == pytest.approx(
        [expected["mAR"]["class"]]
    )


def test_the_curve_of_detections():
    found = objects(DetectionPrecisionRecallCurveEvaluator(matching="valor-code"), "od_01_basic")
    assert [(each["type"], each["parameters"]) for each in found] == [
        ("PrecisionRecallCurve", {"label_key": "class", "pr_curve_iou_threshold": 0.5})
    ]
    expected = golden("od_01_basic")["expected"][API]["PrecisionRecallCurve"]["class:cat"]
    assert set(found[0]["value"]["cat"]) == set(expected)
    for threshold, point in found[0]["value"]["cat"].items():
        for name in ("tp", "fp", "fn", "precision", "recall"):
            assert point[name] == pytest.approx(expected[threshold][name])
    assert found[0]["value"]["cat"]["0.95"] == {
        "tp": 0,
        "fp": 0,
        "fn": 1,
        "precision": -1,
        "recall": 0,
        "f1_score": 0,
    }


def test_the_detailed_curve_of_detections():
    evaluator = DetectionDetailedPrecisionRecallCurveEvaluator(max_examples=1)
    found = objects(evaluator, "od_07_detailed_pr", ids=["img1", "img2", "img3"], dataset="test_dataset")
    point = found[0]["value"]["cat"]["0.05"]
    assert found[0]["type"] == "DetailedPrecisionRecallCurve"
    assert set(point) == {"tp", "fp", "fn"}
    assert point["fp"]["total"] == 2
    assert point["fp"]["observations"]["hallucinations"] == {
        "count": 1,
        "examples": [
            (
                "test_dataset",
                "img3",
                '{"type":"Polygon","coordinates":[[[100.0,0.0],[110.0,0.0],[110.0,10.0],[100.0,10.0],[100.0,0.0]]]}',
            )
        ],
    }
    assert set(point["fn"]["observations"]) == {"misclassifications", "no_predictions"}
    json.dumps(found, allow_nan=False)


def test_decisions_of_labels():
    expected = golden("cls_01_basic")["expected"][API]
    found = {each["label"]["value"]: each["value"] for each in labels(ClassificationF1Evaluator())}
    assert found == {label.removeprefix("class:"): value for label, value in expected["F1"].items()}
    assert labels(ClassificationAccuracyEvaluator()) == [
        {"type": "Accuracy", "parameters": {"label_key": "class"}, "value": expected["Accuracy"]["class"]}
    ]
    assert labels(ClassificationRocAucEvaluator()) == [
        {"type": "ROCAUC", "parameters": {"label_key": "class"}, "value": expected["ROCAUC"]["class"]}
    ]
    matrix = labels(ClassificationConfusionMatrixEvaluator())[0]
    assert (matrix["type"], matrix["label_key"]) == ("ConfusionMatrix", "class")
    assert {"prediction": "dog", "groundtruth": "bee", "count": 1} in matrix["entries"]


def test_curves_of_labels():
    expected = golden("cls_01_basic")["expected"][API]
    curve = labels(ClassificationPrecisionRecallCurveEvaluator())[0]
    assert curve["parameters"] == {"label_key": "class", "pr_curve_iou_threshold": None}
    point = expected["PrecisionRecallCurve"]["class:bee"]["0.3"]
    assert curve["value"]["bee"]["0.3"] == pytest.approx(point)
    detailed = labels(ClassificationDetailedPrecisionRecallCurveEvaluator())[0]["value"]["bee"]["0.05"]
    assert detailed["fp"]["observations"]["misclassifications"]["count"] == 4
    assert detailed["fp"]["observations"]["misclassifications"]["examples"] == [("dataset", 0)]
    assert detailed["tn"]["total"] == 0


def test_examples_of_true_negatives_and_the_key_of_plain_labels():
    run = evaluate(
        [ClassificationDetailedPrecisionRecallCurveEvaluator()],
        {
            "id": ["a", "b"],
            "ground_truths": ["cat", "dog"],
            "predictions": [{"cat": 0.9, "dog": 0.1}, {"cat": 0.2, "dog": 0.8}],
        },
        name="animals",
    )
    (curve,) = run.to_valor(label_key="species")
    assert curve["parameters"]["label_key"] == "species"
    for label, other in (("cat", "b"), ("dog", "a")):
        negatives = curve["value"][label]["0.5"]["tn"]
        assert negatives["observations"] == {"all": {"count": 1, "examples": [("animals", other)]}}


def test_pixels():
    found = pixels()
    assert found == [
        {"type": "IOU", "label": {"key": "", "value": "road"}, "value": 0.5},
        {"type": "IOU", "label": {"key": "", "value": "sky"}, "value": 0.5},
        {"type": "mIOU", "parameters": {"label_key": ""}, "value": 0.5},
    ]


@pytest.mark.parametrize(
    "options",
    [
        {"matching": "coco"},
        {"matching": "coco", "max_detections": 100},
        {"matching": "voc", "integration": "11"},
        {"max_detections": 1},
    ],
)
def test_average_precision_by_other_rules_is_written_as_recall_is(options):
    matches = DetectionMatcher().run(**detection_inputs(golden("od_01_basic")))["matches"]
    result = DetectionAveragePrecisionEvaluator(**options).run(matches=matches)["result"]
    entries = result.to_valor()
    assert [entry["type"] for entry in entries].count("AP") == 4
    by_label = {
        (e["label"]["value"], e["parameters"]["iou"]): e["value"] for e in entries if e["type"] == "AP"
    }
    rows = {row["label"]: row for row in result.detail("by_label").rows()}
    assert by_label == {
        (label, iou): row[f"ap_{100 * iou:g}"] for label, row in rows.items() for iou in (0.5, 0.75)
    }
    (mean,) = (entry["value"] for entry in entries if entry["type"] == "mAPAveragedOverIOUs")
    assert mean == pytest.approx(result.score)
    recall = {name: value for name, value in options.items() if name != "integration"}
    assert DetectionAverageRecallEvaluator(**recall).run(matches=matches)["result"].to_valor()


@pytest.mark.parametrize(
    "evaluator",
    [
        DetectionAveragePrecisionEvaluator(),
        DetectionAverageRecallEvaluator(),
        DetectionPrecisionRecallCurveEvaluator(),
    ],
)
def test_where_no_object_is_there_is_nothing_to_tell(evaluator):
    assert objects(evaluator, "od_08c_empty") == []
    for other in (SegmentationMeanIouEvaluator(), ClassificationRocAucEvaluator()):
        assert other.run(ground_truths=[], predictions=[])["result"].to_valor() == []


def test_what_valor_does_not_define_has_no_entry():
    assert labels(ClassificationCalibrationErrorEvaluator()) == []
    assert objects(DetectionCocoEvaluator(), "od_01_basic") == []  # COCO's twelve numbers


def test_plain_labels_get_the_key_that_is_given():
    assert {metric.get("label", {"key": "class"})["key"] for metric in pixels(label_key="class")} == {"class"}
    assert pixels(label_key="class")[-1]["parameters"] == {"label_key": "class"}
    matrix = ClassificationConfusionMatrixEvaluator().run(ground_truths=["cat"], predictions=["dog"])[
        "result"
    ]
    assert matrix.to_valor(label_key="animal")[0]["label_key"] == "animal"
    keyed = labels(ClassificationAccuracyEvaluator())[0]["parameters"]["label_key"]
    result = ClassificationAccuracyEvaluator().run(**classification_inputs(golden("cls_01_basic")))["result"]
    assert result.to_valor(label_key="other")[0]["parameters"]["label_key"] == keyed == "class"


def test_one_item_alone_has_its_own_values():
    result = ClassificationAccuracyEvaluator().run(ground_truths=["a", "b"], predictions=["a", "a"])["result"]
    assert [result.to_valor(item)[0]["value"] for item in (0, 1, -1)] == [1.0, 0.0, 0.0]


def test_a_stored_result_gives_the_same_dictionaries():
    evaluator = ClassificationDetailedPrecisionRecallCurveEvaluator()
    result = evaluator.run(**classification_inputs(golden("cls_01_basic")))["result"]
    stored = MetricResult.from_dict(json.loads(json.dumps(result.to_dict())))
    assert stored.to_valor() == result.to_valor() != []
