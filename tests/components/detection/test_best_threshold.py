"""The best thresholds of detections: golden cases, and what has no threshold."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from thresher.components.detection import (
    DetectionBestThresholdEvaluator,
    DetectionF1Evaluator,
)
from thresher.errors import InputError
from vision_cases import matched_images

GOLDEN = sorted((Path(__file__).parents[2] / "golden/vision2").glob("thr_*.json"))
SQUARE, FAR = [0, 0, 10, 10], [20, 20, 30, 30]
GOALS = {
    "by_label": "best_f1",
    "by_label_recall_at_precision": "max_recall_at_precision_0.9",
    "by_label_precision_at_recall": "max_precision_at_recall_0.8",
}


def coco_matches(case):
    images = {image["id"]: ([], []) for image in case["gt"]["images"]}
    for side, annotations in enumerate((case["gt"]["annotations"], case["dt"])):
        for annotation in annotations:
            left, top, width, height = annotation["bbox"]
            score = [annotation["score"]] if side else []
            box = [left, top, left + width, top + height]
            images[annotation["image_id"]][side].append((str(annotation["category_id"]), box, *score))
    return matched_images(*images.values())


def rows(result, table):
    return {row[result.detail(table).keys[-1]]: row for row in result.detail(table).rows()}


def check_row(row, expected):
    """`other` repeats the precision or recall that is highest."""
    for name in expected.keys() - {"other"}:
        assert row[name] == pytest.approx(expected[name], abs=1e-12)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_the_golden_thresholds_are_chosen(path):
    case = json.loads(path.read_text())
    definition = case["expected"]["definition (own code over pycocotools' matches)"]
    matches = coco_matches(case)
    result = DetectionBestThresholdEvaluator(min_precision=0.9, min_recall=0.8).run(matches=matches)["result"]
    for table, goal in GOALS.items():
        labels = rows(result, table)
        for label, expected in definition["per_class"].items():
            if expected.get(goal) is None:
                assert math.isnan(labels[label]["threshold"])
            else:
                check_row(labels[label], expected[goal])
    overall = rows(result, "overall")
    check_row(overall["all labels"], definition["micro_best_f1"])
    macro = definition["macro_best_f1"]
    assert overall["mean of labels"]["threshold"] == macro["threshold"]
    assert overall["mean of labels"]["f"] == pytest.approx(macro["f"], abs=1e-12)
    assert result.value("detection_best_threshold_macro") == pytest.approx(macro["f"], abs=1e-12)
    assert result.score == pytest.approx(definition["micro_best_f1"]["f"], abs=1e-12)
    for beta in (0.5, 2):
        other = DetectionBestThresholdEvaluator(beta=beta).run(matches=matches)["result"]
        for label, row in rows(other, "by_label").items():
            check_row(row, definition["per_class"][label].get(f"best_f{beta:g}") or {})


def test_the_golden_cases_are_there():
    assert len(GOLDEN) == 4


def test_the_f1_at_the_chosen_threshold_is_the_highest():
    generator = np.random.default_rng(5)
    matches = random_matches(generator)
    result = DetectionBestThresholdEvaluator().run(matches=matches)["result"]
    threshold = rows(result, "overall")["all labels"]["threshold"]
    at = {
        score: DetectionF1Evaluator(threshold=score).run(matches=matches)["score"]
        for score in np.round(np.arange(0, 1.01, 0.1), 1).tolist()
    }
    assert at[threshold] == pytest.approx(result.score, abs=1e-12)
    assert max(at.values()) == pytest.approx(result.score, abs=1e-12)


def test_what_has_no_threshold_says_why():
    matches = matched_images(
        ([("cat", SQUARE), ("ape", FAR)], [("cat", FAR, 0.9), ("dog", FAR, 0.8)]),
        ([], [("cat", FAR, 0.4)]),
    )
    result = DetectionBestThresholdEvaluator(min_recall=0.5).run(matches=matches)["result"]
    notes = {label: row["note"] for label, row in rows(result, "by_label").items()}
    assert notes == {
        "ape": "no prediction",
        "cat": "no threshold helps: no prediction is right",
        "dog": "no true one",
    }
    assert result.score == 0.0
    assert math.isnan(result.value("detection_best_threshold_precision_at_recall"))
    floors = rows(result, "by_label_precision_at_recall")
    assert floors["cat"]["note"] == "no threshold reaches the floor: recall is at most 0, at 0.9"
    assert rows(result, "overall")["all labels"]["threshold"] == 0.9


def test_without_true_objects_it_is_undefined():
    matches = matched_images(([], [("cat", FAR, 0.9)]))
    result = DetectionBestThresholdEvaluator().run(matches=matches)["result"]
    assert math.isnan(result.score)
    assert rows(result, "overall")["all labels"]["note"] == "no true one"


def test_without_predictions_it_is_zero():
    result = DetectionBestThresholdEvaluator().run(matches=matched_images(([("cat", FAR)], [])))["result"]
    assert [result.value(measure.name) for measure in result.measures] == [0.0, 0.0, 0.0]


def test_ranges_contain_thresholds_that_scores_have():
    result = DetectionBestThresholdEvaluator().run(matches=random_matches(np.random.default_rng(1)))["result"]
    for row in rows(result, "by_label").values():
        assert row["threshold_low"] <= row["threshold"] <= row["threshold_high"]
        assert round(row["threshold_low"], 1) == row["threshold_low"]


def test_a_floor_outside_0_to_1_is_refused():
    with pytest.raises(InputError, match="min_precision"):
        DetectionBestThresholdEvaluator(min_precision=90)


def random_matches(generator, images=40):
    """Boxes of two labels, about two thirds detected, with false positives of lower scores."""
    sides = []
    for _ in range(images):
        truths = [(str(generator.choice(["cat", "dog"])), [40 * at, 0, 40 * at + 20, 20]) for at in range(3)]
        found = [(label, box, _score(generator, 0.6)) for label, box in truths if generator.random() < 0.7]
        wrong = [("cat", [40 * at, 200, 40 * at + 20, 220], _score(generator, 0.3)) for at in range(2)]
        sides.append((truths, found + wrong))
    return matched_images(*sides)


def _score(generator, mean):
    return round(float(np.clip(generator.normal(mean, 0.2), 0, 1)), 1)


def test_matcher_is_needed():
    with pytest.raises(InputError, match="DetectionMatcher"):
        DetectionBestThresholdEvaluator().run(matches=3)
