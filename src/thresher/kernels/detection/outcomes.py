"""Statistics per image from matches and a rule."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.assignment import (
    EVERY_AREA,
    KEEPS_TIES,
    Assignment,
    Range,
    assign,
)
from thresher.kernels.detection.greedy import groups
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.predicted_scores import scores_of
from thresher.results import Ragged, Statistics

CODED = ("predictions.label", "truths.label")
_NARROW = 16  # thresholds that fit 16 bits, which halves the memory; COCO has 10


def assigned(
    matches: DetectionMatches,
    rule: str,
    iou_thresholds: Sequence[float],
    area_ranges: Sequence[Range] = EVERY_AREA,
) -> Assignment:
    """Assign predictions by a rule; cached for all metrics with the same arguments."""

    def build() -> Assignment:
        sides = matches.predictions, matches.truths
        return assign(
            *(*sides, matches.pairs, rule, iou_thresholds),
            area_ranges=area_ranges,
            order=lambda: matches.score_order,
            exempt=matches.exempt,
            boxes_suffice=not matches.compares_keypoints,
        )

    return matches.memo(("assigned", rule, tuple(iou_thresholds), tuple(area_ranges)), build)


def ranked_statistics(
    matches: DetectionMatches,
    rule: str,
    iou_thresholds: Sequence[float],
    area_ranges: Sequence[Range] = EVERY_AREA,
) -> Statistics:
    """Statistics for average precision and recall (see the module `ranked`); cached.

    The rule `valor` leaves out predictions with a label that no true object of the image has.
    """

    def build() -> Statistics:
        assignment = assigned(matches, rule, iou_thresholds, area_ranges)
        return _ranked(matches, assignment, rule, np.uint16 if len(iou_thresholds) <= _NARROW else np.uint32)

    return matches.memo(("ranked", rule, tuple(iou_thresholds), tuple(area_ranges)), build)


def _ranked(matches: DetectionMatches, assignment: Assignment, rule: str, bits: type[Any]) -> Statistics:
    rows: Any = np.flatnonzero(known_labels(matches)) if rule == "valor" else slice(None)
    every, truths = matches.predictions, matches.truths
    columns = {
        "hits": assignment.hits[rows].astype(bits, copy=False),
        "ignored": assignment.ignored[rows].astype(bits, copy=False),
        "rank": matches.label_order.ranks[rows],
    }
    for array in columns.values():
        array.flags.writeable = False  # no other reference exists, so that it need not be copied
    columns = {"label": every.label[rows], "score": scores_of(every)[rows], **columns}
    if rule not in KEEPS_TIES:
        columns["iou"] = assignment.iou[rows]
    lengths = every.lengths if rule != "valor" else np.bincount(every.owners[rows], minlength=len(matches))
    true_columns = {"label": truths.label, "ignored": assignment.truth_ignored}
    ragged = {"predictions": Ragged(lengths, columns), "truths": Ragged(truths.lengths, true_columns)}
    statistics = Statistics({}, ragged, every.labels, CODED)
    if rule in KEEPS_TIES:  # the order of all predictions, with ties as they are
        statistics.memo("label order", lambda: matches.label_order.order)
    return statistics


def known_labels(matches: DetectionMatches) -> npt.NDArray[np.bool_]:
    """Per prediction whether some true object of its image has its label."""
    mine, theirs = groups(matches.predictions), groups(matches.truths)
    cells = len(matches) * max(len(matches.predictions.labels), 1)
    if cells <= 20_000_000:  # noqa: PLR2004 (a table of that many cells is cheap)
        table = np.zeros(cells, bool)
        table[theirs] = True
        return table[mine]
    return np.isin(mine, theirs)
