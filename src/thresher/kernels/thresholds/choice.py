"""The best threshold of all labels together, and of each label."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import BestF, LeastCost, OperatingPoints, PrecisionAtRecall, RecallAtPrecision
from thresher.kernels.inference.objectives import Objective
from thresher.kernels.thresholds.decisions import RankedDecisions
from thresher.kernels.thresholds.order import Cuts, Order
from thresher.results.labels import sums_by_code
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]
Goal = Literal["f", "recall_at_precision", "precision_at_recall"]
Floor = PrecisionAtRecall | RecallAtPrecision
OBJECTIVES: dict[Goal, Callable[[float], BestF | Floor]] = {
    "f": BestF,
    "recall_at_precision": RecallAtPrecision,
    "precision_at_recall": PrecisionAtRecall,
}
"""What the threshold of a measure is chosen for, given the beta of F or the floor."""
ROUNDING = 1e-12
"""Values that differ by less, or by this share, are equal: sums depend on their order by this much."""


@dataclass(frozen=True, eq=False)
class LabelChoices:
    """The best threshold of each label; NaN for a label without true ones or without scores.

    Attributes:
        thresholds: scores at least as high are kept; infinity where keeping nothing is best.
        values: what the threshold was chosen for; of costs, the cost per item. A label with true ones but
            without scores has F 0.
        tp: weight of the right decisions that are kept.
        fp: weight of the wrong decisions that are kept.
        truths: weight of the true labels or objects.
    """

    thresholds: Floats
    values: Floats
    tp: Floats
    fp: Floats
    truths: Floats


def best_of_labels(ranked: RankedDecisions, objective: Objective, weights: Floats) -> LabelChoices:
    """Choose a threshold for each label."""
    cuts, negatives = _cuts(ranked.by_label, objective), objective.needs_negatives
    separate = ranked.separate(weights, cuts, negatives=negatives)
    points = separate.points
    candidates = entered(points, cuts.firsts) & (separate.truths[cuts.groups] > 0)
    merits = np.where(candidates, objective.merits(points), np.nan)
    at = best_within(merits, cuts, ranked.size, objective.takes_last)
    known = at >= 0
    places = at[known]
    columns = [np.full(ranked.size, np.nan) for _ in range(4)]
    for column, values in zip(columns, (points.thresholds, merits, points.tp, points.fp), strict=True):
        column[known] = values[places]
    thresholds, values, tp, fp = columns
    if isinstance(objective, BestF):  # a label that is never predicted
        for column in (values, tp, fp):
            column[~known & (separate.truths > 0)] = 0.0
    never = _merits_of_nothing(objective, separate.truths, ranked.negatives(weights))
    empty = (separate.truths > 0) & _at_least(never, values)
    thresholds[empty], values[empty], tp[empty], fp[empty] = np.inf, never[empty], 0.0, 0.0
    return LabelChoices(thresholds, _values(objective, values, weights), tp, fp, separate.truths)


def best_pooled(ranked: RankedDecisions, objective: Objective, weights: Floats) -> tuple[float, float]:
    """Choose one threshold for the counts of all labels, and return it with its value.

    The threshold is infinite if keeping nothing is best, and NaN if there is none; then F is 0, other values
    are NaN. Without a true label or object both are NaN.
    """
    truths = ranked.truths(weights)
    if not truths.any():
        return np.nan, np.nan
    points = ranked.pooled(weights, _cuts(ranked.together, objective), negatives=objective.needs_negatives)
    candidates = entered(points, np.zeros(min(1, len(points.tp)), np.int64))
    merits = np.where(candidates, objective.merits(points), np.nan)
    at = strictest(merits, objective.takes_last)
    threshold, merit = (points.thresholds[at], merits[at]) if at >= 0 else (np.nan, np.nan)
    if at < 0 and isinstance(objective, BestF):
        merit = 0.0
    (never,) = _merits_of_nothing(objective, truths.sum()[None], ranked.negatives(weights).sum()[None])
    if _at_least(never, merit):
        threshold, merit = np.inf, never
    return float(threshold), float(_values(objective, merit, weights))


def macro_values(ranked: RankedDecisions, objective: BestF, weights: Floats) -> Floats:
    """Mean F over the labels with true ones, at each distinct score of all labels.

    At each score only the labels of the decisions with that score change, so changes are added up.
    """
    separate = ranked.separate(weights, ranked.by_label.every_cut)
    present = separate.truths > 0
    values = np.nan_to_num(objective.merits(separate.points)) * present[separate.cuts.groups]
    changes = np.diff(values, prepend=0.0)
    changes[separate.cuts.firsts] = values[separate.cuts.firsts]
    sums = np.cumsum(sums_by_code(ranked.places, changes, len(ranked.together.every_cut.ends)))
    return divide(sums, np.full(len(sums), float(np.count_nonzero(present))))


def strictest(values: Floats, last: bool = False) -> int:
    """Position of the highest value, the first of equal ones (or the last); -1 if all are NaN."""
    if not len(values) or np.isnan(values).all():
        return -1
    equal = np.flatnonzero(_at_least(values, np.nanmax(values)))
    return int(equal[-1 if last else 0])


def entered(points: OperatingPoints, starts: Int64s) -> npt.NDArray[np.bool_]:
    """The points whose scores some counted item has; `starts` are those where the counts begin anew."""
    counted = points.tp + points.fp
    before = np.concatenate([[0.0], counted[:-1]])[: len(counted)]
    before[starts] = 0.0
    return np.asarray(counted > before)


def best_within(values: Floats, cuts: Cuts, size: int, last: bool) -> Int64s:
    """Position of the best value of each group, the first of equal ones or the last; -1 for none."""
    best = np.full(size, -1, np.int64)
    if not len(values):
        return best
    lowest = np.where(np.isnan(values), -np.inf, values)
    lengths = np.diff(cuts.firsts, append=len(values))
    highest = np.repeat(np.maximum.reduceat(lowest, cuts.firsts), lengths)
    equal = np.flatnonzero(_at_least(lowest, highest) & np.isfinite(lowest))
    equal = equal if last else equal[::-1]
    best[cuts.groups[equal]] = equal
    return best


def _at_least(values: Any, others: Any) -> npt.NDArray[np.bool_]:
    """Whether values reach others, up to rounding; anything but NaN reaches NaN."""
    limits = others - ROUNDING * np.maximum(1.0, np.abs(others))
    return np.asarray(~np.isnan(values) & ~(values < limits))


def _cuts(order: Order, objective: Objective) -> Cuts:
    """The cuts that may be the best; all of them where a wrong decision may be worth keeping."""
    gains = isinstance(objective, LeastCost) and objective.false_positive < objective.true_negative
    return order.every_cut if gains else order.useful_cuts


def _merits_of_nothing(objective: Objective, truths: Floats, negatives: Floats) -> Floats:
    """What keeping nothing is worth; NaN where the objective is about what is kept."""
    nothing = np.zeros(len(truths))
    if isinstance(objective, BestF | PrecisionAtRecall | RecallAtPrecision):
        return nothing + np.nan
    return objective.merits(OperatingPoints(nothing, nothing, nothing, truths, negatives, "higher"))


def _values(objective: Objective, merits: Any, weights: Floats) -> Any:
    """What is reported: costs per item, other merits as they are."""
    return -merits / weights.sum() if isinstance(objective, LeastCost) else merits
