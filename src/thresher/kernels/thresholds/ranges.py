"""The thresholds that other samples of the items would choose."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import LEVEL, SEED
from thresher.kernels.inference.objectives import Objective
from thresher.kernels.inference.resampling import draw_weights
from thresher.kernels.thresholds.best_threshold import Average, chosen_threshold
from thresher.kernels.thresholds.choice import best_of_labels
from thresher.kernels.thresholds.decisions import RankedDecisions

Floats = npt.NDArray[np.float64]
DRAWS = 200
"""Draws of a range, each of which searches all thresholds again."""
_MOST = 2_000_000
"""Decisions up to which ranges are computed: 200 searches of more would take minutes."""
_FEWEST, _PLACES = 2, 100


def label_ranges(ranked: RankedDecisions, objective: Objective, weights: Floats) -> tuple[Floats, Floats]:
    """Both ends of the range of each label's threshold; NaN where there is none."""
    chosen = [best_of_labels(ranked, objective, draw).thresholds for draw in _draws(ranked, weights)]
    return _ends(np.array(chosen).reshape(len(chosen), ranked.size))


def pooled_range(
    ranked: RankedDecisions, objective: Objective, average: Average, weights: Floats
) -> tuple[float, float]:
    """Both ends of the range of one threshold for all labels; NaN where there is none."""
    chosen = [chosen_threshold(ranked, objective, average, draw) for draw in _draws(ranked, weights)]
    low, high = _ends(np.array(chosen).reshape(len(chosen), 1))
    return float(low[0]), float(high[0])


@dataclass(frozen=True, eq=False)
class Band:
    """F of one group at some thresholds, with the band of resampled items.

    Attributes:
        thresholds: falling.
        values: F at each.
        low: lower end at each threshold; NaN where there is none.
        high: upper end.
    """

    thresholds: Floats
    values: Floats
    low: Floats
    high: Floats


def f_band(ranked: RankedDecisions, beta: float, weights: Floats, label: int | None = None) -> Band:
    """F of all labels pooled, or of one label, at up to 100 thresholds; each band holds by itself."""
    order = ranked.together if label is None else ranked.by_label
    cuts = order.some_cuts(_PLACES)
    rows = np.flatnonzero(cuts.groups == (label or 0))

    def values(draw: Floats) -> Floats:
        truths = ranked.truths(draw)
        points = order.points(draw, truths if label is not None else truths.sum()[None], cuts)
        return points.f_beta(beta)[rows]

    drawn = [values(draw) for draw in _draws(ranked, weights)]
    thresholds = order.scores[cuts.ends[rows]]
    return Band(thresholds, values(weights), *_ends(np.array(drawn).reshape(len(drawn), len(rows))))


def _draws(ranked: RankedDecisions, weights: Floats) -> Iterator[Floats]:
    """Weights of items drawn with replacement; nothing for too few items or too many decisions."""
    counted = np.flatnonzero(weights)
    if len(counted) < _FEWEST or len(ranked.together.items) > _MOST:
        return
    drawn = np.zeros(len(weights))
    for block in draw_weights(len(counted), DRAWS, SEED):
        for row in block:
            drawn[counted] = row * weights[counted]
            yield drawn


def _ends(chosen: Floats) -> tuple[Floats, Floats]:
    """The central share of each column of draws; NaN does not count."""
    low, high = (np.full(chosen.shape[1], math.nan) for _ in range(2))
    known = ~np.isnan(chosen)
    tail = (1 - LEVEL) / 2
    for label in np.flatnonzero(known.any(axis=0)).tolist():
        values = chosen[known[:, label], label]
        low[label], high[label] = np.quantile(values, [tail, 1 - tail], method="inverted_cdf")
    return low, high
