"""Means over labels: a label with a handful of objects is not certain because they are all found."""

import numpy as np
import pytest

from thresher.components.detection import DetectionAveragePrecisionEvaluator, DetectionAverageRecallEvaluator
from thresher.kernels.inference import Target, estimate
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


@pytest.mark.parametrize("metric", [DetectionAveragePrecisionEvaluator, DetectionAverageRecallEvaluator])
def test_all_found_leaves_more_room_with_fewer_objects(metric):
    results = [metric(iou_thresholds=[0.5]).run(matches=images(24, rare))["result"] for rare in (2, 20)]
    few, many = (estimate(Target(result, result.measures[0].name)) for result in results)
    assert few.interval.high - few.interval.low > 1.2 * (many.interval.high - many.interval.low)
    assert few.value - few.interval.low > 0.2
