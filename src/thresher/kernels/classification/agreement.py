"""Agreement of decisions with the truth beyond chance: Cohen's kappa and Matthews' correlation.

The statistics are a ragged column `decisions` with `truth` and `predicted`, codes of labels; `predicted` is
-1 without a decision, which counts as a category of its own. Each label key has its own value; several
keys are averaged.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from thresher.results import Label, Reduction, Statistics
from thresher.results.labels import key_codes, sums_by_code
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]
Distance = Literal["equal", "linear", "quadratic"]


@dataclass(frozen=True)
class Margins:
    """Weighted totals of the decisions for one label key.

    Attributes:
        true: per label the weight of its truths; 0 for "no decision" at the end.
        predicted: per label the weight of its decisions, and of missing decisions at the end.
        disagreement: sum over decisions of weight and distance between truth and decision.
    """

    true: Floats
    predicted: Floats
    disagreement: float

    def kappa(self, distances: Floats) -> float:
        """1 - observed / expected disagreement; NaN if no disagreement is expected.

        >>> Margins(np.array([2.0, 2.0]), np.array([3.0, 1.0]), 1.0).kappa(1 - np.eye(2))
        0.5
        """
        # Not a product of matrices: BLAS would start threads, whose waiting takes longer than this sum.
        expected = float((distances * self.true[:, None] * self.predicted).sum())
        return 1 - float(divide(np.array(self.disagreement * self.true.sum()), np.array(expected)))

    def matthews(self) -> float:
        """Correlation of truth and decision; NaN if either is constant.

        >>> Margins(np.array([2.0, 2.0]), np.array([3.0, 1.0]), 1.0).matthews().__round__(4)
        0.5774
        """
        total = self.true.sum()
        agreed = total - self.disagreement
        covariance = agreed * total - (self.true * self.predicted).sum()
        spread = [max(total**2 - (side**2).sum(), 0.0) for side in (self.true, self.predicted)]
        return float(divide(np.array(covariance), np.sqrt(np.array(spread[0]) * spread[1])))


class KeyedAgreement(Reduction):
    """The mean over label keys of a function of the margins."""

    @property
    def lacks(self) -> str:
        """Chance agreement is certain if all decisions and truths are one label."""
        return "no two different labels among truths and decisions"

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The mean over the keys whose value is defined; NaN if none is."""
        values = np.array([self.of_key(statistics, weights, codes) for codes in _keys(statistics)])
        known = values[~np.isnan(values)]
        return float(known.mean()) if known.size else float("nan")

    @abstractmethod
    def of_key(self, statistics: Statistics, weights: Floats, codes: npt.NDArray[Any]) -> float:
        """The value of one key, whose labels have these codes."""


@dataclass(frozen=True)
class CohenKappa(KeyedAgreement):
    """Cohen's kappa, weighted by the distance of labels.

    Attributes:
        distance: `equal` for labels without order, `linear` or `quadratic` in the positions of the labels.
        order: the labels from lowest to highest; None takes whole numbers as their own positions.
    """

    kind: ClassVar[str] = "cohen_kappa"
    distance: str = "equal"
    order: tuple[str, ...] | None = None

    def of_key(self, statistics: Statistics, weights: Floats, codes: npt.NDArray[Any]) -> float:
        """Kappa of one key."""
        distances = self.distances([statistics.labels[code] for code in codes])
        return _margins(statistics, weights, codes, distances).kappa(distances)

    def distances(self, labels: Sequence[Label]) -> Floats:
        """Distance of each pair of labels; the last row and column are "no decision"."""
        if self.distance == "equal":
            return 1 - np.eye(len(labels) + 1)
        places = [position(label, self.order) for label in labels]
        # Labels that have scores but are never true or decided need no position.
        known = np.array([*(0.0 if place is None else place for place in places), 0.0])
        gaps = np.abs(known[:, None] - known)
        return np.asarray(gaps if self.distance == "linear" else gaps**2, dtype=np.float64)


@dataclass(frozen=True)
class MatthewsCorrelation(KeyedAgreement):
    """Matthews' correlation coefficient, for any number of labels (Gorodkin 2004)."""

    kind: ClassVar[str] = "matthews_correlation"

    def of_key(self, statistics: Statistics, weights: Floats, codes: npt.NDArray[Any]) -> float:
        """The correlation of one key."""
        return _margins(statistics, weights, codes, 1 - np.eye(len(codes) + 1)).matthews()


def position(label: Label, order: Sequence[str] | None) -> float | None:
    """The position of a label on an ordinal scale; None if it has none.

    >>> position(Label("", "3"), None), position(Label("", "high"), ["low", "high"])
    (3.0, 1.0)
    """
    if order is not None:
        return float(order.index(label.value)) if label.value in order else None
    return float(label.value) if label.value.removeprefix("-").isdecimal() else None


def _keys(statistics: Statistics) -> list[npt.NDArray[Any]]:
    """The codes of the labels of each key."""
    keys = key_codes(statistics.labels)
    return [np.flatnonzero(keys == key) for key in range(int(keys.max(initial=-1)) + 1)]


def _margins(statistics: Statistics, weights: Floats, codes: npt.NDArray[Any], distances: Floats) -> Margins:
    decisions, size = statistics.ragged["decisions"], len(codes)
    # The last place is for missing decisions; labels of other keys are not used.
    place = np.full(len(statistics.labels) + 1, -1)
    place[codes], place[-1] = np.arange(size), size
    truth, counts = place[decisions["truth"]], decisions.per_entry(weights)
    rows: Any = slice(None) if (truth >= 0).all() else truth >= 0
    truth, predicted, counts = truth[rows], place[decisions["predicted"]][rows], counts[rows]
    return Margins(
        sums_by_code(truth, counts, size + 1),
        sums_by_code(predicted, counts, size + 1),
        float((counts * distances[truth, predicted]).sum()),
    )
