"""Means over labels of classifiers and label maps: each label's value, and the mean of them all."""

import numpy as np
import pytest

from thresher import EvaluationResults
from thresher.components import (
    ClassificationAveragePrecisionEvaluator,
    ClassificationBalancedAccuracyEvaluator,
    ClassificationF1Evaluator,
    ClassificationPrecisionEvaluator,
    ClassificationRocAucEvaluator,
    MultilabelAveragePrecisionEvaluator,
    MultilabelF1Evaluator,
    SegmentationMeanIouEvaluator,
)
from thresher.kernels.classification.label_scores import LabelScores
from thresher.kernels.inference import Target
from thresher.kernels.inference.jackknife import jackknife_groups
from thresher.kernels.inference.label_estimates import label_estimates

LABELS = ["cat", "dog", "fox"]


def classified(seed=0, size=240):
    random = np.random.default_rng(seed)
    truths = random.choice(3, size, p=[0.5, 0.4, 0.1])
    scores = random.random((size, 3)) + np.eye(3)[truths] * 0.5
    return {
        "ground_truths": [LABELS[truth] for truth in truths],
        "predictions": LabelScores(scores / scores.sum(axis=1, keepdims=True), LABELS),
    }


def label_sets(seed=0, size=120):
    random = np.random.default_rng(seed)
    true = random.random((size, 3)) < [0.5, 0.3, 0.1]
    scores = np.clip(random.random((size, 3)) * 0.7 + true * 0.3, 0, 1).tolist()
    return {
        "ground_truths": [
            [label for label, is_true in zip(LABELS, row, strict=True) if is_true] for row in true
        ],
        "predictions": [dict(zip(LABELS, row, strict=True)) for row in scores],
    }


def label_maps(seed=0, size=40):
    random = np.random.default_rng(seed)
    truths = random.integers(0, 3, (size, 6, 6))
    wrong = random.random(truths.shape) < 0.3
    return {
        "ground_truths": list(truths),
        "predictions": list(np.where(wrong, random.integers(0, 3, truths.shape), truths)),
    }


CASES = [
    (ClassificationF1Evaluator(), classified(), "f1"),
    (ClassificationPrecisionEvaluator(), classified(), "precision"),
    (ClassificationBalancedAccuracyEvaluator(), classified(), "recall"),
    (ClassificationRocAucEvaluator(), classified(), "roc_auc"),
    (ClassificationAveragePrecisionEvaluator(), classified(), "average_precision"),
    (MultilabelF1Evaluator(), label_sets(), "f1"),
    (MultilabelAveragePrecisionEvaluator(), label_sets(), "average_precision"),
    (SegmentationMeanIouEvaluator(), label_maps(), "iou"),
]


@pytest.mark.parametrize(("metric", "data", "column"), CASES, ids=lambda case: getattr(case, "name", ""))
def test_labels_have_the_values_of_the_table_and_intervals(metric, data, column):
    result = metric.run(**data)["result"]
    primary = result.measures[0].name
    estimates = label_estimates(Target(result, primary))
    rows = result.detail("by_label").rows()
    assert [each.value for each in estimates] == pytest.approx([row[column] for row in rows], rel=1e-14)
    assert np.mean([each.value for each in estimates]) == pytest.approx(result.value(primary), rel=1e-14)
    assert all(each.interval.low < each.value < each.interval.high for each in estimates)
    report = EvaluationResults({}, [result]).report_by_label().table()
    assert set(report["label"]) == {str(each.label) for each in estimates}


@pytest.mark.parametrize(("metric", "data", "column"), CASES, ids=lambda case: getattr(case, "name", ""))
def test_values_without_groups_are_those_of_one_row_of_weights_at_a_time(metric, data, column):
    result = metric.run(**data)["result"]
    reduction, statistics = result.measures[0].reduction, result.statistics
    group, groups = jackknife_groups(statistics.size)
    rows = (np.arange(groups)[:, None] != group).astype(float)
    # Weights that are not whole are counted in another way.
    rows = np.vstack([rows[:5], rows[:5] * 0.7])
    together = reduction.many(statistics, rows)
    assert together == pytest.approx([reduction(statistics, row) for row in rows], rel=1e-12)
    assert together[:5] == pytest.approx(together[5:], rel=1e-12)


def test_objects_are_items_and_images_with_the_label():
    data = classified()
    for metric in (ClassificationF1Evaluator(), ClassificationRocAucEvaluator()):
        result = metric.run(**data)["result"]
        estimates = label_estimates(Target(result, result.measures[0].name))
        counts = {str(each.label): each.objects for each in estimates}
        assert counts == {label: data["ground_truths"].count(label) for label in LABELS}
    maps = label_maps()
    result = SegmentationMeanIouEvaluator().run(**maps)["result"]
    images = [sum((truth == value).any() for truth in maps["ground_truths"]) for value in range(3)]
    assert [each.objects for each in label_estimates(Target(result, "segmentation_mean_iou"))] == images


def test_a_label_that_is_always_right_is_not_certain():
    truths = ["cat", "dog", "fox"] * 4
    result = ClassificationF1Evaluator().run(ground_truths=truths, predictions=truths)["result"]
    (cat, *_) = label_estimates(Target(result, "classification_f1_macro"))
    assert (cat.value, cat.interval.high) == (1, 1)
    assert 0.4 < cat.interval.low < 0.7


def test_areas_under_roc_curves_vary_less_than_rates():
    result = ClassificationRocAucEvaluator().run(**classified(1, 600))["result"]
    (cat, *_) = label_estimates(Target(result, "classification_roc_auc"))
    assert cat.standard_error < 0.8 * np.sqrt(cat.value * (1 - cat.value) / cat.objects)


def test_other_averages_have_no_labels():
    result = ClassificationF1Evaluator().run(**classified())["result"]
    assert label_estimates(Target(result, "classification_f1_weighted")) == []
