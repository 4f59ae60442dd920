"""Objectives for the choice of a threshold."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference.operating_points import OperatingPoints

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class BestF:
    """The highest F-beta; `beta` 2 favours recall, 0.5 favours precision."""

    beta: float = 1.0

    @property
    def name(self) -> str:
        """`f1`, `f2`, `f0.5`."""
        return f"f{self.beta:g}"

    takes_last: ClassVar[bool] = False
    needs_negatives: ClassVar[bool] = False

    def merits(self, points: OperatingPoints) -> Floats:
        """What is compared: F-beta at each point."""
        return points.f_beta(self.beta)

    def pick(self, points: OperatingPoints) -> int:
        """Position of the best point; the strictest one on a tie."""
        return _highest(self.merits(points))


@dataclass(frozen=True)
class PrecisionAtRecall:
    """The highest precision among thresholds that keep recall at or above a floor."""

    recall: float

    @property
    def name(self) -> str:
        """Name with the floor."""
        return f"precision_at_recall_{self.recall:g}"

    takes_last: ClassVar[bool] = True  # of equal precision, the highest recall
    needs_negatives: ClassVar[bool] = False
    floored_rate: ClassVar[str] = "recall"

    def merits(self, points: OperatingPoints) -> Floats:
        """What is compared: precision where recall reaches the floor, elsewhere NaN."""
        return np.where(self.floored(points) >= self.recall, points.precision, np.nan)

    def floored(self, points: OperatingPoints) -> Floats:
        """The rate that has the floor."""
        return points.recall

    def pick(self, points: OperatingPoints) -> int:
        """Position of the best point; the highest recall on a tie.

        Raises:
            InputError: if no threshold reaches the floor.
        """
        return _highest_above(points.precision, points.recall, self.recall, "recall", points.thresholds)


@dataclass(frozen=True)
class RecallAtPrecision:
    """The highest recall among thresholds that keep precision at or above a floor."""

    precision: float

    @property
    def name(self) -> str:
        """Name with the floor."""
        return f"recall_at_precision_{self.precision:g}"

    takes_last: ClassVar[bool] = False  # of equal recall, the highest precision
    needs_negatives: ClassVar[bool] = False
    floored_rate: ClassVar[str] = "precision"

    def merits(self, points: OperatingPoints) -> Floats:
        """What is compared: recall where precision reaches the floor, elsewhere NaN."""
        return np.where(self.floored(points) >= self.precision, points.recall, np.nan)

    def floored(self, points: OperatingPoints) -> Floats:
        """The rate that has the floor."""
        return points.precision

    def pick(self, points: OperatingPoints) -> int:
        """Position of the best point; the highest precision on a tie.

        Raises:
            InputError: if no threshold reaches the floor.
        """
        return _highest_above(points.recall, points.precision, self.precision, "precision", points.thresholds)


@dataclass(frozen=True)
class Youden:
    """The highest sensitivity + specificity - 1 (Youden 1950, Index for Rating Diagnostic Tests)."""

    @property
    def name(self) -> str:
        """Name of the index."""
        return "youden"

    takes_last: ClassVar[bool] = False
    needs_negatives: ClassVar[bool] = True

    def merits(self, points: OperatingPoints) -> Floats:
        """What is compared: the index at each point."""
        return points.recall + points.specificity - 1

    def pick(self, points: OperatingPoints) -> int:
        """Position of the best point; the strictest one on a tie."""
        return _highest(self.merits(points))


@dataclass(frozen=True)
class LeastCost:
    """The lowest cost per item, with a cost for each of the four outcomes; a gain is a negative cost."""

    false_positive: float
    false_negative: float
    true_positive: float = 0.0
    true_negative: float = 0.0

    @property
    def name(self) -> str:
        """Name with the costs of both errors, and with other costs that are not 0."""
        right = {"tp": self.true_positive, "tn": self.true_negative}
        more = "".join(f"_{name}_{cost:g}" for name, cost in right.items() if cost)
        return f"cost_fp_{self.false_positive:g}_fn_{self.false_negative:g}{more}"

    takes_last: ClassVar[bool] = False

    @property
    def needs_negatives(self) -> bool:
        """Whether true negatives have a cost, so that they must be counted."""
        return self.true_negative != 0

    def total(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        """Cost of these counts, which may be arrays; `tn` is not read where it has no cost."""
        right = self.true_positive * tp + (self.true_negative * tn if self.needs_negatives else 0.0)
        return self.false_positive * fp + self.false_negative * fn + right

    def per_item(self, tp: int, fp: int, fn: int, tn: int) -> float:
        """Cost per item of these counts.

        >>> LeastCost(5, 1).per_item(tp=2, fp=1, fn=1, tn=4)
        0.75
        """
        return float(self.total(tp, fp, fn, tn) / (tp + fp + fn + tn))

    def merits(self, points: OperatingPoints) -> Floats:
        """What is compared: the cost at each point, with its sign turned."""
        return np.asarray(-self.total(points.tp, points.fp, points.fn, points.tn))

    def pick(self, points: OperatingPoints) -> int:
        """Position of the cheapest point, which may call nothing positive; the strictest one on a tie."""
        return _highest(self.merits(points))


Objective = BestF | PrecisionAtRecall | RecallAtPrecision | Youden | LeastCost


def _highest(values: Floats) -> int:
    if np.isnan(values).all():
        raise InputError("no threshold can be chosen: the labels are all positive or all negative")
    return int(np.nanargmax(values))


def _highest_above(values: Floats, constrained: Floats, floor: float, name: str, thresholds: Floats) -> int:
    """Position of the highest value among points whose constrained quantity is at least `floor`."""
    allowed = np.flatnonzero((constrained >= floor) & ~np.isnan(values))
    if not len(allowed):
        missed = f"no threshold keeps {name} at {floor:g} or above"
        if np.isnan(constrained).all():
            raise InputError(f"{missed}: it is undefined at every one")
        best = int(np.nanargmax(constrained))
        raise InputError(
            f"{missed}; the highest is {constrained[best]:.4g}, at the threshold {thresholds[best]:.4g}"
        )
    order = np.lexsort((constrained[allowed], values[allowed]))
    return int(allowed[order[-1]])
