"""Proofs of the rows about labels."""

from math import isnan

import pytest

from disagreements.register import (
    API,
    CORE,
    LITE33,
    LITE39,
    SKLEARN,
    expected,
    labels,
    shows,
)
from thresher.components.classification import (
    ClassificationAccuracyEvaluator,
    ClassificationDetailedPrecisionRecallCurveEvaluator,
    ClassificationF1Evaluator,
    ClassificationPrecisionEvaluator,
    ClassificationPrecisionRecallCurveEvaluator,
    ClassificationRocAucEvaluator,
)
from vision_cases import by_label, classification_inputs, golden


@shows("ROC AUC where scores tie")
def _():
    for name, mine, core in (("cls_02_ties_all_equal", 0.5, 0.0), ("cls_03_partial_ties", 0.75, 0.7083333)):
        assert (
            labels(ClassificationRocAucEvaluator(), name).score
            == expected(name, SKLEARN)["ROCAUC_mean_of_defined"]
            == mine
        )
        assert expected(name, CORE)["ROCAUC"]["class"] == pytest.approx(core, abs=1e-6)
        assert expected(name, API)["ROCAUC"]["class"] == pytest.approx(core, abs=1e-6)
    assert expected("cls_02_ties_all_equal", LITE33)["ROCAUC"]["class:pos"] == 0
    assert expected("cls_02_ties_all_equal", LITE39)["ROCAUC"]["class:pos"] == 0.5


@shows("ROC AUC of a label without positives or negatives")
def _():
    result = labels(ClassificationRocAucEvaluator(), "cls_07_single_class")
    assert isnan(result.score)
    assert result.detail("by_label").columns["undefined"] == ["every item has the label"]
    assert expected("cls_07_single_class", LITE39)["ROCAUC"] == {"class:a": 0.0}
    assert expected("cls_07_single_class", SKLEARN)["ROCAUC_mean_of_defined"] is None


@shows("a score that is not listed (top-k)")
def _():
    assert labels(ClassificationRocAucEvaluator(), "cls_05_sparse_topk").score == pytest.approx(
        expected("cls_05_sparse_topk", SKLEARN)["ROCAUC_mean_of_defined"]
    )
    assert expected("cls_05_sparse_topk", LITE39)["ROCAUC"] == {"class:a": 0.0, "class:b": 0.0}
    assert "error" in expected("cls_05_sparse_topk", CORE)
    sides = {"ground_truths": ["cat", "dog"], "predictions": [{"dog": 0.4}, {"cat": 0.1}]}
    assert (
        ClassificationRocAucEvaluator().run(**sides)["score"]
        != ClassificationRocAucEvaluator(missing_score=1).run(**sides)["score"]
    )


@shows("item without prediction, in accuracy")
def _():
    assert labels(ClassificationAccuracyEvaluator(), "cls_04_label_edges").score == 0.2
    assert expected("cls_04_label_edges", CORE)["Accuracy"]["class"] == 0.2
    inputs = classification_inputs(golden("cls_04_label_edges"))
    left_out = {**inputs, "predictions": [each or None for each in inputs["predictions"]]}
    assert (
        ClassificationAccuracyEvaluator().run(**left_out)["score"]
        == expected("cls_04_label_edges", API)["Accuracy"]["class"]
    )


@shows("item without true label, in the curves")
def _():
    sides = {"ground_truths": ["cat", []], "predictions": [{"cat": 0.9}, {"cat": 0.8}]}
    ignored = ClassificationPrecisionRecallCurveEvaluator().run(**sides)["result"].detail("curve")
    negative = (
        ClassificationPrecisionRecallCurveEvaluator(unlabelled="negative")
        .run(**sides)["result"]
        .detail("curve")
    )
    assert (ignored.columns["fp"][0], negative.columns["fp"][0]) == (0, 1)


@shows("precision, recall, F1 that are 0/0")
def _():
    result = labels(ClassificationF1Evaluator(), "cls_04_label_edges")
    assert isnan(by_label(result.detail("by_label"), "precision")["class:rare"])
    assert expected("cls_04_label_edges", API)["Precision"]["class:quiet"] == -1
    assert expected("cls_04_label_edges", CORE)["Precision"]["class:a"] == -1
    assert expected("cls_04_label_edges", SKLEARN)["Precision"]["class:quiet"] == 0
    sides = {"ground_truths": ["cat", "ape"], "predictions": ["cat", "cat"]}
    for undefined, expected_score in (("zero", 0.25), ("one", 0.75)):
        evaluator = ClassificationPrecisionEvaluator(undefined=undefined)
        assert evaluator.run(**sides)["score"] == expected_score


@shows("0/0 in the curves")
def _():
    result = ClassificationPrecisionRecallCurveEvaluator().run(["cat"], [{"cat": 0.3}])["result"]
    assert isnan(result.detail("curve").columns["precision"][-1])
    assert result.to_valor()[0]["value"]["cat"]["0.95"]["precision"] == -1


@shows("missed items without any prediction, in the curves")
def _():
    result = ClassificationDetailedPrecisionRecallCurveEvaluator().run(["cat"], [{}])["result"]
    assert result.detail("detailed_curve").columns["fn_no_predictions"][0] == 1


@shows("F1 in the curves where precision is 0")
def _():
    result = ClassificationPrecisionRecallCurveEvaluator().run(["cat", "dog"], [{"dog": 0.9}, {"cat": 0.9}])[
        "result"
    ]
    assert result.detail("curve").columns["f1"][0] == 0
