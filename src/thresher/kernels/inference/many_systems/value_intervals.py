"""Intervals of the values of single systems, not corrected for their number."""

import math

import numpy as np

from thresher.kernels.inference.distributions import critical
from thresher.kernels.inference.interval import LEVEL, SEED, Interval, checked_level
from thresher.kernels.inference.many_systems.contrasts import aligned
from thresher.kernels.inference.many_systems.system_scores import SystemScores
from thresher.kernels.inference.one_more import OneMore, UnitSums


def value_intervals(scores: SystemScores, *, level: float = LEVEL, seed: int = SEED) -> list[Interval | None]:
    """Return the interval of each system's value, for weighted scores and adjusted means.

    Measures of results have their own intervals, from `estimate`. Intervals of two systems may overlap
    although the systems differ; differences have their own, from `contrasts`.

    Formula: one more unit between finite bounds, else the t interval

    Args:
        scores: one measure of N systems.
        level: nominal coverage of each interval.
        seed: seed of the random groups of many items.

    Returns:
        One per system; None with fewer than three units.
    """
    checked_level(level)
    (contributions,) = aligned([(scores, np.eye(len(scores)))], seed)
    low, high = scores.bounds
    intervals: list[Interval | None] = []
    for place in range(len(scores)):
        value, error = float(contributions.centres[place]), float(contributions.errors[place])
        if not contributions.known[place]:
            intervals.append(None)
        elif math.isfinite(high - low):
            sums = UnitSums.of_error(
                float(contributions.estimate[place]), error, float(contributions.degrees[place]) + 1
            )
            rule = OneMore(sums, scores.bounds)
            intervals.append(Interval(*rule.limits(level), level, rule.method))
        else:
            half = critical(level, float(contributions.degrees[place])) * error
            limits = max(low, value - half), min(high, value + half)
            intervals.append(Interval(*limits, level, "t"))
    return intervals
