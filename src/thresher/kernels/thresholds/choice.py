"""The best threshold of all labels together, and of each label."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import BestF, OperatingPoints, PrecisionAtRecall, RecallAtPrecision
from thresher.kernels.thresholds.decisions import RankedDecisions
from thresher.kernels.thresholds.order import Cuts
from thresher.results.labels import sums_by_code
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]
Goal = Literal["f", "recall_at_precision", "precision_at_recall"]
Objective = BestF | PrecisionAtRecall | RecallAtPrecision
OBJECTIVES: dict[Goal, Callable[[float], Objective]] = {
    "f": BestF,
    "recall_at_precision": RecallAtPrecision,
    "precision_at_recall": PrecisionAtRecall,
}
"""What a threshold is chosen for, given the beta of F or the floor."""
ROUNDING = 1e-12
"""Values that differ by less are equal: the sums of a mean over labels depend on the order by this much."""


@dataclass(frozen=True, eq=False)
class LabelChoices:
    """The best threshold of each label; NaN for a label without true ones or without scores.

    Attributes:
        thresholds: scores at least as high are kept.
        values: what the threshold was chosen for. A label with true ones but without scores has F 0.
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
    separate = ranked.separate(weights)
    cuts, points = separate.cuts, separate.points
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
    return LabelChoices(thresholds, values, tp, fp, separate.truths)


def best_pooled(
    ranked: RankedDecisions, objective: Objective, weights: Floats
) -> tuple[int, OperatingPoints]:
    """Choose one threshold for the counts of all labels: its position (-1 for none) among their points."""
    points = ranked.pooled(weights)
    if not ranked.truths(weights).any():
        return -1, points
    candidates = entered(points, np.zeros(min(1, len(points.tp)), np.int64))
    return strictest(np.where(candidates, objective.merits(points), np.nan), objective.takes_last), points


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
    equal = np.flatnonzero(values >= np.nanmax(values) - ROUNDING)
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
    equal = np.flatnonzero((lowest >= highest - ROUNDING) & np.isfinite(lowest))
    equal = equal if last else equal[::-1]
    best[cuts.groups[equal]] = equal
    return best
