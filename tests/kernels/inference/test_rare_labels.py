"""Means over labels: a label with a handful of objects is not certain because they are all found."""

import numpy as np
import pytest

from thresher.components.detection import DetectionAveragePrecisionEvaluator, DetectionAverageRecallEvaluator
from thresher.kernels.inference import Target, estimate
from thresher.kernels.inference.jackknife import jackknife_spread, label_spread
from vision_cases import matched_images

HERE, THERE, AWAY = [0, 0, 10, 10], [20, 20, 30, 30], [50, 50, 60, 60]


def images(mixed, rare):
    """Images with a cat found or overlooked, the first of them with a dog that is found."""
    rng, made = np.random.default_rng(3), []
    for number in range(mixed):
        truths, found = [("cat", HERE)], [("cat", HERE if number % 3 else AWAY, float(rng.random()))]
        if number < rare:
            truths, found = [*truths, ("dog", THERE)], [*found, ("dog", THERE, 0.9)]
        made.append((truths, found))
    return matched_images(*made)


def jackknife(result, measure):
    items = result.scored.size
    without = np.array([result.value(measure, 1.0 - (np.arange(items) == left)) for left in range(items)])
    return np.sqrt((items - 1) / items * ((without - without.mean()) ** 2).sum())


@pytest.mark.parametrize("metric", [DetectionAveragePrecisionEvaluator, DetectionAverageRecallEvaluator])
def test_a_label_that_no_image_changes_has_the_variance_of_a_rate(metric):
    result = metric(iou_thresholds=[0.5]).run(matches=images(12, rare=3))["result"]
    measure = result.measures[0].name
    found = estimate(Target(result, measure))
    rate = (3 + 2) / (3 + 4)
    expected = np.sqrt(jackknife(result, measure) ** 2 + rate * (1 - rate) / (3 + 4) / 2**2)
    assert found.standard_error == pytest.approx(expected)


def test_all_found_leaves_more_room_with_fewer_objects():
    metric = DetectionAveragePrecisionEvaluator(iou_thresholds=[0.5])
    results = [metric.run(matches=images(24, rare))["result"] for rare in (2, 20)]
    few, many = (estimate(Target(result, "detection_average_precision")) for result in results)
    assert few.interval.high - few.interval.low > 1.2 * (many.interval.high - many.interval.low)


def test_a_label_that_one_group_changes_keeps_its_jackknife_variance():
    without = np.column_stack([np.linspace(0.4, 0.6, 10), np.full(10, 0.8)])
    without[0, 1] = 0.7
    spread = jackknife_spread(0.65, without.mean(axis=1))
    assert label_spread(spread, np.array([0.5, 0.8]), np.array([20.0, 20.0]), without) == spread
