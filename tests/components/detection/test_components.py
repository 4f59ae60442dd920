"""What the detection metrics say of small images worked out by hand, and what they refuse."""

import json

import numpy as np
import pytest

from thresher.components.detection import (
    DetectionAveragePrecisionEvaluator,
    DetectionConfusionMatrixEvaluator,
    DetectionDetailedPrecisionRecallCurveEvaluator,
    DetectionErrorEvaluator,
    DetectionF1Evaluator,
    DetectionMatcher,
)
from thresher.kernels.inference import interval
from vision_cases import matched_images

SQUARE, BELOW, FAR, LOW, AWAY = (
    [0, 0, 10, 10],
    [0, 0, 10, 9],
    [20, 20, 30, 30],
    [0, 0, 10, 3],
    [50, 50, 60, 60],
)


def cells(evaluator, matches):
    rows = evaluator.run(matches=matches)["result"].detail("confusion_matrix").rows()
    return {(row["truth"], row["predicted"]): row["count"] for row in rows}


def errors(matches, **options):
    result = DetectionErrorEvaluator(**options).run(matches=matches)["result"]
    table = result.detail("by_error").columns
    assert not {"detection_error_map", "detection_error_average_precision"} & {
        measure.name for measure in result.measures
    }
    return result, dict(zip(table["error"], zip(table["count"], table["cost"], strict=True), strict=True))


def precision_of(matches):
    """The mean average precision that the costs are counted from."""
    return DetectionAveragePrecisionEvaluator(
        matching="coco", iou_thresholds=[0.5], iou_thresholds_to_return=[]
    ).run(matches=matches)["score"]


MIXED = matched_images(
    ([("cat", SQUARE), ("dog", FAR)], [("cat", BELOW, 0.9), ("cat", FAR, 0.8), ("ape", AWAY, 0.7)]),
    ([("dog", SQUARE)], []),
    ([], []),
    ([("ape", FAR)], [("ape", FAR, 0.6)]),
)


def test_the_confusion_matrix_tells_hits_mixups_phantoms_and_misses():
    assert cells(DetectionConfusionMatrixEvaluator(), MIXED) == {
        ("ape", "ape"): 1,
        ("cat", "cat"): 1,
        ("dog", "cat"): 1,
        ("dog", None): 1,
        (None, "ape"): 1,
    }
    result = DetectionConfusionMatrixEvaluator().run(matches=MIXED)["result"]
    assert result.score == 2 / 5
    examples = {
        (row["truth"], row["predicted"]): row["item"] for row in result.detail("confusion_examples").rows()
    }
    assert examples["dog", None] == 1
    assert cells(DetectionConfusionMatrixEvaluator(threshold=0.75), MIXED)["ape", None] == 1


def test_a_box_that_overlaps_too_little_does_not_steal_an_object():
    matches = matched_images(([("cat", SQUARE)], [("dog", [0, 0, 10, 1], 0.9), ("cat", BELOW, 0.8)]))
    assert cells(DetectionConfusionMatrixEvaluator(), matches) == {("cat", "cat"): 1, (None, "dog"): 1}


def test_the_diagonal_counts_the_hits_of_f1():
    for rule in ("valor", "valor-code", "coco"):
        counted = sum(
            count
            for (truth, found), count in cells(
                DetectionConfusionMatrixEvaluator(matching=rule), MIXED
            ).items()
            if truth == found
        )
        assert (
            counted == DetectionF1Evaluator(matching=rule).run(matches=MIXED)["result"].statistics["tp"].sum()
        )


def test_f1_pooled_and_per_image():
    out = DetectionF1Evaluator().run(matches=MIXED)
    result = out["result"]
    assert out["score"] == 2 * 2 / (2 * 2 + 2 + 2)
    assert out["individual_scores"][:2] == [2 / (2 + 2 + 1), 0.0]
    assert np.isnan(out["individual_scores"][2])
    assert result.reasons == {2: "neither predicted nor true objects"}
    assert result.value("detection_f1_precision") == 2 / 4
    assert result.value("detection_f1_recall") == 2 / 4
    assert result.value("detection_f1_per_image") == pytest.approx((0.4 + 0 + 1) / 3)


def test_each_kind_of_error_is_told_apart():
    matches = matched_images(
        (
            [("cat", SQUARE), ("dog", FAR), ("ape", [70, 70, 80, 80])],
            [
                ("cat", SQUARE, 0.9),
                ("cat", BELOW, 0.8),  # the same object again
                ("cat", FAR, 0.7),  # a dog
                ("cat", LOW, 0.6),  # too low for the cat
                ("dog", LOW, 0.5),  # too low for anything, and no dog
                ("cat", AWAY, 0.4),  # nothing there
            ],
        ),
    )
    result, told = errors(matches)
    counts = {error: count for error, (count, _) in told.items()}
    assert counts == {
        "classification": 1,
        "localization": 1,
        "both": 1,
        "duplicate": 1,
        "background": 1,
        "missed": 1,
    }
    assert precision_of(matches) == pytest.approx((1 + 0 + 0) / 3)
    assert result.score == told["classification"][1]
    assert result.primary == tuple(f"detection_error_{error}" for error in told)
    assert told["classification"][1] == pytest.approx(1 / 3)  # the dog is found
    assert told["missed"][1] == pytest.approx(1 / 2 - 1 / 3)  # the ape need not be found
    assert result.value("detection_error_missed") == told["missed"][1]


def test_errors_that_stand_before_hits_cost_precision():
    matches = matched_images(([("cat", SQUARE)], [("cat", AWAY, 0.9), ("cat", SQUARE, 0.5)]))
    _, told = errors(matches)
    assert precision_of(matches) == pytest.approx(0.5)
    assert told["background"] == (1.0, pytest.approx(0.5))
    assert told["duplicate"] == (0.0, 0.0)


def test_what_an_error_costs_is_never_below_zero():
    clean = ([("cat", SQUARE)], [("cat", SQUARE, 0.9)])
    result, _ = errors(matched_images(*[clean] * 20))
    assert result.value("detection_error_background") == 0
    found = interval(result, "detection_error_background")
    assert found.low == 0
    assert 0.1 < found.high < 0.2  # twenty images without such an error are no proof that there is none


def test_a_mended_place_counts_once():
    matches = matched_images(([("cat", SQUARE)], [("cat", LOW, 0.9), ("cat", [0, 0, 10, 4], 0.8)]))
    _, told = errors(matches)
    assert precision_of(matches) == 0
    assert told["localization"] == (2.0, 1.0)
    assert told["missed"] == (0.0, 0.0)


def test_examples_carry_image_object_and_geojson():
    evaluator = DetectionDetailedPrecisionRecallCurveEvaluator(max_examples=1, thresholds=[0.75])
    rows = list(evaluator.run(matches=MIXED)["result"].detail("examples").rows())
    found = {(row["label"], row["observation"]): (row["item"], row["object"]) for row in rows}
    assert found == {
        ("cat", "tp"): (0, 0),
        ("cat", "fp_misclassifications"): (0, 1),
        ("dog", "fn_misclassifications"): (0, 1),
        ("dog", "fn_no_predictions"): (1, 0),
        ("ape", "fn_no_predictions"): (3, 0),
    }
    geometry = json.loads(
        next(row["geometry"] for row in rows if row["observation"] == "fp_misclassifications")
    )
    assert geometry["type"] == "Polygon"
    assert geometry["coordinates"][0][:2] == [[20.0, 20.0], [30.0, 20.0]]


def test_at_most_so_many_examples():
    image = ([("cat", SQUARE)], [("cat", AWAY, 0.9), ("cat", FAR, 0.9)])
    for most in (0, 1, 5):
        evaluator = DetectionDetailedPrecisionRecallCurveEvaluator(max_examples=most, thresholds=[0.5])
        detail = evaluator.run(matches=matched_images(image, image, image))["result"].detail("examples")
        assert detail.columns["observation"].count("fp_hallucinations") == min(most, 6)


def test_values_under_weights_are_the_same_whatever_was_asked_before():
    rng = np.random.default_rng(4)
    corner = rng.integers(0, 20, (30, 2, 2))
    boxes = np.concatenate([corner, corner + rng.integers(5, 15, (30, 2, 2))], axis=2).tolist()
    truths = [{"labels": ["cat", "dog"], "boxes": pair} for pair in boxes]
    predictions = [image | {"scores": rng.random(2).tolist()} for image in truths[:20] + truths[:10]]
    matches = DetectionMatcher().run(ground_truths=truths, predictions=predictions)["matches"]
    draws = rng.integers(0, 3, (40, 30)).astype(float)
    result = DetectionAveragePrecisionEvaluator(matching="coco").run(matches=matches)["result"]
    reductions = {measure.name: measure.reduction for measure in result.measures}
    result.value("detection_average_precision", draws[3])
    together = {name: reduction.many(result.statistics, draws) for name, reduction in reductions.items()}
    for name in reversed(list(together)):
        fresh = DetectionAveragePrecisionEvaluator(matching="coco").run(matches=matches)["result"]
        assert [fresh.value(name, row) for row in draws] == together[name].tolist()
