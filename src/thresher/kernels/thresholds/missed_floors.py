"""How near a threshold comes to a floor that none reaches."""

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import PrecisionAtRecall, RecallAtPrecision
from thresher.kernels.inference.objectives import Objective
from thresher.kernels.thresholds.choice import Floor, best_within, entered, strictest
from thresher.kernels.thresholds.decisions import RankedDecisions

Floats = npt.NDArray[np.float64]


def nearest_of_labels(ranked: RankedDecisions, objective: Objective, weights: Floats) -> list[str]:
    """Describe the threshold nearest to the floor for each label; empty without a floor or a decision."""
    nearest = [""] * ranked.size
    if not isinstance(objective, PrecisionAtRecall | RecallAtPrecision):
        return nearest
    separate = ranked.separate(weights)
    values = objective.floored(separate.points)
    values = np.where(entered(separate.points, separate.cuts.firsts), values, np.nan)
    for code, place in enumerate(best_within(values, separate.cuts, ranked.size, last=False).tolist()):
        if place >= 0:
            nearest[code] = _described(objective, values[place], separate.points.thresholds[place])
    return nearest


def nearest_pooled(ranked: RankedDecisions, objective: Objective, weights: Floats) -> str:
    """Describe the threshold nearest to the floor for all labels; empty without a floor or a decision."""
    if not isinstance(objective, PrecisionAtRecall | RecallAtPrecision):
        return ""
    points = ranked.pooled(weights)
    values = objective.floored(points)
    place = strictest(np.where(entered(points, np.zeros(min(1, len(values)), np.int64)), values, np.nan))
    return "" if place < 0 else _described(objective, values[place], points.thresholds[place])


def _described(objective: Floor, value: float, threshold: float) -> str:
    return f"{objective.floored_rate} is at most {value:.3g}, at {threshold:.4g}"
