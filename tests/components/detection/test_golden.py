"""The golden cases: which engine's number each matching rule gives."""

import numpy as np
import pytest

from thresher.components.detection import (
    DetectionAveragePrecisionEvaluator,
    DetectionAverageRecallEvaluator,
    DetectionCocoEvaluator,
    DetectionDetailedPrecisionRecallCurveEvaluator,
    DetectionMatcher,
    DetectionPrecisionRecallCurveEvaluator,
)
from vision_cases import by_label, by_threshold, detection_inputs, golden

pytestmark = pytest.mark.filterwarnings("ignore:all scores of predictions are above")
"""The case of 101 recalls has more than 100 predictions, none with a low score."""
CASES = [
    "od_01_basic",
    "od_02_label_edges",
    "od_03_matching",
    "od_04_ties",
    "od_05_pr_curve",
    "od_06_interp101",
    "od_07_detailed_pr",
    "od_08a_no_predictions",
    "od_10_label_keys",
    "od_11_coco_crowd_area",
    "is_01_geometry_iou",
    "is_02_raster",
    "is_04_raster_as_box",
]
COCO, API, CORE = "pycocotools_2.0.11", "valor_api_0.33.19", "valor_core_0.33.19"
every_case = pytest.mark.parametrize("name", CASES)


def matched(name, **options):
    case = golden(name)
    wanted = case["parameters"].get("convert_annotations_to_type")
    return DetectionMatcher(**({"compare_as": wanted} | options)).run(**detection_inputs(case))["matches"]


def precision(name, matching, **options):
    steps = golden(name)["parameters"]["iou_thresholds_to_compute"]
    evaluator = DetectionAveragePrecisionEvaluator(
        matching=matching, iou_thresholds=steps, iou_thresholds_to_return=steps, **options
    )
    return evaluator.run(matches=matched(name))["result"]


def recall(name, matching, **options):
    steps = golden(name)["parameters"]["iou_thresholds_to_compute"]
    return DetectionAverageRecallEvaluator(matching=matching, iou_thresholds=steps, **options).run(
        matches=matched(name)
    )["result"]


def known(values):
    return {key: value for key, value in values.items() if value != -1}


def assert_precisions(result, expected, tolerance=1e-12):
    table = result.detail("by_label")
    for label, by_iou in expected.items():
        for iou, value in by_iou.items():
            if value == -1:
                assert label not in by_label(table, "ap")
            else:
                column = by_label(table, f"ap_{100 * float(iou):.6g}")
                assert column[label] == pytest.approx(value, abs=tolerance), (label, iou)


@pytest.mark.parametrize("name", [name for name in CASES if "AP" in golden(name)["expected"].get(COCO, {})])
def test_average_precision_and_recall_equal_pycocotools(name):
    expected = golden(name)["expected"][COCO]
    result = precision(name, "coco")
    assert_precisions(result, expected["AP"])
    assert result.score == pytest.approx(expected["mAPAveragedOverIOUs"], abs=1e-12)
    recalls = recall(name, "coco")
    assert by_label(recalls.detail("by_label"), "ar") == pytest.approx(known(expected["AR"]), abs=1e-12)
    assert recalls.score == pytest.approx(expected["mAR"], abs=1e-12)


VALOR = [
    name
    for name in CASES
    if "AP" in golden(name)["expected"][API] and name not in {"od_04_ties", "is_04_raster_as_box"}
]


@pytest.mark.parametrize("name", VALOR)
def test_the_rule_of_valors_releases_equals_its_service(name):
    expected = golden(name)["expected"][API]
    result = precision(name, "valor-code")
    assert_precisions(result, expected["AP"])
    averaged = by_label(result.detail("by_label"), "ap")
    assert averaged == pytest.approx(expected["APAveragedOverIOUs"], abs=1e-12)
    by_key = result.detail("by_key").columns
    assert dict(zip(by_key["key"], by_key["map"], strict=True)) == pytest.approx(
        expected["mAPAveragedOverIOUs"], abs=1e-12
    )
    recalls = recall(name, "valor-code")
    assert by_label(recalls.detail("by_label"), "ar") == pytest.approx(known(expected["AR"]), abs=1e-12)
    by_key = recalls.detail("by_key").columns
    assert dict(zip(by_key["key"], by_key["mar"], strict=True)) == pytest.approx(expected["mAR"], abs=1e-12)


def test_a_score_of_zero_counts_which_valor_is_of_two_minds_about():
    expected = golden("od_04_ties")["expected"]
    found = by_label(precision("od_04_ties", "valor-code").detail("by_label"), "ap_50")
    assert expected[API]["AP"]["class:z"]["0.5"] == 0.0
    assert expected[CORE]["AP"]["class:z"]["0.5"] == "NaN"
    assert expected[CORE]["AR"]["class:z"] == 1.0
    assert found == pytest.approx({"class:a": 1.0, "class:b": 0.0, "class:z": 1.0})
    for label in ("class:a", "class:b"):
        assert found[label] == pytest.approx(expected[API]["AP"][label]["0.5"])


@pytest.mark.parametrize(
    "name", ["od_01_basic", "od_06_interp101", "od_08a_no_predictions", "od_10_label_keys"]
)
def test_hand_values_that_all_rules_agree_on(name):
    hand = golden(name)["hand"]
    for rule in ("valor", "valor-code", "coco"):
        assert_precisions(precision(name, rule), hand["AP"])


def test_the_documented_rule_falls_back_to_the_second_best_object():
    hand = golden("od_03_matching")["hand"]
    assert by_label(precision("od_03_matching", "valor").detail("by_label"), "ap_50") == {"class:a": 1.0}
    assert_precisions(precision("od_03_matching", "valor-code"), hand["valor_AP"])
    assert_precisions(precision("od_03_matching", "coco"), hand["coco_AP"])


def test_the_documented_rule_ignores_labels_that_the_image_does_not_have():
    result = precision("od_02_label_edges", "valor")
    assert by_label(result.detail("by_label"), "ap_50") == pytest.approx(
        {"class:a": 51 / 101, "class:missed": 0.0, "class:only_gt": 0.0}
    )
    assert by_label(
        precision("od_02_label_edges", "valor-code").detail("by_label"), "ap_50"
    ) == pytest.approx({"class:a": 51 / 202, "class:missed": 0.0, "class:only_gt": 0.0})


def test_the_documented_rule_pairs_before_it_asks_for_a_threshold():
    """p1 overlaps g1 by 0.4, but outscores p2, which overlaps it by 0.9 and is left without an object."""
    found = {
        rule: precision("od_05_pr_curve", rule).value("detection_average_precision_50")
        for rule in ("valor", "valor-code", "coco")
    }
    assert found == pytest.approx({"valor": 51 / 303, "valor-code": 2 / 3, "coco": 2 / 3})


def test_equal_scores_are_ordered_by_overlap_or_as_given():
    hand = golden("od_04_ties")["hand"]
    for rule, wanted in (("valor", "valor_AP"), ("valor-code", "valor_AP"), ("coco", "coco_AP")):
        found = by_label(precision("od_04_ties", rule).detail("by_label"), "ap_50")
        assert found["class:a"] == pytest.approx(hand[wanted]["class:a"]["0.5"])
        assert found["class:b"] == 0.0


def test_without_true_objects_there_is_no_value():
    for name in ("od_08b_no_groundtruths", "od_08c_empty"):
        for rule in ("valor", "valor-code", "coco"):
            assert np.isnan(precision(name, rule).score)
            assert np.isnan(recall(name, rule).score)
            assert len(precision(name, rule).detail("by_label")) == 0


def test_the_twelve_numbers_with_crowds_and_limits_of_size():
    expected = golden("od_11_coco_crowd_area")["expected"][COCO]["stats12"]
    result = DetectionCocoEvaluator().run(matches=matched("od_11_coco_crowd_area"))["result"]
    found = [result.value(measure.name) for measure in result.measures]
    assert found == pytest.approx(list(expected.values()), abs=1e-12)


@pytest.mark.parametrize("name", ["od_01_basic", "od_08a_no_predictions"])
def test_the_curve_equals_the_service_of_valor(name):
    expected = golden(name)["expected"][API]["PrecisionRecallCurve"]
    evaluator = DetectionPrecisionRecallCurveEvaluator(matching="valor-code")
    curve = evaluator.run(matches=matched(name))["result"].detail("curve")
    found = by_threshold(curve, "tp", "fp", "fn", "precision", "recall", "f1")
    for label, points in expected.items():
        for threshold, point in points.items():
            mine = found[label][f"{float(threshold):g}"]
            assert [mine["tp"], mine["fp"], mine["fn"]] == [point["tp"], point["fp"], point["fn"]]
            for column in ("precision", "recall"):
                wanted = np.nan if point[column] == -1 else point[column]
                assert mine[column] == pytest.approx(wanted, nan_ok=True)


def test_a_false_positive_counts_once_where_the_service_of_valor_counts_it_twice():
    evaluator = DetectionPrecisionRecallCurveEvaluator(matching="valor-code")
    curve = evaluator.run(matches=matched("od_05_pr_curve"))["result"].detail("curve")
    service = golden("od_05_pr_curve")["expected"][API]["PrecisionRecallCurve"]["class:a"]["0.05"]
    assert by_threshold(curve, "tp", "fp", "fn")["class:a"]["0.05"] == {"tp": 2.0, "fp": 3.0, "fn": 0.0}
    assert (service["tp"], service["fp"], service["fn"]) == (2, 4, 0)


def test_a_duplicate_is_a_false_positive_where_the_service_of_valor_forgets_it():
    evaluator = DetectionPrecisionRecallCurveEvaluator(matching="valor-code")
    curve = evaluator.run(matches=matched("od_03_matching"))["result"].detail("curve")
    point = by_threshold(curve, "tp", "fp", "fn")["class:a"]["0.05"]
    service = golden("od_03_matching")["expected"][API]["PrecisionRecallCurve"]["class:a"]["0.05"]
    assert point == {"tp": 1.0, "fp": 2.0, "fn": 1.0}
    assert service["fp"] == 0


@pytest.mark.parametrize("rule", ["valor", "valor-code", "coco"])
def test_kinds_of_error_by_hand(rule):
    hand = golden("od_07_detailed_pr")["hand"]
    evaluator = DetectionDetailedPrecisionRecallCurveEvaluator(matching=rule)
    curve = evaluator.run(matches=matched("od_07_detailed_pr"))["result"].detail("detailed_curve")
    for told, labels in hand.items():
        threshold = told.removeprefix("detail@")
        for label, wanted in labels.items():
            point = by_threshold(curve, *wanted)[label][f"{float(threshold):g}"]
            assert point == wanted


def test_kinds_of_error_equal_valor_where_its_library_counts_right():
    expected = golden("od_07_detailed_pr")["expected"][CORE]["DetailedPrecisionRecallCurve"]
    evaluator = DetectionDetailedPrecisionRecallCurveEvaluator(matching="valor-code")
    curve = evaluator.run(matches=matched("od_07_detailed_pr"))["result"].detail("detailed_curve")
    kinds = ("tp", "fp_misclassifications", "fp_hallucinations", "fn_misclassifications", "fn_no_predictions")
    found = by_threshold(curve, *kinds)
    for label, points in expected.items():
        for threshold, point in points.items():
            assert list(found[label][f"{float(threshold):g}"].values()) == [
                point["tp"]["total"],
                point["fp"]["misclassifications"]["count"],
                point["fp"]["hallucinations"]["count"],
                point["fn"]["misclassifications"]["count"],
                point["fn"]["no_predictions"]["count"],
            ], (label, threshold)
