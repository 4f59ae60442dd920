"""What the detection metrics say of small images worked out by hand, and what they refuse."""

import json
import pickle

import numpy as np
import pytest
from haystack import Pipeline

from thresher.components.detection import (
    AveragePrecisionEvaluator,
    AverageRecallEvaluator,
    CocoDetectionEvaluator,
    DetailedDetectionPrecisionRecallCurveEvaluator,
    DetectionColumns,
    DetectionConfusionMatrixEvaluator,
    DetectionErrorEvaluator,
    DetectionF1Evaluator,
    DetectionMatcher,
    DetectionMatches,
    DetectionPrecisionRecallCurveEvaluator,
    Detections,
)
from thresher.errors import InputError
from thresher.results import MetricResult
from vision_cases import detection_inputs, golden

SQUARE, BELOW, FAR, LOW, AWAY = (
    [0, 0, 10, 10],
    [0, 0, 10, 9],
    [20, 20, 30, 30],
    [0, 0, 10, 3],
    [50, 50, 60, 60],
)
EVERY = [
    AveragePrecisionEvaluator(),
    AverageRecallEvaluator(),
    CocoDetectionEvaluator(),
    DetailedDetectionPrecisionRecallCurveEvaluator(),
    DetectionConfusionMatrixEvaluator(),
    DetectionErrorEvaluator(),
    DetectionF1Evaluator(),
    DetectionPrecisionRecallCurveEvaluator(),
]
every_metric = pytest.mark.parametrize("metric", EVERY, ids=lambda metric: type(metric).__name__)


def matched(*images):
    """Each image: true (label, box) pairs and predicted (label, box, score) triples; None for no entry."""
    truths = [None if image is None else Detections.of(*_columns(image[0], 2)) for image in images]
    found = [None if image is None else Detections.of(*_columns(image[1], 3)) for image in images]
    return DetectionMatcher().run(predictions=found, ground_truths=truths)["matches"]


def _columns(rows, width):
    return [list(column) for column in zip(*rows, strict=True)] or [[], np.zeros((0, 4)), *[[]] * (width - 2)]


def cells(evaluator, matches):
    rows = evaluator.run(matches=matches)["result"].detail("confusion_matrix").rows()
    return {(row["truth"], row["predicted"]): row["count"] for row in rows}


def errors(matches, **options):
    result = DetectionErrorEvaluator(**options).run(matches=matches)["result"]
    table = result.detail("by_error").columns
    return result, dict(zip(table["error"], zip(table["count"], table["cost"], strict=True), strict=True))


MIXED = matched(
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
    assert cells(DetectionConfusionMatrixEvaluator(score_threshold=0.75), MIXED)["ape", None] == 1


def test_a_box_that_overlaps_too_little_does_not_steal_an_object():
    matches = matched(([("cat", SQUARE)], [("dog", [0, 0, 10, 1], 0.9), ("cat", BELOW, 0.8)]))
    assert cells(DetectionConfusionMatrixEvaluator(), matches) == {("cat", "cat"): 1, (None, "dog"): 1}


def test_the_diagonal_counts_the_hits_of_f1():
    for rule in ("valor", "valor-code", "coco"):
        counted = sum(
            count
            for (truth, found), count in cells(DetectionConfusionMatrixEvaluator(rule), MIXED).items()
            if truth == found
        )
        assert counted == DetectionF1Evaluator(rule).run(matches=MIXED)["result"].statistics["tp"].sum()


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
    matches = matched(
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
    assert result.score == pytest.approx((1 + 0 + 0) / 3)
    assert told["classification"][1] == pytest.approx(1 / 3)  # the dog is found
    assert told["missed"][1] == pytest.approx(1 / 2 - 1 / 3)  # the ape need not be found
    assert result.value("detection_error_missed") == told["missed"][1]


def test_errors_that_stand_before_hits_cost_precision():
    matches = matched(([("cat", SQUARE)], [("cat", AWAY, 0.9), ("cat", SQUARE, 0.5)]))
    result, told = errors(matches)
    assert result.score == pytest.approx(0.5)
    assert told["background"] == (1.0, pytest.approx(0.5))
    assert told["duplicate"] == (0.0, 0.0)


def test_a_mended_place_counts_once():
    matches = matched(([("cat", SQUARE)], [("cat", LOW, 0.9), ("cat", [0, 0, 10, 4], 0.8)]))
    result, told = errors(matches)
    assert result.score == 0
    assert told["localization"] == (2.0, 1.0)
    assert told["missed"] == (0.0, 0.0)


def test_examples_carry_image_object_and_geojson():
    evaluator = DetailedDetectionPrecisionRecallCurveEvaluator(pr_curve_max_examples=1, thresholds=[0.75])
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
        evaluator = DetailedDetectionPrecisionRecallCurveEvaluator(
            pr_curve_max_examples=most, thresholds=[0.5]
        )
        detail = evaluator.run(matches=matched(image, image, image))["result"].detail("examples")
        assert detail.columns["observation"].count("fp_hallucinations") == min(most, 6)


def test_a_missing_image_is_left_out_and_an_empty_one_counts():
    image = ([("cat", SQUARE)], [("cat", SQUARE, 0.9)])
    with_gap = matched(image, None, ([("cat", SQUARE)], []))
    result = AverageRecallEvaluator().run(matches=with_gap)["result"]
    assert result.score == 0.5
    assert result.reasons == {1: "no entry in predictions"}


@every_metric
def test_matches_may_come_image_by_image(metric):
    whole = metric.run(matches=MIXED)["result"]
    single = metric.run(matches=[MIXED[at] for at in range(len(MIXED))])["result"]
    assert [single.value(each.name) for each in single.measures] == pytest.approx(
        [whole.value(each.name) for each in whole.measures], nan_ok=True
    )
    shards = [metric.run(matches=MIXED[:1])["result"], metric.run(matches=MIXED[1:])["result"]]
    joined = MetricResult.concatenate(shards)
    for measure in whole.measures:
        assert joined.value(measure.name) == pytest.approx(whole.value(measure.name), nan_ok=True)
    assert joined.detail().to_dict() == whole.detail().to_dict() if whole.breakdowns else True


@every_metric
def test_an_entry_of_none_is_missing(metric):
    result = metric.run(matches=[MIXED[0], None, MIXED[3]])["result"]
    assert result.reasons[1] == "no entry in matches"


@every_metric
@pytest.mark.parametrize("matches", ["text", 3, ["text"], {"a": 1}])
def test_what_no_matcher_gave_is_refused(metric, matches):
    with pytest.raises(InputError, match="matches are what a DetectionMatcher gives, not"):
        metric.run(matches=matches)


def test_matches_of_different_settings_do_not_mix():
    boxes = DetectionMatcher(compare_as="box").run(**detection_inputs(golden("is_02_raster")))["matches"]
    masks = DetectionMatcher().run(**detection_inputs(golden("is_02_raster")))["matches"]
    with pytest.raises(InputError, match="these matches were made with different settings"):
        AveragePrecisionEvaluator().run(matches=[boxes, masks])
    signatures = [
        str(AveragePrecisionEvaluator().run(matches=each)["result"].measures[0].signature)
        for each in (boxes, masks)
    ]
    assert "compare_as:box" in signatures[0]
    assert "compare_as:none" in signatures[1]


def test_images_are_named_where_they_cannot_be_read():
    good = {"labels": ["cat"], "boxes": [SQUARE]}
    with pytest.raises(InputError, match=r"predictions\[1\]: object 0 has the score 7; give a number"):
        DetectionMatcher().run(
            predictions=[good | {"scores": [0.5]}, good | {"scores": [7]}], ground_truths=[good, good]
        )
    with pytest.raises(
        InputError, match="inputs have unequal lengths: predictions has 1, ground_truths has 2"
    ):
        DetectionMatcher().run(predictions=[good], ground_truths=[good, good])
    with pytest.raises(InputError, match="predictions: some images have scores and some have none"):
        DetectionMatcher().run(predictions=[good, good | {"scores": [0.5]}], ground_truths=[good, good])


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: AveragePrecisionEvaluator("best"), "matching='best' is unknown; choose one of valor"),
        (
            lambda: AveragePrecisionEvaluator(iou_thresholds=[0.5], iou_thresholds_to_return=[0.7]),
            "0.7 is none of",
        ),
        (lambda: AveragePrecisionEvaluator(max_detections=0), "max_detections=0 must be a whole number"),
        (
            lambda: AverageRecallEvaluator(recall_score_threshold=2),
            "recall_score_threshold=2 must be a number",
        ),
        (lambda: CocoDetectionEvaluator(max_detections=[10, 1]), r"max_detections=\[10, 1\] must rise"),
        (
            lambda: CocoDetectionEvaluator({"tiny": [0]}),
            r"area_ranges: tiny is \[0\]; give \[lowest, highest\]",
        ),
        (lambda: DetectionF1Evaluator(iou_threshold=0), "iou_threshold=0 must be a number above 0"),
        (lambda: DetectionErrorEvaluator(background_threshold=0.6), "must be below iou_threshold"),
        (lambda: DetectionMatcher(compare_as="circle"), "compare_as='circle' is unknown"),
        (lambda: DetectionMatcher(raster_to_polygon="best"), "raster_to_polygon='best' is unknown"),
    ],
)
def test_options_out_of_range_are_refused(build, message):
    with pytest.raises(InputError, match=message):
        build()


def test_sizes_of_ones_own():
    evaluator = CocoDetectionEvaluator({"tiny": [0, 100], "huge": [100.1, 1e10]}, max_detections=[5])
    result = evaluator.run(matches=MIXED)["result"]
    assert [measure.name for measure in result.measures] == [
        "coco_map",
        "coco_map_50",
        "coco_map_75",
        "coco_map_tiny",
        "coco_map_huge",
        "coco_mar_5",
        "coco_mar_tiny",
        "coco_mar_huge",
    ]
    assert result.value("coco_map_tiny") == result.score
    assert np.isnan(result.value("coco_map_huge"))


def test_a_score_threshold_of_recall():
    image = ([("cat", SQUARE), ("cat", FAR)], [("cat", SQUARE, 0.9), ("cat", FAR, 0.4)])
    for threshold, wanted in ((0.0, 1.0), (0.4, 1.0), (0.41, 0.5), (0.95, 0.0)):
        evaluator = AverageRecallEvaluator(recall_score_threshold=threshold)
        assert evaluator.run(matches=matched(image))["score"] == wanted


def test_the_interpolated_curve_adds_up_to_average_precision():
    result = AveragePrecisionEvaluator("coco").run(matches=MIXED)["result"]
    curve = result.detail("precision_recall").columns
    rows = np.array(curve["iou_threshold"]) == 0.5
    by_label = {}
    for label, precision in zip(
        np.array(curve["label"])[rows], np.array(curve["precision"])[rows], strict=True
    ):
        by_label.setdefault(label, []).append(precision)
    table = result.detail("by_label").columns
    assert {label: np.mean(points) for label, points in by_label.items()} == pytest.approx(
        dict(zip(table["label"], table["ap_50"], strict=True))
    )


def test_one_matcher_feeds_many_metrics_in_a_pipeline():
    pipeline = Pipeline()
    pipeline.add_component("matcher", DetectionMatcher())
    for metric in EVERY:
        pipeline.add_component(metric.name, metric)
        pipeline.connect("matcher.matches", f"{metric.name}.matches")
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["thresher"])
    data = {
        "predictions": [each.to_dict() for each in MIXED.predictions],
        "ground_truths": [each.to_dict() for each in MIXED.truths],
    }
    out = again.run({"matcher": data})
    assert set(out) == {metric.name for metric in EVERY}
    assert out["map"]["score"] == AveragePrecisionEvaluator().run(matches=MIXED)["score"]


def test_matches_survive_a_pickle_and_columns_feed_the_matcher():
    again = pickle.loads(pickle.dumps(MIXED))  # noqa: S301
    assert isinstance(again, DetectionMatches)
    wanted = AveragePrecisionEvaluator().run(matches=MIXED)["score"]
    assert AveragePrecisionEvaluator().run(matches=again)["score"] == wanted
    columns = [DetectionColumns.of(list(side)) for side in (MIXED.predictions, MIXED.truths)]
    matches = DetectionMatcher().run(predictions=columns[0], ground_truths=columns[1])["matches"]
    assert AveragePrecisionEvaluator().run(matches=matches)["score"] == wanted
