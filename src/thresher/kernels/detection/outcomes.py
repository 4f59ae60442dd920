"""From matches and a rule to statistics per image."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.assignment import (
    EVERY_AREA,
    Assignment,
    Range,
    assign,
    groups,
    score_ranks,
    scores_of,
)
from thresher.kernels.detection.matches import DetectionMatches
from thresher.results import Ragged, Statistics

CODED = ("predictions.label", "truths.label")
_NARROW = 16  # thresholds that fit 16 bits, which halves the memory; COCO has 10


def assigned(
    matches: DetectionMatches,
    rule: str,
    iou_thresholds: Sequence[float],
    area_ranges: Sequence[Range] = EVERY_AREA,
) -> Assignment:
    """What a rule makes of the matches, computed once for all metrics that ask for the same."""

    def build() -> Assignment:
        sides = matches.predictions, matches.truths
        return assign(*sides, matches.pairs(), rule, iou_thresholds, area_ranges=area_ranges)

    return matches.memo(("assigned", rule, tuple(iou_thresholds), tuple(area_ranges)), build)


def ranked_statistics(
    matches: DetectionMatches,
    rule: str,
    iou_thresholds: Sequence[float],
    area_ranges: Sequence[Range] = EVERY_AREA,
) -> Statistics:
    """Statistics for average precision and recall, as the module `ranked` wants them; made once.

    With the rule `valor` predictions of a label that no true object of the image has are left out.
    """

    def build() -> Statistics:
        found = assigned(matches, rule, iou_thresholds, area_ranges)
        return _ranked(matches, found, rule, np.uint16 if len(iou_thresholds) <= _NARROW else np.uint32)

    return matches.memo(("ranked", rule, tuple(iou_thresholds), tuple(area_ranges)), build)


def _ranked(matches: DetectionMatches, found: Assignment, rule: str, narrow: type[Any]) -> Statistics:
    kept: Any = np.flatnonzero(known_labels(matches)) if rule == "valor" else slice(None)
    every = matches.predictions
    columns = {
        "label": every.label[kept],
        "score": scores_of(every)[kept],
        "hits": found.hits[kept].astype(narrow),
        "ignored": found.ignored[kept].astype(narrow),
        "rank": score_ranks(every)[kept].astype(np.int32),
    }
    if rule != "coco":
        columns["iou"] = found.iou[kept]
    lengths = np.bincount(every.owners[kept], minlength=len(matches))
    known = {"label": matches.truths.label, "ignored": found.truth_ignored}
    ragged = {"predictions": Ragged(lengths, columns), "truths": Ragged(matches.truths.lengths, known)}
    return Statistics({}, ragged, every.labels, CODED)


def known_labels(matches: DetectionMatches) -> npt.NDArray[np.bool_]:
    """Per prediction whether some true object of its image has its label."""
    mine, theirs = groups(matches.predictions), groups(matches.truths)
    cells = len(matches) * max(len(matches.predictions.labels), 1)
    if cells <= 20_000_000:  # noqa: PLR2004 (a table of that many cells is cheap)
        table = np.zeros(cells, bool)
        table[theirs] = True
        return table[mine]
    return np.isin(mine, theirs)
