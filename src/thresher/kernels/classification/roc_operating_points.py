"""Operating points of ROC curves as measures, and the curves as breakdowns.

The statistics are those of the ROC area: ragged `truths` with `label`, and `scores` with `label` and `score`.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.ranked_label import headline_labels
from thresher.kernels.classification.roc_curve import RocCurve
from thresher.results import Breakdown, Detail, Label, Reduction, Statistics

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class CurveMean(Reduction):
    """The mean over labels of a quantity of their curves; of two labels, that of the positive one if known.

    Attributes:
        missing_score: the score of a label that an item's prediction does not list.
        positive: of two labels, the positive one.
    """

    by_share: ClassVar[bool] = False  # an item above the threshold may move it along the whole curve
    missing_score: float = 0.0
    positive: str | None = None

    @property
    def lacks(self) -> str:
        """A curve needs both."""
        return "no label that some items have and others do not"

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The mean over the labels with a curve."""
        chosen = headline_labels(statistics.labels, self.positive)
        curves = (RocCurve.of(statistics, weights, label, self.missing_score) for label in chosen)
        values = [self.of_curve(curve) for curve in curves if curve is not None]
        return float(np.mean(values)) if values else float("nan")

    @abstractmethod
    def of_curve(self, curve: RocCurve) -> float:
        """The quantity of one label."""


@dataclass(frozen=True)
class EqualErrorRate(CurveMean):
    """The rate at which misses and false alarms are equally frequent."""

    kind: ClassVar[str] = "equal_error_rate"
    smooth: ClassVar[bool] = False  # it moves from one item's score to the next

    def of_curve(self, curve: RocCurve) -> float:
        """The equal error rate of one label."""
        return curve.equal_error()


@dataclass(frozen=True)
class FprAtTpr(CurveMean):
    """The lowest false positive rate of thresholds that reach a true positive rate."""

    kind: ClassVar[str] = "fpr_at_tpr"
    smooth: ClassVar[bool] = False  # it moves from one item's score to the next
    min_tpr: float = 0.95

    def of_curve(self, curve: RocCurve) -> float:
        """The false positive rate of one label."""
        return curve.fpr_at(self.min_tpr)


@dataclass(frozen=True)
class PartialRocArea(CurveMean):
    """The area up to a false positive rate, 0.5 for random scores (McClish 1989)."""

    kind: ClassVar[str] = "partial_roc_area"
    max_fpr: float = 0.1

    def of_curve(self, curve: RocCurve) -> float:
        """The scaled area of one label."""
        return curve.partial_area(self.max_fpr)


@dataclass(frozen=True)
class OperatingPointTable(Breakdown):
    """Equal error rate and false positive rate at a true positive rate, with their thresholds."""

    kind: ClassVar[str] = "roc_operating_points"
    name: str = "by_label"
    missing_score: float = 0.0
    min_tpr: float = 0.95

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label; NaN for a label without a curve."""
        rows = [self._row(statistics, weights, code) for code in range(len(statistics.labels))]
        names = ("equal_error_rate", "fpr_at_tpr", "threshold", "tpr")
        columns = _named(statistics.labels) | {
            name: [row[at] for row in rows] for at, name in enumerate(names)
        }
        return Detail(self.name, "table", ("key", "label"), columns)

    def _row(self, statistics: Statistics, weights: Floats, code: int) -> tuple[float, ...]:
        curve = RocCurve.of(statistics, weights, code, self.missing_score)
        if curve is None:
            return (float("nan"),) * 4
        at = curve.reaching(self.min_tpr)
        threshold = float(curve.thresholds[at]) if at else float("nan")
        return curve.equal_error(), float(curve.fpr[at]), threshold, float(curve.tpr[at])


@dataclass(frozen=True)
class RocPoints(Breakdown):
    """Points of the ROC curve of each label, or of its DET curve: misses against false alarms.

    Attributes:
        name: name of the breakdown.
        rate: `true_positive_rate`, or `false_negative_rate` for a DET curve.
        points: the most points of a label; both ends are among them.
        missing_score: the score of a label that an item's prediction does not list.
    """

    kind: ClassVar[str] = "roc_points"
    name: str = "roc"
    rate: str = "true_positive_rate"
    points: int = 100
    missing_score: float = 0.0

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label and point; the first threshold is infinite and shown as undefined."""
        labels: list[Label] = []
        columns: dict[str, list[Any]] = {"false_positive_rate": [], self.rate: [], "threshold": []}
        for code, label in enumerate(statistics.labels):
            curve = RocCurve.of(statistics, weights, code, self.missing_score)
            if curve is None:
                continue
            thin = curve.thinned(self.points)
            finite = np.where(np.isfinite(thin.thresholds), thin.thresholds, np.nan)
            rates = thin.tpr if self.rate == "true_positive_rate" else 1 - thin.tpr
            for name, values in zip(columns, (thin.fpr, rates, finite), strict=True):
                columns[name] += values.tolist()
            labels += [label] * len(thin.fpr)
        keys = ("key", "label", "false_positive_rate")
        return Detail(self.name, "curve", keys, _named(labels) | columns)


def _named(labels: Sequence[Label]) -> dict[str, list[Any]]:
    return {"key": [label.key for label in labels], "label": [label.value for label in labels]}
