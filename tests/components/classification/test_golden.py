"""The golden cases: which engine's number each setting gives."""

import math

import numpy as np
import pytest

from thresher.components.classification import (
    ClassificationAccuracyEvaluator,
    ClassificationConfusionMatrixEvaluator,
    ClassificationDetailedPrecisionRecallCurveEvaluator,
    ClassificationF1Evaluator,
    ClassificationPrecisionEvaluator,
    ClassificationPrecisionRecallCurveEvaluator,
    ClassificationRecallEvaluator,
    ClassificationRocAucEvaluator,
)
from vision_cases import by_label, by_threshold, classification_inputs, golden

CASES = [
    "cls_01_basic",
    "cls_02_ties_all_equal",
    "cls_03_partial_ties",
    "cls_04_label_edges",
    "cls_05_sparse_topk",
    "cls_07_single_class",
    "cls_08_no_predictions",
]
SKLEARN = "sklearn_1.9.1"
CORE = "valor_core_0.33.19"
API = "valor_api_0.33.19"


def cases_of(engine, quantity):
    """The cases for which an engine gave a quantity."""
    told = {name: golden(name)["expected"][engine] for name in CASES}
    return pytest.mark.parametrize(
        "name", [name for name, each in told.items() if quantity in each.get("class", each)]
    )


def result(evaluator, name, drop=()):
    """What an evaluator says of a case, its items without true label or prediction dropped at will."""
    inputs = classification_inputs(golden(name))
    rows = [
        row
        for row in zip(inputs["ground_truths"], inputs["predictions"], strict=True)
        if not ("unpredicted" in drop and not row[1]) and not ("unlabelled" in drop and not row[0])
    ]
    truths, predictions = zip(*rows, strict=True) if rows else ((), ())
    return evaluator.run(ground_truths=list(truths), predictions=list(predictions))["result"]


def undefined_as(value, found):
    return {key: value if math.isnan(entry) else entry for key, entry in found.items()}


@cases_of(SKLEARN, "Precision")
def test_quantities_by_label_equal_scikit_learn(name):
    expected = golden(name)["expected"][SKLEARN]["class"]
    table = result(ClassificationF1Evaluator(), name, {"unpredicted", "unlabelled"}).detail("by_label")
    for quantity in ("Precision", "Recall", "F1"):
        found = undefined_as(0.0, by_label(table, quantity.lower()))
        wanted = {key: value for key, value in expected[quantity].items() if key in found or value}
        assert found == pytest.approx(wanted, abs=1e-15)


@cases_of(API, "Precision")
def test_quantities_by_label_equal_valor(name):
    expected = golden(name)["expected"][API]
    table = result(ClassificationPrecisionEvaluator(), name).detail("by_label")
    for quantity in ("Precision", "Recall", "F1"):
        found = undefined_as(0.0, by_label(table, quantity.lower()))
        wanted = {key: value for key, value in expected[quantity].items() if value != -1}
        assert found == pytest.approx(wanted, abs=1e-15)


@cases_of(SKLEARN, "Accuracy")
def test_accuracy_equals_scikit_learn_over_items_with_both(name):
    expected = golden(name)["expected"][SKLEARN]["class"]
    actual = result(ClassificationAccuracyEvaluator(), name, {"unpredicted", "unlabelled"})
    assert actual.score == pytest.approx(expected["Accuracy"], abs=1e-15)


def test_a_missing_prediction_is_wrong_unless_its_item_is_left_out():
    expected = golden("cls_04_label_edges")["expected"]
    assert (
        result(ClassificationAccuracyEvaluator(), "cls_04_label_edges").score
        == expected[CORE]["Accuracy"]["class"]
        == 0.2
    )
    left_out = result(ClassificationAccuracyEvaluator(), "cls_04_label_edges", {"unpredicted"})
    assert left_out.score == expected[API]["Accuracy"]["class"] == 0.25


@cases_of(SKLEARN, "ROCAUC_mean_of_defined")
def test_roc_auc_by_label_equals_scikit_learn(name):
    expected = golden(name)["expected"][SKLEARN]["class"]
    actual = result(ClassificationRocAucEvaluator(), name, {"unpredicted", "unlabelled"})
    areas = by_label(actual.detail("by_label"), "roc_auc")
    wanted = {
        key: np.nan if value is None else value
        for key, value in expected["ROCAUC_per_class_missing_score_as_0"].items()
    }
    assert areas == pytest.approx(wanted, abs=1e-15, nan_ok=True)
    mean = expected["ROCAUC_mean_of_defined"]
    assert actual.score == pytest.approx(np.nan if mean is None else mean, abs=1e-15, nan_ok=True)


def test_ties_at_the_top_do_not_lose_area_as_they_do_in_valor():
    case = golden("cls_03_partial_ties")
    assert (
        result(ClassificationRocAucEvaluator(), "cls_03_partial_ties").score == case["hand"]["ROCAUC"] == 0.75
    )
    assert case["expected"][CORE]["ROCAUC"]["class"] == pytest.approx(0.708333, abs=1e-6)


@cases_of(CORE, "PrecisionRecallCurve")
def test_the_curve_equals_valor_core(name):
    expected = golden(name)["expected"][CORE]
    columns = ("tp", "fp", "tn", "fn", "precision", "recall", "f1_score", "accuracy")
    curve = result(ClassificationPrecisionRecallCurveEvaluator(), name).detail("curve")
    assert_curves(by_threshold(curve, *columns[:6], "f1", "accuracy"), expected["PrecisionRecallCurve"])


@pytest.mark.parametrize("name", ["cls_01_basic", "cls_02_ties_all_equal", "cls_03_partial_ties"])
def test_the_curve_equals_the_service_of_valor(name):
    curve = result(ClassificationPrecisionRecallCurveEvaluator(), name).detail("curve")
    columns = ("tp", "fp", "tn", "fn", "precision", "recall", "f1", "accuracy")
    assert_curves(by_threshold(curve, *columns), golden(name)["expected"][API]["PrecisionRecallCurve"])


def test_unlabelled_items_as_negatives_give_the_false_positives_of_the_service():
    expected = golden("cls_04_label_edges")["expected"][API]["PrecisionRecallCurve"]
    evaluator = ClassificationPrecisionRecallCurveEvaluator(unlabelled="negative")
    found = by_threshold(result(evaluator, "cls_04_label_edges").detail("curve"), "tp", "fp")
    for label, points in expected.items():
        for threshold, point in points.items():
            assert found[label][threshold] == {"tp": point["tp"], "fp": point["fp"]}


@cases_of(CORE, "DetailedPrecisionRecallCurve")
def test_the_detailed_curve_equals_valor_core(name):
    expected = golden(name)["expected"][CORE]
    curve = result(ClassificationDetailedPrecisionRecallCurveEvaluator(), name).detail("detailed_curve")
    kinds = ("tp", "fp_misclassifications", "fn_misclassifications", "fn_no_predictions", "tn")
    found = by_threshold(curve, *kinds)
    for label, points in expected["DetailedPrecisionRecallCurve"].items():
        for threshold, point in points.items():
            assert found[label][f"{float(threshold):g}"] == {
                "tp": point["tp"]["total"],
                "fp_misclassifications": point["fp"]["misclassifications"]["count"],
                "fn_misclassifications": point["fn"]["misclassifications"]["count"],
                "fn_no_predictions": point["fn"]["no_predictions"]["count"],
                "tn": point["tn"]["total"],
            }


@pytest.mark.parametrize(
    "name", ["cls_01_basic", "cls_02_ties_all_equal", "cls_03_partial_ties", "cls_04_label_edges"]
)
def test_the_confusion_matrix_equals_valor(name):
    expected = golden(name)["expected"][API]
    rows = result(ClassificationConfusionMatrixEvaluator(), name).detail("confusion_matrix").rows()
    found = {(row["truth"], row["predicted"]): row["count"] for row in rows if row["predicted"] is not None}
    entries = [entry for matrix in expected["ConfusionMatrix"] for entry in matrix["entries"]]
    assert found == {(each["groundtruth"], each["prediction"]): each["count"] for each in entries}


def test_hand_values_of_the_basic_case():
    hand = golden("cls_01_basic")["hand"]
    recall = result(ClassificationRecallEvaluator(), "cls_01_basic").detail("by_label")
    assert by_label(recall, "recall") == hand["Recall"]
    areas = by_label(result(ClassificationRocAucEvaluator(), "cls_01_basic").detail("by_label"), "roc_auc")
    assert areas == hand["ROCAUC_per_class"]


def assert_curves(found, expected):
    assert set(found) == set(expected)
    for label, points in expected.items():
        for threshold, point in points.items():
            mine = found[label][f"{float(threshold):g}"]
            for column, value in mine.items():
                wanted = point["f1_score" if column == "f1" else column]
                if value != value:  # noqa: PLR0124 (NaN)
                    assert wanted in (-1, -1.0), (label, threshold, column)
                elif column == "f1" and wanted == -1:
                    assert value == 0  # Valor has no F1 where precision or recall is 0
                else:
                    assert value == pytest.approx(wanted, abs=1e-15), (label, threshold, column)
