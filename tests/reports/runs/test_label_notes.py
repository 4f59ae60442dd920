"""Notes on means over labels: on labels that are never predicted, and on those of few items."""

import pytest

from thresher import evaluate
from thresher.components.detection import DetectionCocoEvaluator, DetectionMatcher
from thresher.components.segmentation import SegmentationMeanIouEvaluator
from thresher.reports import ComparisonReport
from thresher.reports.analysis import Analysis
from thresher.reports.runs.run_report import RunReport

BOX = [0.0, 0.0, 20.0, 20.0]


def notes(truths, found, metrics=("detection_coco_map",)):
    truth = {"labels": truths, "boxes": [BOX] * len(truths), "crowd": [label == "rain" for label in truths]}
    result = {"labels": found, "boxes": [BOX] * len(found), "scores": [0.5] * len(found)}
    pipeline = [DetectionMatcher(), DetectionCocoEvaluator()]
    results = evaluate(pipeline, {"ground_truths": [truth], "predictions": [result]})
    return RunReport(results, Analysis(metrics=[*metrics])).notes


@pytest.mark.parametrize(
    ("truths", "sentence"),
    [
        (["Car", "Van"], ["1 of 2 labels has objects and no prediction that could match them"]),
        (["Car", *"ABCDEF"], ["6 of 7 labels have objects and no prediction that could match them"]),
        (["Car", "rain"], []),
    ],
)
def test_labels_without_prediction_are_named(truths, sentence):
    shown = notes(truths, ["Car", "Bus"])
    assert [note.partition(",")[0] for note in shown] == sentence
    names = {"Van": "Van.", "F": "A, B, C, D, E, ...."}
    assert not sentence or shown[0].endswith(f"counts 0 in means over labels: {names[truths[-1]]}")
    assert notes(truths, ["Car"], ["detection_coco_mar_100"]) == []


def pixel_notes(truth, predicted, **options):
    data = {"ground_truths": [truth], "predictions": [predicted]}
    results = evaluate([SegmentationMeanIouEvaluator(**options)], data)
    return RunReport(results, Analysis()).notes


def test_labels_without_predicted_pixels_are_named():
    first = "1 of 3 labels has true pixels and no predicted ones, which counts 0 in means over labels: "
    void = "255; if 255 marks pixels that do not count, pass --ignore 255 (ignore=255)."
    assert pixel_notes([[1, 2, 255]], [[1, 2, 2]]) == [first + void]
    assert pixel_notes([[1, 2, 3]], [[1, 2, 2]]) == [f"{first}3."]
    assert pixel_notes([[1, 2, 255]], [[1, 2, 4]], ignore=255) == []


def labelled(truths, **columns):
    found = ["a" if place % 5 == 0 else truth for place, truth in enumerate(truths)]
    data = {"ids": list(range(len(truths))), "ground_truths": truths, "predictions": found, **columns}
    return evaluate(["classification_f1", "classification_accuracy"], data)


def test_labels_of_few_items_are_named_in_report_and_comparison():
    run = labelled(["a"] * 40 + ["b"] * 40 + ["rare"] * 3)
    means = "classification_f1_macro"
    expected = f"Label rare has 3 items and counts as much as the others in {means}."
    metrics = Analysis(metrics=[means, "classification_accuracy"])
    assert RunReport(run, metrics).notes == [expected]
    assert expected in ComparisonReport([run, run], metrics).notes
    two = RunReport(labelled(["a"] * 40 + ["c", "b", "b"]), Analysis(metrics=[means])).notes
    assert two == [f"Label c has 1 item, b 2; each counts as much as the others in {means}."]
    many = RunReport(labelled(["a"] * 40 + [*"bcdefgh"]), Analysis(metrics=[means])).notes
    assert "f 1 and 2 more have fewer than 10; each counts" in many[0]


def test_labels_of_a_small_run_and_of_enough_items_are_not():
    for truths in (["a"] * 5 + ["b"] * 5, ["a"] * 12 + ["b"] * 10):
        assert RunReport(labelled(truths), Analysis(metrics=["classification_f1_macro"])).notes == []


def test_clusters_are_counted_where_items_depend():
    truths = ["a"] * 48 + ["rare"] * 12
    run = labelled(truths, cluster=[place // 3 for place in range(60)])
    notes = RunReport(run, Analysis(metrics=["classification_f1_macro"])).notes
    assert any(note.startswith("Label rare has 4 clusters and counts") for note in notes)
