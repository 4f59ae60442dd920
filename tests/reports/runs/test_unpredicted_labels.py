"""Labels that are never predicted are named, since each is a 0 in the mean."""

import pytest

from thresher import evaluate
from thresher.components.detection import DetectionCocoEvaluator, DetectionMatcher
from thresher.components.segmentation import SegmentationMeanIouEvaluator
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
