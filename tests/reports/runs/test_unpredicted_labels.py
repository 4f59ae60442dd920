"""Labels that a detector never predicts are named, since each is a 0 in the mean."""

import pytest

from thresher import evaluate
from thresher.components.detection import DetectionCocoEvaluator, DetectionMatcher
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
