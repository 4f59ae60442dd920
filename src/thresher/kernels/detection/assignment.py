"""Assignment of predictions to true objects by one of four rules.

* `valor` (the documentation of Valor): predictions by falling score are paired with the free true object of
  their label that they overlap most. Pairs do not depend on thresholds; a pair is a hit at the thresholds
  that its overlap reaches. Of predictions with equal scores the one with the larger overlap is first, of true
  objects with equal overlaps the first.
* `valor-code` (Valor's releases): each prediction has one candidate, the true object that it overlaps most,
  taken or not; at each threshold, the first prediction of a candidate whose overlap reaches it is the hit.
* `coco` (COCO's tools): separately for each threshold, predictions by falling score take the free true object
  with the largest overlap that reaches it. Crowd regions, and true objects outside the range of areas, are
  taken only if no other is left, and then the prediction is ignored. Equal scores keep their order; of equal
  overlaps the last true object is taken.

With every rule a true object may be marked as difficult, as in Pascal VOC: missing it is not an error, any
number of predictions may take it, and predictions that take it with enough overlap are ignored.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.greedy import Bits, Targets, Turns, match_greedily, outside, reached
from thresher.kernels.detection.object_values import UNKNOWN_AREA
from thresher.kernels.detection.ordering import ranks, stable_order, starts_of
from thresher.kernels.detection.overlaps import Pairs
from thresher.native.library import library
from thresher.results.choices import check_choice
from thresher.results.ragged import Int64s

Floats = npt.NDArray[np.float64]
Range = tuple[float, float]
RULES = ("valor", "valor-code", "coco", "voc")
EVERY_AREA: tuple[Range, ...] = ((UNKNOWN_AREA, 1e10),)
KEEPS_TIES = frozenset({"coco", "voc"})
"""Rules under which equal scores keep the order of images and predictions, and recalls are exact."""
MOST_THRESHOLDS = 32  # each is a bit of a 32-bit number


@dataclass(frozen=True, eq=False)
class Assignment:
    """The outcome of each prediction and each true object; bit t is threshold t, from the lowest.

    Attributes:
        hits: predictions x ranges of areas; the thresholds at which the prediction is a hit.
        ignored: predictions x ranges of areas; the thresholds at which it is neither a hit nor an error.
        truth_ignored: true objects x ranges of areas; those that may be missed.
        partner: per prediction its true object at the lowest threshold (`coco`), or the one it is paired
            with (other rules); -1 for none. Empty if there are several ranges of areas.
        iou: per prediction the overlap with its partner; 0 for none. Empty if there are several ranges.
    """

    hits: Bits
    ignored: Bits
    truth_ignored: npt.NDArray[np.bool_]
    partner: Int64s
    iou: Floats

    def __post_init__(self) -> None:
        for array in (self.hits, self.ignored):
            array.flags.writeable = False  # metrics share them, and statistics need no copy


def assign(
    predictions: DetectionColumns,
    truths: DetectionColumns,
    pairs: Callable[[], Pairs],
    rule: str,
    iou_thresholds: Sequence[float],
    *,
    area_ranges: Sequence[Range] = EVERY_AREA,
    order: Callable[[], Int64s] | None = None,
    exempt: npt.NDArray[np.bool_] | None = None,
    boxes_suffice: bool = True,
) -> Assignment:
    """Match predictions with true objects.

    Args:
        predictions: predicted objects, with scores.
        truths: true objects of the same images, over the same vocabulary.
        pairs: returns the overlapping pairs of one image and label.
        rule: `valor`, `valor-code`, `coco` or `voc`.
        iou_thresholds: rising, above 0 and at most 1; at most 32.
        area_ranges: for `coco`: lowest and highest area of counted objects, both inclusive.
        order: returns the predictions by falling score, ties in their order, if that is known.
        exempt: true objects that may be missed; with `coco` one prediction takes each and is ignored, with
            the other rules they are treated as difficult.
        boxes_suffice: whether the boxes of objects without another geometry determine their overlap.

    Raises:
        InputError: for an unknown rule or invalid thresholds.
    """
    check_choice("matching", rule, RULES)
    thresholds = checked_thresholds(iou_thresholds)
    if rule == "coco":
        limits = np.asarray(area_ranges, dtype=np.float64).reshape(-1, 2)
        # Columns of pairs cost more than the overlaps of boxes, which the library computes as it matches.
        of_boxes = boxes_suffice and not (predictions.geometries or truths.geometries)
        candidates = None if of_boxes and library() is not None else _with_crowds(pairs(), truths.crowd)
        targets, lowered = _targets(truths, limits, exempt), np.minimum(thresholds, 1 - 1e-10)
        matched = match_greedily(predictions, truths, candidates, lowered, targets, turns=Turns(order))
        return Assignment(matched.hits, matched.ignored, targets.ignored, matched.partner, matched.iou)
    truths = truths if exempt is None else replace(truths, difficult=truths.difficult | exempt)
    hits: Bits
    if rule == "valor":
        partner, iou = _paired_once(predictions, truths, pairs(), order)
        hits = reached(iou, thresholds)
    else:
        if rule == "voc":
            thresholds = np.nextafter(thresholds, np.inf)  # the overlap has to be above the threshold
        partner, iou = _best(pairs(), predictions.objects)
        turns = Turns(order, None if rule == "voc" else iou).positions(predictions)
        hits = _first_to_reach(partner, reached(iou, thresholds), turns)
    difficult = np.append(truths.difficult, False)[partner]  # the appended entry is for -1
    ignored = np.where(difficult, reached(iou, thresholds), np.uint32(0))
    hits[difficult] = 0
    return Assignment(hits[:, None], ignored[:, None], truths.difficult[:, None], partner, iou)


def checked_thresholds(iou_thresholds: Sequence[float]) -> Floats:
    """The thresholds as an array.

    Raises:
        InputError: unless they rise, lie above 0 and up to 1, and are at most 32.
    """
    thresholds = np.asarray(iou_thresholds, dtype=np.float64)
    valid = bool((np.diff(thresholds) > 0).all()) and bool(((thresholds > 0) & (thresholds <= 1)).all())
    if thresholds.ndim != 1 or not 1 <= len(thresholds) <= MOST_THRESHOLDS or not valid:
        raise InputError(
            f"IoU thresholds must be 1 to {MOST_THRESHOLDS} rising numbers above 0 and up to 1, "
            f"not {list(iou_thresholds)}"
        )
    return thresholds


def _targets(truths: DetectionColumns, limits: Floats, exempt: npt.NDArray[np.bool_] | None) -> Targets:
    shared = truths.crowd | truths.difficult
    may_be_missed = shared if exempt is None else shared | exempt
    return Targets(outside(truths.areas, limits) | may_be_missed[:, None], shared, limits)


def _with_crowds(pairs: Pairs, crowd: npt.NDArray[np.bool_]) -> Pairs:
    """The pairs; overlaps with crowd regions are shares of the predictions."""
    if pairs.coverage is None:
        return pairs
    overlap = np.where(crowd[pairs.truth], pairs.coverage, pairs.iou)
    return Pairs(pairs.prediction, pairs.truth, overlap, pairs.coverage)


def _paired_once(
    predictions: DetectionColumns,
    truths: DetectionColumns,
    pairs: Pairs,
    order: Callable[[], Int64s] | None,
) -> tuple[Int64s, Floats]:
    """Pair each prediction, by falling score and overlap, with the free true object that it overlaps most."""
    _, best = _best(pairs, predictions.objects)
    targets, turns = Targets.shared_only(truths.difficult), Turns(order, best)
    matched = match_greedily(predictions, truths, pairs, np.zeros(1), targets, turns=turns, first=True)
    return matched.partner, matched.iou


def _best(pairs: Pairs, predictions: int) -> tuple[Int64s, Floats]:
    """Per prediction the true object that it overlaps most, the first on a tie, and that overlap."""
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


def _first_to_reach(partner: Int64s, reach: Bits, order: Int64s) -> Bits:
    """Per prediction the thresholds that it is the first to reach among those of its candidate."""
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
