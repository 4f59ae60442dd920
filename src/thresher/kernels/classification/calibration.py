"""Calibration: whether decisions with a confidence of 0.8 are right eight times in ten."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.results import Breakdown, Detail, Statistics
from thresher.results.labels import Codes, sums_by_code
from thresher.results.reductions import GroupedReduction, divide

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ReliabilityBins:
    """Weighted sums per bin of confidence; a confidence on an edge belongs to the bin below it.

    >>> bins = ReliabilityBins.of(np.array([0.5, 0.9, 1.0]), np.array([0, 1, 1]), np.ones(3), 2)
    >>> bins.weight.tolist(), bins.right.tolist()
    ([1.0, 2.0], [0.0, 2.0])
    """

    weight: Floats
    confidence: Floats
    right: Floats

    @classmethod
    def of(cls, confidence: Floats, right: npt.NDArray[Any], weights: Floats, bins: int) -> "ReliabilityBins":
        """Sort decisions into `bins` bins of equal width over 0 to 1."""
        place = places(confidence, bins)
        return cls(*(sums_by_code(place, weights * values, bins) for values in (1.0, confidence, right)))

    @property
    def gaps(self) -> Floats:
        """Distance between mean confidence and accuracy per bin; NaN for an empty bin."""
        return np.abs(divide(self.right - self.confidence, self.weight))


@dataclass(frozen=True)
class CalibrationError(GroupedReduction):
    """Expected calibration error (Guo et al. 2017): the mean gap, weighted by decisions; or the largest.

    Attributes:
        bins: number of bins of equal width.
        norm: `mean` or `max`.
    """

    kind: ClassVar[str] = "calibration_error"
    bins: int = 15  # of Guo et al. (2017), On Calibration of Modern Neural Networks; the error depends on it
    norm: str = "mean"

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The error over decisions with a confidence; NaN without any."""
        return self._error(reliability(statistics, weights, self.bins))

    def group_sums(self, statistics: Statistics, group: Codes, groups: int) -> Floats:
        """The sums of each bin."""
        decisions = statistics.ragged["decisions"]
        confidence = decisions["confidence"].astype(np.float64)
        cells = decisions.per_entry(group) * self.bins + places(confidence, self.bins)
        sums = [
            sums_by_code(cells, values, groups * self.bins).reshape(groups, -1)
            for values in (np.ones(len(cells)), confidence, decisions["right"])
        ]
        return np.stack(sums, axis=1)

    def of_sums(self, statistics: Statistics, sums: Floats) -> float:  # noqa: ARG002
        """The error from the sums of each bin."""
        return self._error(ReliabilityBins(*sums))

    def _error(self, bins: ReliabilityBins) -> float:
        gaps = np.nan_to_num(bins.gaps)
        if self.norm == "max":
            return float(gaps.max()) if bins.weight.any() else float("nan")
        return float(divide((gaps * bins.weight).sum(), bins.weight.sum()))


@dataclass(frozen=True)
class ReliabilityCurve(Breakdown):
    """Accuracy against confidence, bin by bin; empty bins are left out."""

    kind: ClassVar[str] = "reliability_curve"
    name: str = "reliability"
    bins: int = 15

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per bin that contains a decision."""
        bins = reliability(statistics, weights, self.bins)
        rows = np.flatnonzero(bins.weight)
        columns = {
            "bin": ((rows + 1) / self.bins).tolist(),
            "confidence": divide(bins.confidence, bins.weight)[rows].tolist(),
            "accuracy": divide(bins.right, bins.weight)[rows].tolist(),
            "decisions": bins.weight[rows].tolist(),
        }
        return Detail(self.name, "curve", ("bin",), columns)


def places(confidence: Floats, bins: int) -> npt.NDArray[np.intp]:
    """The bin of each confidence, from 0."""
    return np.searchsorted(np.arange(1, bins) / bins, confidence, "left")


def reliability(statistics: Statistics, weights: Floats, bins: int) -> ReliabilityBins:
    """The bins of the statistics' decisions: ragged `decisions` with `confidence` and `right`."""
    decisions = statistics.ragged["decisions"]
    confidence = decisions["confidence"].astype(np.float64)
    return ReliabilityBins.of(confidence, decisions["right"], decisions.per_entry(weights), bins)
