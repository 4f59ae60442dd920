"""Standard errors by leaving units out, for any statistic."""

import math
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.clusters import bell_mccaffrey
from thresher.kernels.inference.interval import SEED
from thresher.kernels.inference.spread import FEWEST, Spread, tails

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.integer[Any]]
GROUPS = 100
"""Up to this many units are left out one by one; more are left out in that many random groups.

A standard error from 100 groups is known to 7 % (1 / sqrt(2 * 100)). With 300 items, where groups are used, 95 to
98 % of the intervals cover (`benchmarks/inference.py --only others`).
"""


def jackknife_groups(units: int, seed: int = SEED) -> tuple[Codes, int]:
    """Assign units to groups that are left out together: one group per unit, or 100 random groups.

    >>> jackknife_groups(3)[0].tolist(), jackknife_groups(1000)[1]
    ([0, 1, 2], 100)
    """
    if units <= GROUPS:
        return np.arange(units), units
    return _random_groups(units, seed), GROUPS


@lru_cache(maxsize=2)  # a slice and the rest
def _random_groups(units: int, seed: int) -> Codes:
    """Random groups of equal size; one byte per unit, shared by the measures of a report."""
    # The shuffle depends on the number of units only, so bytes are shuffled as the units' numbers would be.
    groups = np.resize(np.arange(GROUPS, dtype=np.uint8), units)
    np.random.default_rng(seed).shuffle(groups)
    groups.flags.writeable = False
    return groups


def jackknife_spread(value: float, without: Floats, sizes: Floats | None = None) -> Spread:
    """Return the standard error of a value from its values without each group of units.

    It is unknown if the value is undefined without one of the groups. Groups of unequal size (clusters) get
    the weights and degrees of freedom with which the jackknife of a mean is exactly its CR2 variance; the
    plain jackknife is far too wide if one cluster dominates.

    Formula: sqrt(sum (1 - h_g) (v_g - v)^2), where h_g are the groups' shares of the items and v is the mean
        of the v_g weighted by 1 - h_g; for G equal groups sqrt((G - 1) / G * sum (v_g - mean v)^2), G - 1
    Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 11; Bell and McCaffrey
        (2002) for unequal groups.

    Args:
        value: the value over all units.
        without: the values without each group.
        sizes: per group its number of items; default: all equal.

    >>> jackknife_spread(1.0, np.array([2.0, 0.0])).standard_error
    1.0
    """
    groups = len(without)
    if groups < FEWEST or np.isnan(without).any():
        return Spread(value, math.nan, groups - 1)
    number = np.ones(groups) if sizes is None else sizes
    degrees = groups - 1 if sizes is None else bell_mccaffrey(number)
    if without.min() == without.max():
        return Spread(value, 0.0, degrees, units=groups)
    weights = 1 - number / number.sum()
    deviations = np.sqrt(weights) * (without - float(weights @ without) / float(weights.sum()))
    error = math.sqrt(float(deviations @ deviations))
    return Spread(value, error, degrees, *tails(-deviations / np.sqrt(number)), units=groups)
