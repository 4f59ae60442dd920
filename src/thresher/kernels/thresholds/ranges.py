"""The thresholds that other samples of the items would choose."""

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import LEVEL, SEED
from thresher.kernels.inference.resampling import draw_weights
from thresher.kernels.thresholds.best_threshold import BestThreshold, chosen_threshold
from thresher.kernels.thresholds.choice import Objective, best_of_labels
from thresher.kernels.thresholds.decisions import RankedDecisions

Floats = npt.NDArray[np.float64]
DRAWS = 200
"""Draws of a range, each of which searches all thresholds again."""
_MOST = 2_000_000
"""Decisions up to which ranges are computed: 200 searches of more would take minutes."""
_FEWEST = 2


def label_ranges(ranked: RankedDecisions, objective: Objective, weights: Floats) -> tuple[Floats, Floats]:
    """Both ends of the range of each label's threshold; NaN where there is none."""
    chosen = [best_of_labels(ranked, objective, draw).thresholds for draw in _draws(ranked, weights)]
    return _ends(np.array(chosen).reshape(len(chosen), ranked.size))


def pooled_range(ranked: RankedDecisions, reduction: BestThreshold, weights: Floats) -> tuple[float, float]:
    """Both ends of the range of one threshold for all labels; NaN where there is none."""
    chosen = [chosen_threshold(ranked, reduction, draw) for draw in _draws(ranked, weights)]
    low, high = _ends(np.array(chosen).reshape(len(chosen), 1))
    return float(low[0]), float(high[0])


def _draws(ranked: RankedDecisions, weights: Floats) -> Iterator[Floats]:
    """Weights of items drawn with replacement; nothing for too few items or too many decisions."""
    counted = np.flatnonzero(weights)
    if len(counted) < _FEWEST or len(ranked.items) > _MOST:
        return
    drawn = np.zeros(len(weights))
    for block in draw_weights(len(counted), DRAWS, SEED):
        for row in block:
            drawn[counted] = row * weights[counted]
            yield drawn


def _ends(chosen: Floats) -> tuple[Floats, Floats]:
    """The central share of the chosen thresholds (draws x labels); draws without one do not count."""
    low, high = (np.full(chosen.shape[1], math.nan) for _ in range(2))
    known = ~np.isnan(chosen)
    tail = (1 - LEVEL) / 2
    for label in np.flatnonzero(known.any(axis=0)).tolist():
        values = chosen[known[:, label], label]
        low[label], high[label] = np.quantile(values, [tail, 1 - tail], method="inverted_cdf")
    return low, high
