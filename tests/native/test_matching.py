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
from thresher.kernels.detection.greedy import Targets, Turns, _match_greedily, match_greedily
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.ordered_predictions import _order_outcomes
from thresher.kernels.detection.ordering import _label_order, by_score, stable_order
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
@pytest.mark.parametrize("areas", [AREAS, [(15.5, 2e10)]])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", SEEDS)
def test_assignments(both, seed, rule, thresholds, areas):
    matches = matches_of(seed)

    def assigned():
        sides = matches.predictions, matches.truths
        return assign(*sides, matches.pairs, rule, thresholds, area_ranges=areas)

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
        return [str(result.to_dict()) for result in whole]

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


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("most", [1, 14, 200])
def test_orders_by_label_and_score(both, seed, most):
    """Ranks count within an image and label; labels of few and of more rows than are sorted by comparing."""

    def ordered():
        matches = matches_of(seed, most)
        return matches.label_order

    fast, slow = both(ordered)
    assert_equal(fast, slow)
    every = matches_of(seed, most).predictions
    np.testing.assert_array_equal(fast.order, np.lexsort((-every.scores, every.label)))
    place = fast.order[np.lexsort((every.label[fast.order], every.owners[fast.order]))]
    before = [(every.owners[at], every.label[at]) for at in place]
    assert fast.ranks[place].tolist() == [at - before.index(key) for at, key in enumerate(before)]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("same_label", [True, False])
def test_ties_broken_by_another_number(both, seed, same_label):
    """Predictions of any label compete if their candidates have any label."""
    matches, rng = matches_of(seed), np.random.default_rng(seed)
    size, truths = matches.predictions.objects, matches.truths.objects
    targets = Targets(
        rng.random((truths, 2)) < 0.3, rng.random(truths) < 0.2, np.array([[0, 20.0], [20.0, 99]])
    )
    turns = Turns(ties=rng.integers(0, 3, size) / 2)

    def matched():
        pairs = matches.pairs(same_label)
        return match_greedily(
            matches.predictions, matches.truths, pairs, np.array([0.1, 0.4]), targets, turns=turns
        )

    fast, slow = both(matched)
    assert_equal(fast, slow)
    assert np.count_nonzero(fast.hits) > 10


def test_threads_change_nothing(native, monkeypatch):
    for module in ("greedy._PER_THREAD", "ordering._ROWS_PER_THREAD", "ordered_predictions._ROWS_PER_THREAD"):
        monkeypatch.setattr(f"thresher.kernels.detection.{module}", 1)
    results = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("THRESHER_THREADS", threads)
        matches = DetectionMatches.concatenate([matches_of(seed, 30) for seed in range(12)])
        results.append(str(DetectionCocoEvaluator().run(matches=matches)["result"].to_dict()))
    assert results[0] == results[1] == results[2]


def test_columns_that_contradict_each_other_are_refused(native):
    matches = matches_of(0)
    pairs, every, truths = matches.pairs(), matches.predictions, matches.truths
    size, marks = every.objects, np.zeros(truths.objects, np.uint8)
    bits, limits = np.zeros(size, np.uint16), np.array([0.0, 1.0])
    boxes = [np.zeros(0, np.int32), np.zeros(0), np.zeros(0)]
    given = [pairs.prediction, pairs.truth, pairs.iou, 0, *boxes, *boxes, marks, np.array([0.5])]
    given += [every.scores, np.zeros(0), every.areas, every.offsets, truths.offsets]
    given += [marks, marks, limits, 0, 1]
    given += [bits, bits.copy(), np.zeros(size, np.int64), np.zeros(size)]
    _match_greedily(*given)
    turned = pairs.where(np.arange(len(pairs.iou))[::-1])
    end = len(given)
    wrongs = [
        *((at, given[at][1:]) for at in (0, 1, 2, 12, 14, *range(15, 20), *range(end - 4, end))),
        (0, turned.prediction),
        (0, pairs.prediction + size),
        (1, pairs.truth + truths.objects),
        (1, pairs.truth - 1),
        (11, np.linspace(0.1, 0.9, 17)),
        (13, np.zeros(1)),
        (15, every.offsets[::-1].copy()),
        (15, every.offsets + 1),
        (end - 4, np.zeros(size, np.uint32)),
    ]
    of_boxes = given.copy()
    for at, side in ((4, every), (7, truths)):
        of_boxes[at : at + 3] = side.label.astype(np.int32), side.boxes, side.box_areas
    of_boxes[3] = 1
    _match_greedily(*of_boxes)
    for arguments, place, wrong in (
        *((given, *wrong) for wrong in wrongs),
        *((of_boxes, at, of_boxes[at][1:]) for at in range(4, 11)),
    ):
        with pytest.raises(ValueError, match="contradict"):
            _match_greedily(*arguments[:place], wrong, *arguments[place + 1 :])
    with pytest.raises(TypeError, match="an array of uint16 or uint32, not int64"):
        _match_greedily(*given[:-4], np.zeros(size, np.int64), *given[-3:])


def test_orders_of_columns_that_contradict_each_other_are_refused(native):
    with pytest.raises(ValueError, match="contradict"):
        stable_order(np.array([1, -1]))
    with pytest.raises(ValueError, match="contradict"):
        stable_order(np.array([1, 1]), np.array([2]))
    label, scores, offsets = np.array([0, 1, 0], np.int32), np.array([0.1, 0.2, 0.3]), np.array([0, 2, 3])
    given = [label, scores, offsets, 2, 1, np.zeros(3, np.int32), np.zeros(3, np.int32)]
    _label_order(*given)
    for place, wrong in (
        *((at, given[at][1:]) for at in (0, 1, 2, 5, 6)),
        *((0, label + change) for change in (1, -1)),
        *((1, scores + 1), (2, offsets[::-1].copy()), (3, 1), (3, -1)),
    ):
        with pytest.raises(ValueError, match="contradict"):
            _label_order(*given[:place], wrong, *given[place + 1 :])
    ranks, bits, order = np.zeros(3, np.int32), np.zeros(6, np.uint16), np.arange(3, dtype=np.int32)
    given = [order, offsets, ranks, bits, bits, 2, 1]
    given += [ranks.copy(), ranks.copy(), bits.copy(), bits.copy()]
    _order_outcomes(*given)
    for place, wrong in (
        *((at, given[at][1:]) for at in (0, 1, 2, 3, 4, 7, 8, 9, 10)),
        *((0, order + change) for change in (1, -1)),
        *((3, bits.astype(np.uint32)), (5, 0), (5, 3), (10, bits.astype(np.uint32))),
    ):
        with pytest.raises(ValueError, match="contradict"):
            _order_outcomes(*given[:place], wrong, *given[place + 1 :])


@pytest.mark.parametrize(("predictions", "truths", "rows"), [(1, 2, 2), (2, 1, 2), (2, 2, 3)])
def test_pairs_of_boxes_that_do_not_exist_are_refused(native, predictions, truths, rows):
    pairs = np.array([0, 1]), np.array([1, 0])
    with pytest.raises(ValueError, match="contradict"):
        _shares(*pairs, np.ones(predictions), np.ones(truths), np.ones(rows), np.ones(rows))
