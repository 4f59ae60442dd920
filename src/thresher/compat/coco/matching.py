"""Matches of all cells: which predictions are hits or ignored, and which true object each one takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from thresher.compat.coco.cells import Cells, dense_pairs
from thresher.kernels.detection.assignment import MOST_THRESHOLDS
from thresher.kernels.detection.coco_curves import CocoCurves, RankedHits, coco_curves
from thresher.kernels.detection.greedy import Bits, GreedyMatches, Targets, Turns, match_greedily, outside
from thresher.kernels.detection.keypoint_similarity import Skeletons, similar
from thresher.kernels.detection.ordering import stable_order
from thresher.kernels.detection.overlaps import Pairs, overlapping
from thresher.native.library import library
from thresher.results.ragged import Int64s

Floats = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]
_HIGHEST = 1 - 1e-10
"""Highest threshold of the reference: an overlap of 1 may be computed as a little less."""


@dataclass(frozen=True, eq=False)
class Matching:
    """The matches of cells at some thresholds.

    Attributes:
        cells: the objects.
        thresholds: overlaps, in any order.
        sigmas: to compare keypoints, the tolerance of each; None for boxes and masks.
    """

    cells: Cells
    thresholds: Floats
    sigmas: Floats | None = None

    @cached_property
    def overlaps(self) -> Pairs:
        """Pairs of one cell with an overlap above 0; that with a crowd region is the prediction's share."""
        predictions, truths = self.cells.predictions.columns, self.cells.truths.columns
        if self.sigmas is not None:
            skeletons = Skeletons.of(predictions, truths, self.sigmas.tolist())
            return similar(skeletons, predictions, truths, same_label=True)
        pairs = overlapping(predictions, truths)
        if pairs.coverage is None:
            return pairs
        shares = np.where(truths.crowd[pairs.truth], pairs.coverage, pairs.iou)
        return Pairs(pairs.prediction, pairs.truth, shares, None)

    def curves(self, area_ranges: Sequence[Sequence[float]], caps: Int64s, recalls: Floats) -> CocoCurves:
        """COCO's arrays from the matches, without the matches of single objects."""
        limits = np.array(area_ranges, np.float64).reshape(-1, 2)
        targets = self._targets(limits)
        parts = [coco_curves(self._ranked(part, targets), caps, recalls, len(part)) for part in self._parts]
        places = np.searchsorted(self._distinct, self._lowered)
        columns = zip(*((part.precision, part.recall, part.scores) for part in parts), strict=True)
        return CocoCurves(*(np.concatenate(column)[places] for column in columns))

    def partners(self, area_range: Sequence[float]) -> Int64s:
        """The true object of each prediction at each threshold (thresholds x predictions); -1 for none."""
        targets = self._targets(np.array([area_range], np.float64))
        columns = [self._matched(np.array([at]), targets).partner for at in self._distinct]
        every = np.array(columns, np.int64).reshape(len(columns), -1)
        return np.asarray(every[np.searchsorted(self._distinct, self._lowered)])

    def truths_ignored(self, area_range: Sequence[float]) -> Marks:
        """True objects that do not count in a range of areas."""
        return self._targets(np.array([area_range], np.float64)).ignored[:, 0]

    @cached_property
    def _lowered(self) -> Floats:
        return np.minimum(self.thresholds, _HIGHEST)

    @cached_property
    def _distinct(self) -> Floats:
        return np.unique(self._lowered)

    @property
    def _parts(self) -> list[Floats]:
        """As many thresholds at a time as there are bits."""
        return np.split(self._distinct, range(MOST_THRESHOLDS, len(self._distinct), MOST_THRESHOLDS))

    @cached_property
    def _pairs(self) -> Pairs | None:
        """Candidates; None for boxes, whose overlaps the library computes as it matches."""
        if len(self._distinct) and self._distinct[0] <= 0:
            return self._dense
        columns = self.cells.predictions.columns, self.cells.truths.columns
        shapes = any(side.geometries for side in columns)
        return self.overlaps if shapes or self.sigmas is not None or library() is None else None

    @property
    def _dense(self) -> Pairs:
        """All pairs of one cell, for a threshold of 0, which pairs without overlap reach."""
        predictions, truths = dense_pairs(self.cells)
        some, size = self.overlaps, len(self.cells.truths.ids)
        shares = np.zeros(len(predictions))
        shares[np.searchsorted(predictions * size + truths, some.prediction * size + some.truth)] = some.iou
        return Pairs(predictions, truths, shares, None)

    def _targets(self, limits: Floats) -> Targets:
        truths = self.cells.truths.columns
        ignored = truths.crowd if truths.keypoints is None else truths.crowd | (truths.keypoints.counts == 0)
        return Targets(outside(truths.areas, limits) | ignored[:, None], truths.crowd, limits)

    def _matched(self, thresholds: Floats, targets: Targets) -> GreedyMatches:
        columns = self.cells.predictions.columns, self.cells.truths.columns
        return match_greedily(*columns, self._pairs, thresholds, targets, turns=Turns(self._turns))

    def _turns(self) -> Int64s:
        return np.arange(len(self.cells.ranks), dtype=np.int64)  # sorted already

    def _ranked(self, thresholds: Floats, targets: Targets) -> RankedHits:
        """The matches by category, then falling score; equal scores in the order of images."""
        matched = self._matched(thresholds, targets)
        cells, kinds = self.cells, len(self.cells.categories)
        label, order = cells.predictions.columns.label, self._order
        true_label, counted = cells.truths.columns.label, ~targets.ignored
        positives = [np.bincount(true_label[column], minlength=kinds) for column in counted.T]
        hits, ignored = self._as_reported(matched, thresholds, targets)
        return RankedHits(
            cells.predictions.scores[order],
            np.searchsorted(label[order], np.arange(kinds + 1)),
            cells.ranks[order],
            hits[order],
            ignored[order],
            np.array(positives, np.int64).reshape(len(positives), kinds).T,
        )

    @cached_property
    def _order(self) -> Int64s:
        predictions = self.cells.predictions
        by_score = np.argsort(-predictions.scores, kind="stable")
        return stable_order(predictions.columns.label, by_score)

    def _as_reported(self, matched: GreedyMatches, thresholds: Floats, targets: Targets) -> tuple[Bits, Bits]:
        """Bits of hits and of ignored predictions; the number 0 of a true object means no match."""
        nobody = np.append(self.cells.truths.ids == 0, False)  # the appended entry is for -1
        if not nobody.any():
            return matched.hits, matched.ignored
        hits, ignored = matched.hits.copy(), matched.ignored.copy()
        areas = self.cells.predictions.columns.areas
        for at, limits in enumerate(targets.limits):
            one = Targets(targets.ignored[:, at : at + 1], targets.shared, limits[None])
            small_or_large = outside(areas, limits[None])[:, 0]
            for bit, threshold in enumerate(thresholds):
                lost = nobody[self._matched(np.array([threshold]), one).partner]
                lost &= (hits[:, at] >> bit) & 1 == 1
                hits[lost, at] ^= hits.dtype.type(1 << bit)
                ignored[lost & small_or_large, at] |= hits.dtype.type(1 << bit)
        return hits, ignored
