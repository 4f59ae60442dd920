"""The arrays of COCO's evaluation: precision, recall and score by threshold, label, area and cap."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.greedy import Bits
from thresher.native.kernel import Array, Kernel
from thresher.native.library import library
from thresher.native.threads import threads_for
from thresher.results.ragged import Int64s

Floats = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]
_SPACING = float(np.spacing(1))  # added to the number of predictions by COCO, in the last bit
_ROWS_PER_THREAD = 1 << 18
"""Predictions times ranges and caps that make another thread worth its start; they take 1 ms."""
_RESULT = Array("float64", written=True)
_coco_curves = Kernel(
    "coco_curves",
    *(Array("float64"), Array("int64"), Array("int32"), Array("uint16|uint32"), Array("uint16|uint32")),
    *(Array("int64"), Array("int64"), Array("float64"), int, int),
    *(_RESULT, _RESULT, _RESULT),
)


@dataclass(frozen=True, eq=False)
class RankedHits:
    """Predictions by label and falling score, and how they count.

    Attributes:
        scores: per prediction.
        starts: where each label's predictions start; one more than there are labels.
        ranks: per prediction its rank within its image and label, from 0.
        hits: predictions x ranges of areas; bits of the thresholds at which it is a hit.
        ignored: the same; bits of the thresholds at which it does not count.
        positives: labels x ranges; number of true objects that count.
    """

    scores: Floats
    starts: Int64s
    ranks: npt.NDArray[np.int32]
    hits: Bits
    ignored: Bits
    positives: Int64s


@dataclass(frozen=True, eq=False)
class CocoCurves:
    """COCO's arrays; -1 where no true object counts.

    Attributes:
        precision: thresholds x recalls x labels x ranges x caps; the highest precision at this recall or a
            higher one, 0 for recalls that are not reached.
        recall: thresholds x labels x ranges x caps; the highest recall.
        scores: as precision; the score of the prediction that reaches the recall.
    """

    precision: Floats
    recall: Floats
    scores: Floats

    @classmethod
    def unknown(cls, thresholds: int, recalls: int, labels: int, ranges: int, caps: int) -> Self:
        """Arrays of -1."""
        shape = thresholds, recalls, labels, ranges, caps
        return cls(np.full(shape, -1.0), np.full((thresholds, *shape[2:]), -1.0), np.full(shape, -1.0))


def coco_curves(ranked: RankedHits, caps: Int64s, recalls: Floats, thresholds: int) -> CocoCurves:
    """Compute COCO's arrays.

    Formula: precision = hits / (predictions that count + 2^-52), recall = hits / true objects, over the
    predictions of falling score whose rank within image and label is below the cap.
    Source: pycocotools 2.0, `COCOeval.accumulate`.

    Args:
        ranked: the predictions.
        caps: most predictions per image and label.
        recalls: recalls at which precision is read.
        thresholds: their number, at most as many as there are bits.
    """
    labels, ranges = ranked.positives.shape
    curves = CocoCurves.unknown(thresholds, len(recalls), labels, ranges, len(caps))
    if library() is None:
        _by_numpy(ranked, caps, recalls, curves)
        return curves
    work = ranked.hits.size * len(caps)
    _coco_curves(
        *map(np.ascontiguousarray, (ranked.scores, ranked.starts, ranked.ranks, ranked.hits, ranked.ignored)),
        *map(np.ascontiguousarray, (ranked.positives, caps, recalls)),
        *(thresholds, threads_for(work, _ROWS_PER_THREAD), curves.precision, curves.recall, curves.scores),
    )
    return curves


def _by_numpy(ranked: RankedHits, caps: Int64s, recalls: Floats, curves: CocoCurves) -> None:
    bits = np.arange(len(curves.recall), dtype=np.uint32)[:, None]
    for label, area in np.argwhere(ranked.positives).tolist():
        rows = slice(*ranked.starts[label : label + 2].tolist())
        hits, ignored = ((side[rows, area] >> bits) & 1 == 1 for side in (ranked.hits, ranked.ignored))
        for at, cap in enumerate(caps.tolist()):
            within = ranked.ranks[rows] < cap
            cell = curve_of(
                *(hits[:, within], ignored[:, within], ranked.scores[rows][within]),
                *(int(ranked.positives[label, area]), recalls),
            )
            write_cell(curves, cell, (label, area, at))


def write_cell(curves: CocoCurves, cell: tuple[Floats, Floats, Floats], place: tuple[int, int, int]) -> None:
    """Write the result of `curve_of` at a label, range and cap."""
    label, area, cap = place
    curves.precision[:, :, label, area, cap], curves.recall[:, label, area, cap] = cell[:2]
    curves.scores[:, :, label, area, cap] = cell[2]


def curve_of(
    hits: Marks, ignored: Marks, scores: Floats, positives: int, recalls: Floats
) -> tuple[Floats, Floats, Floats]:
    """Precision (thresholds x recalls), recall (thresholds) and score (as precision) of one label.

    Args:
        hits: thresholds x predictions by falling score.
        ignored: the same; predictions that do not count.
        scores: of the predictions.
        positives: number of true objects, at least 1.
        recalls: recalls at which precision is read; from the first one on that is not reached, all are 0.

    >>> hits, none = np.array([[True, False, True]]), np.zeros((1, 3), bool)
    >>> precision, recall, scores = curve_of(hits, none, np.array([0.9, 0.5, 0.4]), 2, np.array([0.5, 1]))
    >>> precision.round(3).tolist(), recall.tolist(), scores.tolist()
    ([[1.0, 0.667]], [1.0], [[0.9, 0.4]])
    """
    found = np.cumsum(hits & ~ignored, axis=1).astype(np.float64)
    precision = found / (np.cumsum(~ignored, axis=1) + _SPACING)
    highest = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    reached = found / positives
    at_recalls, at_scores = np.zeros((2, len(hits), len(recalls)))
    for row, reached_here in enumerate(reached):
        at = np.searchsorted(reached_here, recalls, side="left")
        inside = np.flatnonzero(np.logical_and.accumulate(at < len(scores)))
        at_recalls[row, inside] = highest[row, at[inside]]
        at_scores[row, inside] = scores[at[inside]]
    recall = reached[:, -1] if len(scores) else np.zeros(len(hits))
    return at_recalls, recall, at_scores
