"""Operating points: exact counts at every possible threshold."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.results import Direction
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ScoredLabels:
    """Scores and yes-or-no labels, sorted once for any number of weights and thresholds.

    Attributes:
        scores: from the most to the least positive-looking.
        labels: 1 for positive, 0 for negative, in that order.
        order: position of each entry in the data.
        direction: whether higher or lower scores look positive.
    """

    scores: Floats
    labels: Floats
    order: npt.NDArray[np.int64]
    direction: Direction

    @classmethod
    def of(cls, scores: npt.ArrayLike, labels: npt.ArrayLike, direction: Direction = "higher") -> Self:
        """Sort scored and labelled items; items with NaN on either side are left out.

        An undetected positive has the score minus infinity (infinity if lower is better): no threshold
        reaches it, and it counts for recall.

        Raises:
            InputError: for unequal lengths, a label that is not 0 or 1, or no item that has both.
        """
        values, truth = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64)
        if values.shape != truth.shape:
            raise InputError(
                f"{counted(values.size, 'score')} for {counted(truth.size, 'label')}; give one label per item"
            )
        known = np.flatnonzero(~np.isnan(values) & ~np.isnan(truth))
        if not len(known):
            raise InputError("no item has both a score and a label")
        if not np.isin(truth[known], (0, 1)).all():
            raise InputError("labels are 1 for positive and 0 for negative; map them to two classes first")
        falling = np.argsort(values[known] if direction == "lower" else -values[known], kind="stable")
        order = known[falling]
        return cls(values[order], truth[order], order, direction)

    @cached_property
    def last(self) -> npt.NDArray[np.int64]:
        """Position of the last entry of each distinct finite score: the possible thresholds."""
        changes = np.flatnonzero(self.scores[1:] != self.scores[:-1])
        ends = np.append(changes, len(self.scores) - 1)
        return np.asarray(ends[np.isfinite(self.scores[ends])], dtype=np.int64)

    def points(self, weights: Floats | None = None) -> "OperatingPoints":
        """Count at every threshold.

        Args:
            weights: one number per item of the data; default: ones.
        """
        ordered = np.ones(len(self.scores)) if weights is None else weights[self.order]
        true, false = np.cumsum(ordered * self.labels), np.cumsum(ordered * (1 - self.labels))
        tp, fp = (np.append(0.0, sums[self.last]) for sums in (true, false))
        never = math.inf if self.direction == "higher" else -math.inf
        thresholds = np.append(never, self.scores[self.last])
        return OperatingPoints(thresholds, tp, fp, true[-1] - tp, false[-1] - fp, self.direction)


@dataclass(frozen=True, eq=False)
class OperatingPoints:
    """Weighted counts at each threshold, from the strictest, which calls nothing positive, to the laxest.

    Attributes:
        thresholds: scores at least as high (or low) as the threshold are called positive.
        tp: positives called positive.
        fp: negatives called positive.
        fn: positives called negative.
        tn: negatives called negative.
        direction: whether higher or lower scores look positive.
    """

    thresholds: Floats
    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats
    direction: Direction

    @property
    def precision(self) -> Floats:
        """Share of the positive calls that are right; NaN without positive calls."""
        return divide(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Floats:
        """Share of the positives that are called positive; NaN without positives."""
        return divide(self.tp, self.tp + self.fn)

    @property
    def specificity(self) -> Floats:
        """Share of the negatives that are called negative; NaN without negatives."""
        return divide(self.tn, self.tn + self.fp)

    def f_beta(self, beta: float = 1.0) -> Floats:
        """F-beta: the harmonic mean of precision and recall with `beta` times the weight on recall."""
        hits = (1 + beta**2) * self.tp
        return divide(hits, hits + beta**2 * self.fn + self.fp)
