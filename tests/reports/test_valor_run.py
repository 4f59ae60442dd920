"""A whole run as the list of Valor's dictionaries."""

import json

import pytest

from laws.cases import CASES, made
from thresher import Label, build, evaluate, open_run
from thresher.components import metric_names
from thresher.judges import estimating

TYPES = {
    "classification_accuracy": {"Accuracy"},
    "bleu": {"BLEU"},
    "classification_f1": {"F1"},
    "classification_precision": {"Precision"},
    "classification_recall": {"Recall"},
    "classification_confusion_matrix": {"ConfusionMatrix"},
    "detection_detailed_precision_recall_curve": {"DetailedPrecisionRecallCurve"},
    "classification_detailed_precision_recall_curve": {"DetailedPrecisionRecallCurve"},
    "detection_average_precision": {"AP", "mAP", "APAveragedOverIOUs", "mAPAveragedOverIOUs"},
    "detection_average_recall": {"AR", "mAR"},
    "detection_confusion_matrix": {"ConfusionMatrix"},
    "detection_precision_recall_curve": {"PrecisionRecallCurve"},
    "segmentation_mean_iou": {"IOU", "mIOU"},
    "classification_precision_recall_curve": {"PrecisionRecallCurve"},
    "classification_roc_auc": {"ROCAUC"},
    "rouge": {"ROUGE"},
    "valor_answer_correctness": {"AnswerCorrectness"},
    "valor_answer_relevance": {"AnswerRelevance"},
    "valor_bias": {"Bias"},
    "valor_coherence": {"Coherence"},
    "valor_context_precision": {"ContextPrecision"},
    "valor_context_recall": {"ContextRecall"},
    "valor_context_relevance": {"ContextRelevance"},
    "valor_faithfulness": {"Faithfulness"},
    "valor_hallucination": {"Hallucination"},
    "valor_summary_coherence": {"SummaryCoherence"},
    "valor_toxicity": {"Toxicity"},
}
"""The metrics of Valor's documentation; every other metric has no entry."""


@pytest.mark.parametrize("name", metric_names())
@pytest.mark.filterwarnings("ignore:bleu")
def test_exactly_the_metrics_of_valor_have_entries(name):
    with estimating():
        result = made(name).run(**CASES[name].inputs)["result"]
    metrics = result.to_valor()
    assert {metric["type"] for metric in metrics} == TYPES.get(name, set())
    json.dumps(metrics, allow_nan=False)


PREDICTIONS = [{"cat": 0.9, "dog": 0.1}, {"cat": 0.6, "dog": 0.4}, {"dog": 0.8, "cat": 0.2}]


def test_a_run_is_the_list_of_its_metrics_without_those_that_valor_lacks(tmp_path):
    data = {"id": ["x", "y", "z"], "ground_truths": ["cat", "dog", "dog"], "predictions": PREDICTIONS}
    metrics = [
        "classification_f1",
        "classification_calibration_error",
        "classification_detailed_precision_recall_curve",
    ]
    results = evaluate(metrics, data, name="pets", out=tmp_path / "run")
    written = results.to_valor(label_key="class")
    assert [metric["type"] for metric in written] == ["DetailedPrecisionRecallCurve", "F1", "F1"]
    curve = written[0]["value"]["cat"]["0.5"]
    assert curve["fp"]["observations"]["misclassifications"]["examples"] == [("pets", "y")]
    assert open_run(tmp_path / "run").to_valor(label_key="class") == written


def test_detections_by_the_rule_of_valor_are_what_evaluate_detection_returns():
    boxes = {"labels": [Label("class", "cat")], "boxes": [[0, 0, 10, 10]]}
    data = {"ground_truths": [boxes], "predictions": [boxes | {"scores": [0.9]}]}
    names = ("average_precision", "average_recall", "precision_recall_curve")
    pipeline = build(["detection_coco", *(f"detection_{name}" for name in names)])
    metrics = evaluate(pipeline, data).to_valor()
    kinds = {metric["type"] for metric in metrics}
    assert kinds >= {"AP", "mAP", "AR", "mAR", "PrecisionRecallCurve"}
    places = [(m["type"], str(m.get("label")), str(m.get("parameters"))) for m in metrics]
    assert len(places) == len(set(places))  # nothing twice under one name: COCO's AP is not Valor's
    assert {m["parameters"]["label_key"] for m in metrics if m["type"] == "mAP"} == {"class"}


def test_a_run_without_valors_metrics_is_an_empty_list():
    answers = {"answer": ["a"], "reference": ["a"]}
    assert evaluate(build(["token_f1"]), answers).to_valor() == []
