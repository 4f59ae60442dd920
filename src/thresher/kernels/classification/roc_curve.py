"""Points and operating points of the receiver operating characteristic of a label."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.ranked_label import RankedLabel
from thresher.results import Statistics

Floats = npt.NDArray[np.float64]
_ROUNDING = 1e-12
"""A rate this close below a floor reaches it: 0.95 of weights that sum to 1/3 each is rounded."""


@dataclass(frozen=True)
class RocCurve:
    """Rates at each distinct score, by falling score, from (0, 0) at an infinite threshold to (1, 1).

    Attributes:
        fpr: share of the items without the label that reach the threshold.
        tpr: share of the items with the label that reach it.
        thresholds: the scores; the first is infinite.

    >>> curve = RocCurve(np.array([0, 0, 0.5, 1]), np.array([0, 0.5, 0.5, 1]), np.array([np.inf, 3, 2, 1]))
    >>> curve.equal_error(), curve.fpr_at(0.6), curve.partial_area(1.0)
    (0.5, 1.0, 0.625)
    """

    fpr: Floats
    tpr: Floats
    thresholds: Floats

    @classmethod
    def of(cls, statistics: Statistics, weights: Floats, label: int, missing_score: float) -> Self | None:
        """The curve of a label; None if no item has it or every item has it."""
        ranked = RankedLabel.of(statistics, label, missing_score)
        tp, fp = ranked.counts(weights)
        if not tp.size or not tp[-1] or not fp[-1]:
            return None
        moved = np.flatnonzero(np.diff(tp + fp, prepend=0.0) > 0)  # scores of items that count
        start = np.zeros(1)
        return cls(
            np.concatenate([start, fp[moved] / fp[-1]]),
            np.concatenate([start, tp[moved] / tp[-1]]),
            np.concatenate([[np.inf], ranked.thresholds[moved]]),
        )

    def equal_error(self) -> float:
        """The rate at which as large a share of positives is missed as of negatives is accepted.

        Straight lines connect the points, as they do under the area.
        """
        gap = self.fpr + self.tpr - 1  # rises from -1 to 1
        after = int(np.searchsorted(gap, 0.0))
        share = gap[after] / (gap[after] - gap[after - 1])
        return float(self.fpr[after] - share * (self.fpr[after] - self.fpr[after - 1]))

    def reaching(self, min_tpr: float) -> int:
        """The place of the highest threshold at which the true positive rate is at least `min_tpr`."""
        return int(np.argmax(self.tpr >= min_tpr - _ROUNDING))

    def fpr_at(self, min_tpr: float) -> float:
        """The lowest false positive rate of a threshold whose true positive rate is at least `min_tpr`."""
        return float(self.fpr[self.reaching(min_tpr)])

    def partial_area(self, max_fpr: float) -> float:
        """The area up to a false positive rate, scaled so that random scores have 0.5 and perfect ones 1."""
        inside = self.fpr < max_fpr
        fpr = np.append(self.fpr[inside], max_fpr)
        tpr = np.append(self.tpr[inside], np.interp(max_fpr, self.fpr, self.tpr))
        if max_fpr in self.fpr:  # a vertical step at the border is not part of the area
            tpr[-1] = self.tpr[np.flatnonzero(self.fpr == max_fpr)[0]]
        area = float((np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2).sum())
        lowest = max_fpr**2 / 2
        return 0.5 * (1 + (area - lowest) / (max_fpr - lowest))

    def thinned(self, points: int) -> "RocCurve":
        """At most `points` of the points, evenly along the curve, with both ends."""
        along = self.fpr + self.tpr
        places = np.unique(np.searchsorted(along, np.linspace(0, along[-1], points) - _ROUNDING))
        return RocCurve(self.fpr[places], self.tpr[places], self.thresholds[places])
