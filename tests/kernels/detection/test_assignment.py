"""The four matching rules against their definitions, written as plain loops."""

import numpy as np
import pytest

from thresher.errors import InputError
from thresher.kernels.detection.assignment import RULES, assign
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections import Detections
from thresher.kernels.detection.overlaps import overlapping

THRESHOLDS = (0.1, 0.3, 0.5, 0.7)


def images(seed, count=25):
    """Crowded images, so that predictions compete for true objects."""
    generator = np.random.default_rng(seed)
    sides = []
    for most in (6, 12):
        side = []
        for _ in range(count):
            size = int(generator.integers(0, most))
            corner = generator.integers(0, 12, (size, 2))
            boxes = np.concatenate([corner, corner + generator.integers(3, 12, (size, 2))], axis=1)
            labels = generator.choice(["a", "b", "c"], size).tolist()
            scores = generator.permutation(1000)[:size] / 1000 if most == 12 else None
            side.append(Detections.of(labels, boxes, scores))
        sides.append(DetectionColumns.of(side))
    return sides


def assigned(seed, rule):
    truths, predictions = images(seed)
    pairs = overlapping(predictions, truths)
    return predictions, truths, assign(predictions, truths, lambda: pairs, rule, THRESHOLDS)


def box_iou(one, two):
    across = min(one[2], two[2]) - max(one[0], two[0])
    down = min(one[3], two[3]) - max(one[1], two[1])
    if across <= 0 or down <= 0:
        return 0.0
    area = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, two)]
    return across * down / (sum(area) - across * down)


def queue(predictions, image):
    rows = np.flatnonzero(predictions.owners == image)
    return sorted(rows.tolist(), key=lambda row: -predictions.scores[row])


def candidates(predictions, truths, row, free):
    label = predictions.labels[predictions.label[row]]
    return [
        (box_iou(predictions.boxes[row], truths.boxes[truth]), truth)
        for truth in free
        if truths.labels[truths.label[truth]] == label
    ]


def documented(predictions, truths):
    hits = np.zeros((predictions.objects, len(THRESHOLDS)), bool)
    for image in range(len(truths)):
        free = set(np.flatnonzero(truths.owners == image).tolist())
        for row in queue(predictions, image):
            found = candidates(predictions, truths, row, free)
            best = max(found, key=lambda pair: (pair[0], -pair[1]), default=(0.0, -1))
            if best[0] > 0:
                free.remove(best[1])
                hits[row] = best[0] >= np.array(THRESHOLDS)
    return hits


def released(predictions, truths, lowest=float):
    hits = np.zeros((predictions.objects, len(THRESHOLDS)), bool)
    for image in range(len(truths)):
        every = np.flatnonzero(truths.owners == image).tolist()
        for at, threshold in enumerate(THRESHOLDS):
            taken = set()
            for row in queue(predictions, image):
                found = candidates(predictions, truths, row, every)
                best = max(found, key=lambda pair: (pair[0], -pair[1]), default=(0.0, -1))
                if best[0] >= lowest(threshold) and best[1] not in taken:
                    taken.add(best[1])
                    hits[row, at] = True
    return hits


def voc(predictions, truths):
    """An overlap that equals the threshold is too small."""
    return released(predictions, truths, lambda threshold: np.nextafter(threshold, 1))


def coco(predictions, truths):
    hits = np.zeros((predictions.objects, len(THRESHOLDS)), bool)
    for image in range(len(truths)):
        for at, threshold in enumerate(THRESHOLDS):
            free = set(np.flatnonzero(truths.owners == image).tolist())
            for row in queue(predictions, image):
                best = max(candidates(predictions, truths, row, free), default=(0.0, -1))
                if best[0] >= threshold:
                    free.remove(best[1])
                    hits[row, at] = True
    return hits


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("rule", "loop"), [("valor", documented), ("valor-code", released), ("coco", coco), ("voc", voc)]
)
def test_each_rule_does_what_its_loops_say(seed, rule, loop):
    predictions, truths, found = assigned(seed, rule)
    bits = (found.hits[:, 0][:, None] >> np.arange(len(THRESHOLDS))) & 1
    np.testing.assert_array_equal(bits.astype(bool), loop(predictions, truths))


def test_the_rules_differ_where_predictions_compete():
    totals = {rule: sum(int(assigned(seed, rule)[2].hits.sum()) for seed in range(8)) for rule in RULES}
    assert len(set(totals.values())) == 4


@pytest.mark.parametrize("rule", RULES)
def test_a_hit_has_a_partner_that_overlaps_it(rule):
    predictions, truths, found = assigned(1, rule)
    for row in np.flatnonzero(found.hits[:, 0] & 1):
        partner = found.partner[row]
        assert box_iou(predictions.boxes[row], truths.boxes[partner]) == pytest.approx(found.iou[row])


def test_equal_scores_are_served_by_overlap_or_as_given():
    truths = DetectionColumns.of([Detections.of(["a"], [[0, 0, 10, 10]])])
    boxes = [[0, 0, 10, 6], [0, 0, 10, 9]]
    predictions = DetectionColumns.of([Detections.of(["a", "a"], boxes, [0.5, 0.5])])
    pairs = overlapping(predictions, truths)
    hits = {
        rule: assign(predictions, truths, lambda: pairs, rule, (0.5,)).hits[:, 0].tolist() for rule in RULES
    }
    assert hits == {"valor": [0, 1], "valor-code": [0, 1], "coco": [1, 0], "voc": [1, 0]}


@pytest.mark.parametrize(
    "thresholds", [(), (0.0, 0.5), (0.5, 0.5), (0.5, 1.5), tuple(np.linspace(0.1, 0.9, 33))]
)
def test_thresholds_that_cannot_be_are_refused(thresholds):
    truths, predictions = images(0)
    with pytest.raises(InputError, match="IoU thresholds must be 1 to 32 rising numbers"):
        assign(predictions, truths, lambda: overlapping(predictions, truths), "coco", thresholds)


def test_predictions_need_scores():
    truths, _ = images(0)
    with pytest.raises(InputError, match="predictions have no scores"):
        assign(truths, truths, lambda: overlapping(truths, truths), "valor", (0.5,))


def test_nothing_matches_nothing():
    empty = DetectionColumns.of([])
    for rule in RULES:
        assert assign(empty, empty, lambda: overlapping(empty, empty), rule, (0.5,)).hits.shape == (0, 1)
