"""Detection metrics and their matches: gaps, shards, pipelines, and what they refuse."""

import pickle

import numpy as np
import pytest
from haystack import Pipeline

from thresher.components.detection import (
    DetectionAveragePrecisionEvaluator,
    DetectionAverageRecallEvaluator,
    DetectionCocoEvaluator,
    DetectionColumns,
    DetectionConfusionMatrixEvaluator,
    DetectionDetailedPrecisionRecallCurveEvaluator,
    DetectionErrorEvaluator,
    DetectionF1Evaluator,
    DetectionMatcher,
    DetectionMatches,
    DetectionPrecisionRecallCurveEvaluator,
)
from thresher.errors import InputError
from thresher.results import MetricResult
from vision_cases import detection_inputs, golden, matched_images

SQUARE, BELOW, FAR, LOW, AWAY = (
    [0, 0, 10, 10],
    [0, 0, 10, 9],
    [20, 20, 30, 30],
    [0, 0, 10, 3],
    [50, 50, 60, 60],
)
EVERY = [
    DetectionAveragePrecisionEvaluator(),
    DetectionAverageRecallEvaluator(),
    DetectionCocoEvaluator(),
    DetectionDetailedPrecisionRecallCurveEvaluator(),
    DetectionConfusionMatrixEvaluator(),
    DetectionErrorEvaluator(),
    DetectionF1Evaluator(),
    DetectionPrecisionRecallCurveEvaluator(),
]
every_metric = pytest.mark.parametrize("metric", EVERY, ids=lambda metric: type(metric).__name__)


MIXED = matched_images(
    ([("cat", SQUARE), ("dog", FAR)], [("cat", BELOW, 0.9), ("cat", FAR, 0.8), ("ape", AWAY, 0.7)]),
    ([("dog", SQUARE)], []),
    ([], []),
    ([("ape", FAR)], [("ape", FAR, 0.6)]),
)


def test_a_missing_image_is_left_out_and_an_empty_one_counts():
    image = ([("cat", SQUARE)], [("cat", SQUARE, 0.9)])
    with_gap = matched_images(image, None, ([("cat", SQUARE)], []))
    result = DetectionAverageRecallEvaluator().run(matches=with_gap)["result"]
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
    with pytest.raises(InputError, match="connect the output of a DetectionMatcher"):
        metric.run(matches=matches)


def test_matches_of_different_settings_do_not_mix():
    boxes = DetectionMatcher(compare_as="box").run(**detection_inputs(golden("is_02_raster")))["matches"]
    masks = DetectionMatcher().run(**detection_inputs(golden("is_02_raster")))["matches"]
    with pytest.raises(InputError, match="these matches have different settings"):
        DetectionAveragePrecisionEvaluator().run(matches=[boxes, masks])
    signatures = [
        str(DetectionAveragePrecisionEvaluator().run(matches=each)["result"].measures[0].signature)
        for each in (boxes, masks)
    ]
    assert "compare_as:box" in signatures[0]
    assert "compare_as:none" in signatures[1]


def test_images_are_named_where_they_cannot_be_read():
    good = {"labels": ["cat"], "boxes": [SQUARE]}
    with pytest.raises(InputError, match=r"predictions\[1\]: object 0 has the score nan; give a finite"):
        DetectionMatcher().run(
            predictions=[good | {"scores": [0.5]}, good | {"scores": [float("nan")]}],
            ground_truths=[good, good],
        )
    with pytest.raises(
        InputError, match="inputs have unequal lengths: predictions has 1, ground_truths has 2"
    ):
        DetectionMatcher().run(predictions=[good], ground_truths=[good, good])
    with pytest.raises(InputError, match="predictions: some images have scores and others do not"):
        DetectionMatcher().run(predictions=[good, good | {"scores": [0.5]}], ground_truths=[good, good])


def test_thresholds_that_have_a_measure_follow_those_that_are_computed():
    assert DetectionAveragePrecisionEvaluator().iou_thresholds_to_return == [0.5, 0.75]
    assert DetectionAveragePrecisionEvaluator(iou_thresholds=[0.5]).iou_thresholds_to_return == [0.5]
    assert DetectionAveragePrecisionEvaluator(iou_thresholds=[0.4, 0.6]).iou_thresholds_to_return == []


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: DetectionAveragePrecisionEvaluator(matching="best"),
            "matching='best' is unknown; choose one of valor",
        ),
        (
            lambda: DetectionAveragePrecisionEvaluator(iou_thresholds=[0.5], iou_thresholds_to_return=[0.7]),
            "0.7 is not one of",
        ),
        (
            lambda: DetectionAveragePrecisionEvaluator(max_detections=0),
            "max_detections=0 must be a whole number",
        ),
        (
            lambda: DetectionAverageRecallEvaluator(threshold=-2),
            "threshold=-2 must be a number",
        ),
        (
            lambda: DetectionCocoEvaluator(max_detections=[10, 1]),
            r"whole numbers of at least 1, rising",
        ),
        (
            lambda: DetectionCocoEvaluator(area_ranges={"tiny": [0]}),
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
    evaluator = DetectionCocoEvaluator(
        area_ranges={"tiny": [0, 100], "huge": [100.1, 1e10]}, max_detections=[5]
    )
    result = evaluator.run(matches=MIXED)["result"]
    assert [measure.name for measure in result.measures] == [
        "detection_coco_map",
        "detection_coco_map_50",
        "detection_coco_map_75",
        "detection_coco_map_tiny",
        "detection_coco_map_huge",
        "detection_coco_mar_5",
        "detection_coco_mar_tiny",
        "detection_coco_mar_huge",
    ]
    assert result.value("detection_coco_map_tiny") == result.score
    assert np.isnan(result.value("detection_coco_map_huge"))


def test_a_score_threshold_of_recall():
    image = ([("cat", SQUARE), ("cat", FAR)], [("cat", SQUARE, 0.9), ("cat", FAR, 0.4)])
    for threshold, wanted in ((0.0, 1.0), (0.4, 1.0), (0.41, 0.5), (0.95, 0.0)):
        evaluator = DetectionAverageRecallEvaluator(threshold=threshold)
        assert evaluator.run(matches=matched_images(image))["score"] == wanted


def test_the_interpolated_curve_adds_up_to_average_precision():
    result = DetectionAveragePrecisionEvaluator(matching="coco").run(matches=MIXED)["result"]
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
    assert (
        out["detection_average_precision"]["score"]
        == DetectionAveragePrecisionEvaluator().run(matches=MIXED)["score"]
    )


def test_matches_survive_a_pickle_and_columns_feed_the_matcher():
    again = pickle.loads(pickle.dumps(MIXED))  # noqa: S301
    assert isinstance(again, DetectionMatches)
    expected = DetectionAveragePrecisionEvaluator().run(matches=MIXED)["score"]
    assert DetectionAveragePrecisionEvaluator().run(matches=again)["score"] == expected
    columns = [DetectionColumns.of(list(side)) for side in (MIXED.predictions, MIXED.truths)]
    matches = DetectionMatcher().run(predictions=columns[0], ground_truths=columns[1])["matches"]
    assert DetectionAveragePrecisionEvaluator().run(matches=matches)["score"] == expected
