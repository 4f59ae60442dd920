"""Native and numpy overlaps, orders and matches are equal to the last bit."""

import os

import numpy as np
import pytest

from thresher.components.detection import (
    DetectionCocoEvaluator,
    DetectionConfusionMatrixEvaluator,
    DetectionErrorEvaluator,
)
from thresher.kernels.detection.assignment import RULES, assign
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.greedy import Turns, _outcomes_by_area, match_greedily
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.ordering import by_score, ranks_in_groups, stable_order
from thresher.kernels.detection.outcomes import score_ranks
from thresher.kernels.detection.overlaps import _shares, overlapping

SEEDS = range(int(os.environ.get("FUZZ_SEEDS", "4")))
AREAS = ((0.0, 1e10), (0.0, 16.0), (16.0, 64.0), (64.0, 1e10))
IMAGES, LABELS = 60, 3


def objects(rng, most, scored):
    """Boxes on a grid, many of them equal, touching or without an area; areas on the limits of ranges."""
    images = np.repeat(np.arange(IMAGES), rng.integers(0, most, IMAGES))
    size = len(images)
    start, sides = rng.integers(0, 3, (size, 2)), rng.choice([0.0, 3.0, 4.0, 4.5, 5.0], (size, 2))
    boxes = np.concatenate([start, sides], axis=1) * rng.choice([1.0, 1.1], size)[:, None]
    marks = {} if scored else {"crowd": rng.random(size) < 0.2, "difficult": rng.random(size) < 0.1}
    return DetectionColumns.from_arrays(
        images,
        rng.integers(0, LABELS, size),
        boxes,
        rng.integers(0, 6, size) / 5 if scored else None,
        size=IMAGES,
        labels=[f"label {at}" for at in range(LABELS)],
        box_format="xywh",
        areas=rng.choice([15.0, 16.0, 64.0, 1e10, 2e10], size),
        **marks,
    )


def matches_of(seed, most=14):
    rng = np.random.default_rng(seed)
    return DetectionMatches(objects(rng, most, scored=True), objects(rng, (most + 1) // 2, scored=False), {})


def assert_equal(fast, slow):
    assert vars(fast).keys() == vars(slow).keys()
    for name, array in vars(fast).items():
        np.testing.assert_array_equal(array, getattr(slow, name), err_msg=name, strict=True)


@pytest.mark.parametrize("same_label", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_overlaps(both, seed, same_label):
    matches = matches_of(seed)
    fast, slow = both(overlapping, matches.predictions, matches.truths, same_label=same_label)
    assert_equal(fast, slow)
    assert len(fast.iou) > 30


def test_more_overlaps_than_expected(both):
    """Many objects at one place: more pairs than there is room for at first."""
    boxes = np.tile([0.0, 0.0, 2.0, 2.0], (40, 1))
    options = {"size": 1, "labels": ["one"]}
    columns = DetectionColumns.from_arrays(np.zeros(40), np.zeros(40), boxes, **options)
    fast, slow = both(overlapping, columns, columns)
    assert_equal(fast, slow)
    assert len(fast.iou) == 1600


@pytest.mark.parametrize("thresholds", [[0.5], np.linspace(0.5, 0.95, 10), np.linspace(0.02, 1.0, 32)])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", SEEDS)
def test_assignments(both, seed, rule, thresholds):
    matches = matches_of(seed)

    def assigned():
        pairs = overlapping(matches.predictions, matches.truths)
        return assign(matches.predictions, matches.truths, pairs, rule, thresholds, area_ranges=AREAS)

    fast, slow = both(assigned)
    assert_equal(fast, slow)
    assert np.count_nonzero(fast.hits) > 10


@pytest.mark.parametrize("most", [1, 14])
@pytest.mark.parametrize("seed", SEEDS)
def test_metrics(both, seed, most):
    """Whole results: statistics, values and tables."""

    def results():
        matches = matches_of(seed, most)
        metrics = (
            DetectionCocoEvaluator(area_ranges={"small": [0, 16], "large": [16, 64]}, max_detections=(1, 3)),
            DetectionConfusionMatrixEvaluator(threshold=0.2),
            DetectionErrorEvaluator(matching="coco"),
        )
        whole = [metric.run(matches=[matches])["result"] for metric in metrics]
        ranks = score_ranks(matches)
        return [[str(result.to_dict()) for result in whole], ranks.tolist()]

    fast, slow = both(results)
    assert fast == slow


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rows", [0, 1, 5, 3000])
def test_orders(both, rows, seed):
    rng = np.random.default_rng(seed)
    near = np.nextafter(0.5, rng.integers(0, 2, rows)) + rng.integers(0, 9, rows) * 2.0**-50
    scores = rng.choice([0.0, -0.0, 1.0, 5e-324, 1e-300, 0.1, np.nan], rows)
    scores = np.where(np.isnan(scores), near, scores)
    fast, slow = both(by_score, scores)
    np.testing.assert_array_equal(fast, slow, strict=True)
    np.testing.assert_array_equal(fast, np.argsort(-scores, kind="stable"))
    for highest in (1, 5, 2**11, 2**33, 2**62):
        keys, start = rng.integers(0, highest, rows), rng.permutation(rows)
        for order in (None, start, start[: rows // 2]):
            fast, slow = both(stable_order, keys, order)
            np.testing.assert_array_equal(fast, slow, strict=True)
    groups = rng.integers(0, 7, rows)
    fast, slow = both(ranks_in_groups, groups, start)
    np.testing.assert_array_equal(fast, slow, strict=True)


def test_columns_that_contradict_each_other_are_refused(native):
    matches = matches_of(0)
    pairs, size = matches.pairs(), matches.predictions.objects
    order, group = np.arange(size), np.zeros(size, np.int64)
    reach, shared = np.ones(len(pairs.iou), np.uint32), np.zeros(matches.truths.objects, bool)
    ignored = shared[:, None]
    for wrong in (
        (pairs, reach[1:], Turns(order, group), ignored, shared),
        (pairs, reach, Turns(order + 1, group), ignored, shared),
        (pairs, reach, Turns(order, group - 1), ignored, shared),
        (pairs, reach, Turns(order[1:], group), ignored, shared),
        (pairs, reach, Turns(order, group), ignored[1:], shared),
        (pairs.where(np.arange(len(pairs.iou))[::-1]), reach, Turns(order, group), ignored, shared),
    ):
        with pytest.raises(ValueError, match="contradict"):
            match_greedily(*wrong)
    with pytest.raises(ValueError, match="contradict"):
        stable_order(np.array([1, -1]))
    with pytest.raises(ValueError, match="contradict"):
        stable_order(np.array([1, 1]), np.array([2]))


@pytest.mark.parametrize(("predictions", "truths", "rows"), [(1, 2, 2), (2, 1, 2), (2, 2, 3)])
def test_pairs_of_boxes_that_do_not_exist_are_refused(native, predictions, truths, rows):
    pairs = np.array([0, 1]), np.array([1, 0])
    with pytest.raises(ValueError, match="contradict"):
        _shares(*pairs, np.ones(predictions), np.ones(truths), np.ones(rows), np.ones(rows))


@pytest.mark.parametrize(("limits", "cells"), [(3, 2), (2, 3), (4, 2)])
def test_outcomes_of_other_sizes_are_refused(native, limits, cells):
    bits = np.zeros(cells, np.uint32)
    with pytest.raises(ValueError, match="contradict"):
        _outcomes_by_area(np.ones(2), np.ones(limits), 1, bits, bits.copy())
