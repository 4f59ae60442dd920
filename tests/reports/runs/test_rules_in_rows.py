"""A report says which rule of matching each value follows."""

import json

import pytest

from thresher import EvaluationResults
from thresher.components.detection import (
    DetectionAveragePrecisionEvaluator,
    DetectionAverageRecallEvaluator,
    DetectionCocoEvaluator,
    DetectionConfusionMatrixEvaluator,
    DetectionF1Evaluator,
    DetectionMatcher,
    Polygons,
)

RULES = {
    "detection_coco_map": "COCO, 101 points, IoU 0.5:0.95",
    "detection_coco_map_75": "COCO, 101 points, IoU 0.75",
    "detection_coco_mar_10": "COCO, IoU 0.5:0.95",
    "detection_average_precision": "Valor, 101 points, IoU 0.5:0.95",
    "detection_average_precision_50": "Valor, 101 points, IoU 0.5",
    "detection_average_recall": "COCO, IoU 0.5",
    "voc": "Pascal VOC, area, IoU 0.5",
    "detection_f1": "COCO, IoU 0.5, score ≥ 0.5",
    "detection_confusion_matrix": "diagonal share; COCO, IoU 0.5, score ≥ 0.5",
}


@pytest.fixture(scope="module")
def results():
    image = {"labels": ["cat"], "boxes": [[0, 0, 10, 10]]}
    found = image | {"scores": [0.9]}
    matches = DetectionMatcher().run(ground_truths=[image] * 3, predictions=[found, found, None])["matches"]
    evaluators = [
        DetectionCocoEvaluator(),
        DetectionAveragePrecisionEvaluator(),
        DetectionAveragePrecisionEvaluator(
            matching="voc", integration="area", iou_thresholds=[0.5], iou_thresholds_to_return=[], name="voc"
        ),
        DetectionAverageRecallEvaluator(matching="coco", iou_thresholds=[0.5]),
        DetectionF1Evaluator(),
        DetectionConfusionMatrixEvaluator(),
    ]
    return EvaluationResults(
        {"id": ["a", "b", "c"]},
        [each.run(matches=matches)["result"].with_primary(["detection_coco_map"]) for each in evaluators],
        name="boxes",
    )


def test_rows_and_data_have_the_rule(results):
    text, markdown = (
        results.report().render(output_format=output_format) for output_format in ("table", "markdown")
    )
    facts = json.loads(results.report().render(output_format="json"))["metrics"]
    for name, rule in RULES.items():
        assert f"{name} ({rule}) ↑" in text
        assert f"{name} ({rule}) ↑" in markdown
        assert facts[name]["rule"] == rule


def test_the_rule_names_what_is_compared():
    square = [[0, 0], [0, 9], [9, 9], [9, 0]]
    image = {"labels": ["cat"], "geometries": [Polygons.of([square])]}
    matcher = DetectionMatcher(compare_as="probiou")
    matches = matcher.run(ground_truths=[image], predictions=[image | {"scores": [1.0]}])["matches"]
    for evaluator in (DetectionCocoEvaluator(), DetectionAveragePrecisionEvaluator(matching="coco")):
        measure = evaluator.run(matches=matches)["result"].measures[0]
        assert measure.rule == "COCO, 101 points, ProbIoU 0.5:0.95"


def test_a_narrow_terminal_has_the_rules_below_the_table(results, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = results.report(metrics=["detection_coco_map_75", "detection_f1"]).render(output_format="table")
    assert "detection_coco_map_75 ↑ " in text
    assert "COCO, 101 points, IoU 0.75: detection_coco_map_75." in text


def test_a_comparison_and_a_page_have_the_rule(results):
    report = results.compare(results)
    assert "detection_coco_map (COCO, 101 points, IoU 0.5:0.95) ↑" in report.render(output_format="table")
    rows = {row["metric"]: row for row in report.data()["differences"]}
    assert rows["detection_average_precision"]["rule"] == RULES["detection_average_precision"]
    for page in (results.report(), report):
        assert "Valor, 101 points, IoU 0.5:0.95</small>" in page.render(output_format="html")


def test_the_rule_is_stored_with_the_run(results):
    measure = EvaluationResults.from_json(results.to_json()).metrics["voc"].measure
    assert measure.rule == RULES["voc"]
