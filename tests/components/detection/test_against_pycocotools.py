"""Random data sets: COCO's twelve numbers against pycocotools, and bootstrap weights against copies."""

import contextlib
import io
import json

import numpy as np
import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from coco_sets import data_set, random_box, result_near, with_masks
from detection_samples import detections, images
from thresher.components.detection import (
    DetectionAveragePrecisionEvaluator,
    DetectionAverageRecallEvaluator,
    DetectionBestThresholdEvaluator,
    DetectionCocoEvaluator,
    DetectionErrorEvaluator,
    DetectionKittiEvaluator,
    DetectionMatcher,
    DetectionOpenImagesEvaluator,
    DetectionTideEvaluator,
)
from thresher.datasets import _coco_scanner
from thresher.datasets.coco import read_coco
from thresher.errors import DataWarning
from thresher.kernels.detection import ordering
from thresher.native import library as library_module

SEEDS = range(20)


def twelve(truth, results, kind):
    with contextlib.redirect_stdout(io.StringIO()):
        known = COCO()
        known.dataset = json.loads(json.dumps(truth))
        known.createIndex()
        found = COCO() if isinstance(results, dict) else known.loadRes(json.loads(json.dumps(results)))
        if isinstance(results, dict):
            found.dataset = json.loads(json.dumps(results))
            found.createIndex()
        evaluation = COCOeval(known, found, kind)
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation.stats


def matched(truth, results, folder, geometries):
    (folder / "truth.json").write_text(json.dumps(truth))
    (folder / "results.json").write_text(json.dumps(results))
    data = read_coco(folder / "truth.json", folder / "results.json", geometries=geometries)
    sockets = {name: data.column(name) for name in ("predictions", "ground_truths")}
    return DetectionMatcher().run(**sockets)["matches"]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_twelve_numbers_of_boxes(seed, tmp_path):
    truth, results = data_set(seed)
    result = DetectionCocoEvaluator().run(matches=matched(truth, results, tmp_path, "boxes"))["result"]
    found = np.nan_to_num([result.value(measure.name) for measure in result.measures], nan=-1)
    np.testing.assert_allclose(found, twelve(truth, results, "bbox"), rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_twelve_numbers_of_masks(seed, tmp_path):
    truth, results = with_masks(*data_set(seed), seed)
    result = DetectionCocoEvaluator().run(matches=matched(truth, results, tmp_path, "masks"))["result"]
    found = np.nan_to_num([result.value(measure.name) for measure in result.measures], nan=-1)
    np.testing.assert_allclose(found, twelve(truth, results, "segm"), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "change", [lambda score: 6 * score - 3, lambda score: score + 1.2e-7 * (score > 0.9)]
)
@pytest.mark.parametrize("kind", ["boxes", "masks"])
@pytest.mark.parametrize("has_library", [True, False])
def test_scores_outside_0_to_1_rank_as_in_pycocotools(kind, change, has_library, tmp_path, monkeypatch):
    if not has_library:
        monkeypatch.setattr(library_module, "library", lambda: None)
        for module in (_coco_scanner, ordering):
            monkeypatch.setattr(module, "library", lambda: None)
    for seed in SEEDS[:4]:
        truth, results = data_set(seed) if kind == "boxes" else with_masks(*data_set(seed), seed)
        results = [{**row, "score": change(row["score"])} for row in results]
        outside = sum(not 0 <= row["score"] <= 1 for row in results)
        with pytest.warns(
            DataWarning, match=f"^{outside} of {len(results)} scores of predictions are outside"
        ):
            matches = matched(truth, results, tmp_path, kind)
        result = DetectionCocoEvaluator().run(matches=matches)["result"]
        found = np.nan_to_num([result.value(measure.name) for measure in result.measures], nan=-1)
        expected = twelve(truth, results, "bbox" if kind == "boxes" else "segm")
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["boxes", "masks"])
def test_predictions_in_the_form_of_a_data_set_are_those_of_pycocotools(kind, tmp_path):
    """As `COCOeval(truth, COCO(predictions))` evaluates them: with the areas of their annotations."""
    for seed in SEEDS[:4]:
        truth, results = data_set(seed) if kind == "boxes" else with_masks(*data_set(seed), seed)
        generator = np.random.default_rng(seed)
        further = {
            "iscrowd": generator.integers(0, 2, len(results)),
            "area": generator.uniform(9, 12000, len(results)),
        }
        rows = [
            {
                "bbox": [0, 0, 9, 9],
                **row,
                "id": at + 1,
                **{name: column[at].item() for name, column in further.items()},
            }
            for at, row in enumerate(results)
        ]
        predicted = {**truth, "annotations": rows}
        result = DetectionCocoEvaluator().run(matches=matched(truth, predicted, tmp_path, kind))["result"]
        found = np.nan_to_num([result.value(measure.name) for measure in result.measures], nan=-1)
        expected = twelve(truth, predicted, "bbox" if kind == "boxes" else "segm")
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
@pytest.mark.parametrize(
    "evaluator",
    [
        DetectionAveragePrecisionEvaluator(),
        DetectionAveragePrecisionEvaluator(matching="voc", iou_thresholds=[0.5]),
        DetectionAverageRecallEvaluator(max_detections=3),
        DetectionBestThresholdEvaluator(),
        DetectionErrorEvaluator(),
        DetectionKittiEvaluator(precision_at="exact"),
        DetectionOpenImagesEvaluator(max_detections=3),
        DetectionTideEvaluator(),
    ],
)
def test_all_metrics_that_rank_take_any_scores(evaluator):
    generator = np.random.default_rng(5)
    truths = images(generator, 60)
    found = detections(generator, truths, (0.9, 0.6, 0.8, 0.5))
    for image in (*truths, *found):  # labels of KITTI
        image["labels"] = ["Car" if label == "often" else "Pedestrian" for label in image["labels"]]
    values = []
    for scale, shift in ((1, 0), (8, -4)):
        scored = [{**image, "scores": np.round(image["scores"], 1) * scale + shift} for image in found]
        matches = DetectionMatcher().run(predictions=scored, ground_truths=truths)["matches"]
        result = evaluator.run(matches=matches)["result"]
        values.append([result.value(measure.name) for measure in result.measures])
    assert not np.isnan(values[0]).all()
    np.testing.assert_array_equal(*values)


def test_the_data_sets_have_what_is_hard():
    """Crowds, equal scores, images without objects, one to eighty labels, and gaps between their numbers."""
    sets = [data_set(seed)[0] for seed in SEEDS]
    assert {len(truth["categories"]) for truth in sets} == {1, 5, 20, 80}
    for truth, results in map(data_set, SEEDS):
        assert any(row["iscrowd"] for row in truth["annotations"])
        assert {row["image_id"] for row in truth["annotations"]} < {row["id"] for row in truth["images"]}
        ids = [row["id"] for row in truth["categories"]]
        assert max(ids) > len(ids)
        assert len({row["score"] for row in results}) < len(results)


def test_more_than_a_hundred_predictions_of_an_image_and_label(tmp_path):
    truth, results = data_set(1)
    generator = np.random.default_rng(1)
    image, label = truth["images"][0], truth["categories"][0]["id"]
    results += [result_near(generator, image, label, random_box(generator)) for _ in range(150)]
    result = DetectionCocoEvaluator().run(matches=matched(truth, results, tmp_path, "boxes"))["result"]
    found = np.nan_to_num([result.value(measure.name) for measure in result.measures], nan=-1)
    np.testing.assert_allclose(found, twelve(truth, results, "bbox"), rtol=0, atol=1e-12)


def test_the_area_of_a_result_with_box_and_mask_is_that_of_its_box(tmp_path):
    truth, results = with_masks(*data_set(3), 3)
    for row in results:
        row["bbox"] = [0.0, 0.0, 40.0, 30.0]
    result = DetectionCocoEvaluator().run(matches=matched(truth, results, tmp_path, "masks"))["result"]
    found = np.nan_to_num([result.value(measure.name) for measure in result.measures], nan=-1)
    np.testing.assert_allclose(found, twelve(truth, results, "segm"), rtol=0, atol=1e-12)


@pytest.mark.parametrize("rule", ["valor", "valor-code", "coco"])
def test_weights_count_images_as_if_they_were_copied(rule, tmp_path):
    truth, results = data_set(4)
    if rule == "coco":  # its order of equal scores is that of the images, which copies change
        for place, row in enumerate(results):
            row["score"] = 1 - (place * 7 % len(results)) / len(results)
    matches = matched(truth, results, tmp_path, "boxes")
    weights = np.random.default_rng(0).integers(0, 4, len(matches))
    copied = matches.take(np.repeat(np.arange(len(matches)), weights))
    for evaluator in (
        DetectionAveragePrecisionEvaluator(matching=rule),
        DetectionAverageRecallEvaluator(matching=rule),
    ):
        whole, twice = (evaluator.run(matches=each)["result"] for each in (matches, copied))
        for measure in whole.measures:
            wanted = twice.value(measure.name)
            assert whole.value(measure.name, weights) == pytest.approx(wanted, abs=1e-12)
            draws = measure.reduction.many(whole.statistics, np.stack([weights, weights]).astype(float))
            assert draws == pytest.approx([wanted, wanted], abs=1e-12)
        first, second = whole.detail("by_label", weights), twice.detail("by_label")
        assert first.columns["label"] == second.columns["label"]
        for column in first.columns:
            if column not in {"key", "label"}:
                assert first.columns[column] == pytest.approx(second.columns[column], abs=1e-12)
