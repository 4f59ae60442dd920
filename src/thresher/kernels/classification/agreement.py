"""Agreement of decisions with the truth beyond chance: Cohen's kappa and Matthews' correlation.

The statistics are a ragged column `decisions` with `truth` and `predicted`, codes of labels; `predicted` is
-1 without a decision, which counts as a category of its own. Each label key has its own value; several
keys are averaged.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from thresher.results import Label, Ragged, Statistics
from thresher.results.labels import Codes, key_codes, sums_by_code
from thresher.results.reductions import GroupedReduction, divide

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

    @classmethod
    def of_sums(cls, sums: Floats) -> Self:
        """The margins from their numbers, one after the other."""
        true, predicted = np.split(sums[:-1], 2)
        return cls(true, predicted, float(sums[-1]))

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


@dataclass(frozen=True)
class KeyDecisions:
    """The decisions for one label key.

    Attributes:
        decisions: those for all keys.
        rows: positions of those for the key.
        truth: place of each true label among those of the key.
        predicted: the same for decisions; the last place is for missing ones.
        distances: distance of each pair of places.
    """

    decisions: Ragged
    rows: Any
    truth: npt.NDArray[Any]
    predicted: npt.NDArray[Any]
    distances: Floats

    @classmethod
    def of(cls, statistics: Statistics, codes: npt.NDArray[Any], distances: Floats) -> Self:
        """Select the decisions for the labels of these codes."""
        decisions, size = statistics.ragged["decisions"], len(codes)
        # The last place is for missing decisions; labels of other keys are not used.
        place = np.full(len(statistics.labels) + 1, -1)
        place[codes], place[-1] = np.arange(size), size
        truth = place[decisions["truth"]]
        rows: Any = slice(None) if (truth >= 0).all() else truth >= 0
        return cls(decisions, rows, truth[rows], place[decisions["predicted"]][rows], distances)

    def margins(self, weights: Floats) -> Margins:
        """The margins under weights per item."""
        counts, size = self.decisions.per_entry(weights)[self.rows], len(self.distances)
        return Margins(
            sums_by_code(self.truth, counts, size),
            sums_by_code(self.predicted, counts, size),
            float((counts * self.distances[self.truth, self.predicted]).sum()),
        )

    def group_sums(self, group: Codes, groups: int) -> Floats:
        """The numbers of the margins over the items of each group (groups x numbers)."""
        of_decision, size = self.decisions.per_entry(group)[self.rows], len(self.distances)
        first = of_decision * size
        sides = [
            np.bincount(first + side, minlength=groups * size).reshape(groups, size)
            for side in (self.truth, self.predicted)
        ]
        distances = self.distances[self.truth, self.predicted]
        return np.column_stack([*sides, np.bincount(of_decision, distances, groups)])


class KeyedAgreement(GroupedReduction):
    """The mean over label keys of a function of the margins."""

    @property
    def lacks(self) -> str:
        """Chance agreement is certain if all decisions and truths are one label."""
        return "no two different labels among truths and decisions"

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The mean over the keys whose value is defined; NaN if none is."""
        distances = self._distances_by_key(statistics)
        keys = zip(_keys(statistics), distances, strict=True)
        margins = [KeyDecisions.of(statistics, *key).margins(weights) for key in keys]
        return self._mean(margins, distances)

    def item_reach(self, statistics: Statistics, weights: Floats, span: float) -> float:
        """The largest distance over that expected by chance, at the frequencies of the true labels.

        A wrong decision changes kappa by its share times this: 1.3 with four equally frequent labels, 6.8
        with one of two labels in 8 % of the items.
        """
        distances = self._distances_by_key(statistics)
        keys = zip(_keys(statistics), distances, strict=True)
        margins = [KeyDecisions.of(statistics, *key).margins(weights).true for key in keys]
        expected = [
            float((of_key * true[:, None] * true).sum()) / max(true.sum(), 1) ** 2
            for of_key, true in zip(distances, margins, strict=True)
        ]
        known = [of_key.max() / chance for of_key, chance in zip(distances, expected, strict=True) if chance]
        return float(np.mean(known)) if known else span

    def group_sums(self, statistics: Statistics, group: Codes, groups: int) -> Floats:
        """The margins of each key, one after the other (groups x numbers)."""
        keys = zip(_keys(statistics), self._distances_by_key(statistics), strict=True)
        sums = [KeyDecisions.of(statistics, *key).group_sums(group, groups) for key in keys]
        return np.hstack([np.empty((groups, 0)), *sums])

    def of_sums(self, statistics: Statistics, sums: Floats) -> float:
        """The mean over the keys from their margins."""
        distances = self._distances_by_key(statistics)
        ends = np.cumsum([2 * len(of_key) + 1 for of_key in distances])
        return self._mean([Margins.of_sums(part) for part in np.split(sums, ends[:-1])], distances)

    def _distances_by_key(self, statistics: Statistics) -> list[Floats]:
        return [self.distances([statistics.labels[code] for code in codes]) for codes in _keys(statistics)]

    def _mean(self, margins: Sequence[Margins], distances: Sequence[Floats]) -> float:
        pairs = zip(margins, distances, strict=True)
        values = np.array([self.of_margins(*pair) for pair in pairs])
        known = values[~np.isnan(values)]
        return float(known.mean()) if known.size else float("nan")

    def distances(self, labels: Sequence[Label]) -> Floats:
        """Distance of each pair of labels of a key; the last row and column are "no decision"."""
        return 1 - np.eye(len(labels) + 1)

    @abstractmethod
    def of_margins(self, margins: Margins, distances: Floats) -> float:
        """The value of one key."""


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

    def of_margins(self, margins: Margins, distances: Floats) -> float:
        """Kappa of one key."""
        return margins.kappa(distances)

    def distances(self, labels: Sequence[Label]) -> Floats:
        """Distance of each pair of labels; the last row and column are "no decision"."""
        if self.distance == "equal":
            return super().distances(labels)
        places = [position(label, self.order) for label in labels]
        # Labels that have scores but are never true or decided need no position.
        known = np.array([*(0.0 if place is None else place for place in places), 0.0])
        gaps = np.abs(known[:, None] - known)
        return np.asarray(gaps if self.distance == "linear" else gaps**2, dtype=np.float64)


@dataclass(frozen=True)
class MatthewsCorrelation(KeyedAgreement):
    """Matthews' correlation coefficient, for any number of labels (Gorodkin 2004)."""

    kind: ClassVar[str] = "matthews_correlation"

    def of_margins(self, margins: Margins, distances: Floats) -> float:  # noqa: ARG002
        """The correlation of one key."""
        return margins.matthews()


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
