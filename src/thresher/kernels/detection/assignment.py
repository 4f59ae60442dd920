"""Which predictions count as hits: three rules by name, behind one function on columns.

* `valor` (the documentation of Valor): predictions by falling score, each paired with the true object of
  its label that it overlaps most among those still free; a pair is made once and for all thresholds, and is
  a hit at those that its overlap reaches. Of predictions with equal scores the one with the larger overlap
  is first, of true objects with equal overlaps the first.
* `valor-code` (Valor's releases): each prediction has one candidate, the true object that it overlaps most,
  taken or not; the first prediction of a candidate whose overlap reaches a threshold is the hit there.
* `coco` (COCO's tools): at each threshold anew, predictions by falling score take the free true object of
  largest overlap that reaches it. Crowd regions, and true objects outside the range of areas, are taken
  only where no other is left, and then the prediction is ignored. Equal scores keep the order given; of
  equal overlaps the last true object is taken.

With every rule a true object may be marked as difficult, as Pascal VOC does: nobody has to find it, any
number of predictions may get it, and one that gets it and overlaps it enough is ignored. With one threshold
`valor-code` then is the rule of VOC's development kit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.ordering import by_score, ranks, stable_order, starts_of
from thresher.kernels.detection.overlaps import Pairs
from thresher.kernels.detection.rounds import Turns, serve
from thresher.results.ragged import Int64s

Floats = npt.NDArray[np.float64]
Bits = npt.NDArray[np.uint32]
Range = tuple[float, float]
RULES = ("valor", "valor-code", "coco")
EVERY_AREA: tuple[Range, ...] = ((0.0, 1e10),)
MOST_THRESHOLDS = 32  # each is a bit of a 32-bit number


@dataclass(frozen=True, eq=False)
class Assignment:
    """What became of each prediction and each true object; bit t stands for threshold t, from the lowest.

    Attributes:
        hits: predictions x ranges of areas; the thresholds at which the prediction is a hit.
        ignored: the same for thresholds at which it counts neither as a hit nor as an error.
        truth_ignored: true objects x ranges of areas; those that nobody has to find.
        partner: per prediction its true object at the lowest threshold (`coco`), or the one it is paired
            with (other rules); -1 for none.
        iou: per prediction the overlap with its partner; 0 for none.
    """

    hits: Bits
    ignored: Bits
    truth_ignored: npt.NDArray[np.bool_]
    partner: Int64s
    iou: Floats


def assign(
    predictions: DetectionColumns,
    truths: DetectionColumns,
    pairs: Pairs,
    rule: str,
    iou_thresholds: Sequence[float],
    *,
    area_ranges: Sequence[Range] = EVERY_AREA,
) -> Assignment:
    """Match predictions with true objects.

    Args:
        predictions: predicted objects, with scores.
        truths: true objects of the same images, over the same vocabulary.
        pairs: the overlapping pairs of one image and label.
        rule: `valor`, `valor-code` or `coco`.
        iou_thresholds: rising, above 0 and at most 1; at most 32.
        area_ranges: of `coco`: lowest and highest area of what counts, both inclusive.

    Raises:
        InputError: for an unknown rule, or thresholds that cannot be.
    """
    if rule not in RULES:
        raise InputError(f"matching={rule!r} is unknown; choose one of {', '.join(RULES)}")
    thresholds = checked_thresholds(iou_thresholds)
    if rule == "coco":
        limits = np.asarray(area_ranges, dtype=np.float64).reshape(-1, 2)
        return _coco(predictions, truths, pairs, thresholds, limits)
    if rule == "valor":
        partner, iou = _paired_once(predictions, truths.difficult, pairs)
        hits = _reached(iou, thresholds)
    else:
        partner, iou = _best(pairs, predictions.objects)
        hits = _first_to_reach(partner, _reached(iou, thresholds), _by_score_and_iou(predictions, iou))
    spared = np.append(truths.difficult, False)[partner]  # the last place is that of -1
    ignored = np.where(spared, _reached(iou, thresholds), np.uint32(0))
    hits[spared] = 0
    return Assignment(hits[:, None], ignored[:, None], truths.difficult[:, None], partner, iou)


def score_ranks(predictions: DetectionColumns) -> Int64s:
    """Place of each prediction by score among those of its image and label, from 0."""
    order = stable_order(groups(predictions), by_score(scores_of(predictions)))
    found = np.empty(len(order), np.int64)
    found[order] = ranks(groups(predictions)[order])
    return found


def groups(columns: DetectionColumns) -> Int64s:
    """The number of each object's image and label."""
    return np.asarray(columns.owners * max(len(columns.labels), 1) + columns.label, dtype=np.int64)


def scores_of(predictions: DetectionColumns) -> Floats:
    """The scores of predictions.

    Raises:
        InputError: if they have none.
    """
    if predictions.scores is not None:
        return predictions.scores
    if predictions.objects:
        raise InputError("predictions have no scores; give each predicted object one from 0 to 1")
    return np.zeros(0)


def checked_thresholds(iou_thresholds: Sequence[float]) -> Floats:
    """The thresholds as an array.

    Raises:
        InputError: unless they rise, lie above 0 and up to 1, and are at most 32.
    """
    found = np.asarray(iou_thresholds, dtype=np.float64)
    rising = bool((np.diff(found) > 0).all()) and bool(((found > 0) & (found <= 1)).all())
    if found.ndim != 1 or not 1 <= len(found) <= MOST_THRESHOLDS or not rising:
        raise InputError(
            f"IoU thresholds must be 1 to {MOST_THRESHOLDS} rising numbers above 0 and up to 1, "
            f"not {list(iou_thresholds)}"
        )
    return found


def _coco(
    predictions: DetectionColumns, truths: DetectionColumns, pairs: Pairs, thresholds: Floats, limits: Floats
) -> Assignment:
    crowd = truths.crowd
    overlap = np.where(crowd[pairs.truth], pairs.coverage, pairs.iou) if crowd.any() else pairs.iou
    near = np.flatnonzero(overlap >= min(thresholds[0], 1 - 1e-10))
    pairs = Pairs(pairs.prediction[near], pairs.truth[near], overlap[near], pairs.coverage[near])
    reach = _reached(pairs.iou, np.minimum(thresholds, 1 - 1e-10))
    group = groups(predictions)
    turns = Turns(stable_order(group, by_score(scores_of(predictions))), group)
    shared = crowd | truths.difficult
    ignored = _outside(truths.areas, limits) | shared[:, None]
    served = [serve(pairs, reach, turns, each, shared) for each in ignored.T]
    taken = np.stack([each.taken for each in served], axis=1)
    neglected = np.stack([each.neglected for each in served], axis=1)
    full = np.uint32((1 << len(thresholds)) - 1)
    neglected |= np.where(_outside(predictions.areas, limits), full & ~taken, np.uint32(0))
    return Assignment(taken & ~neglected, neglected, ignored, served[0].partner, served[0].iou)


def _outside(areas: Floats, limits: Floats) -> npt.NDArray[np.bool_]:
    """Which areas lie outside each range (objects x ranges)."""
    return np.asarray((areas[:, None] < limits[:, 0]) | (areas[:, None] > limits[:, 1]))


def _paired_once(
    predictions: DetectionColumns, shared: npt.NDArray[np.bool_], pairs: Pairs
) -> tuple[Int64s, Floats]:
    """Each prediction, by falling score and overlap, takes the free true object it overlaps most."""
    _, best = _best(pairs, predictions.objects)
    group = groups(predictions)
    turns = Turns(stable_order(group, _by_score_and_iou(predictions, best)), group)
    nothing = np.zeros(len(shared), bool)
    served = serve(pairs, np.ones(len(pairs.iou), np.uint32), turns, nothing, shared, first=True)
    return served.partner, served.iou


def _best(pairs: Pairs, predictions: int) -> tuple[Int64s, Floats]:
    """Per prediction the true object it overlaps most, the first of equals, and that overlap."""
    partner, iou = np.full(predictions, -1, np.int64), np.zeros(predictions)
    starts = starts_of(pairs.prediction)
    if not len(starts):
        return partner, iou
    highest = np.maximum.reduceat(pairs.iou, starts)
    lengths = np.diff(np.append(starts, len(pairs.iou)))
    hit = np.flatnonzero(pairs.iou == np.repeat(highest, lengths))[::-1]
    partner[pairs.prediction[hit]] = pairs.truth[hit]
    iou[pairs.prediction[starts]] = highest
    return partner, iou


def _by_score_and_iou(predictions: DetectionColumns, iou: Floats) -> Int64s:
    """All predictions by falling score, those with equal scores by falling overlap."""
    scores = scores_of(predictions)
    order = by_score(scores)
    values = scores[order]
    tied = np.zeros(len(order), bool)
    if len(order):
        same = values[1:] == values[:-1]
        tied[1:] |= same
        tied[:-1] |= same
    among = np.flatnonzero(tied)
    order[among] = order[among][np.lexsort((-iou[order[among]], -values[among]))]
    return order


def _reached(iou: npt.NDArray[Any], thresholds: Floats) -> Bits:
    """The thresholds that each overlap reaches, as bits."""
    count = np.searchsorted(thresholds, iou, "right").astype(np.uint64)
    return np.asarray((np.uint64(1) << count) - np.uint64(1), dtype=np.uint32)


def _first_to_reach(partner: Int64s, reach: Bits, order: Int64s) -> Bits:
    """Per prediction the thresholds at which it is the first of its candidate to get there."""
    hits = reach.copy()
    hits[partner < 0] = 0
    queue = order[partner[order] >= 0]
    queue = queue[stable_order(partner[queue], np.arange(len(queue)))]
    place = ranks(partner[queue])
    before = np.zeros(int(partner.max(initial=-1)) + 1, np.uint32)
    steps = stable_order(place)
    start = 0
    for size in np.bincount(place).tolist():
        rows = queue[steps[start : start + size]]
        start += size
        hits[rows] = reach[rows] & ~before[partner[rows]]
        before[partner[rows]] |= reach[rows]
    return hits
