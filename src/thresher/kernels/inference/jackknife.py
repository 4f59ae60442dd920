"""Standard errors by leaving units out: no statistic needs a formula of its own."""

import math

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.interval import SEED
from thresher.kernels.inference.spread import FEWEST, Spread

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
GROUPS = 100
"""Up to this many units are left out one by one; more are left out in that many random groups."""


def jackknife_groups(units: int, seed: int = SEED) -> tuple[Codes, int]:
    """Which units are left out together: each alone while there are few, else random groups of equal size.

    >>> jackknife_groups(3)[0].tolist(), jackknife_groups(1000)[1]
    ([0, 1, 2], 100)
    """
    if units <= GROUPS:
        return np.arange(units), units
    return np.random.default_rng(seed).permutation(units) % GROUPS, GROUPS


def jackknife_spread(value: float, without: Floats) -> Spread:
    """The standard error of a value from its values without each group.

    A value that ceases to exist without one of the groups has no standard error.

    Formula: sqrt((G - 1) / G * sum (v_g - mean v)^2) with G - 1 degrees of freedom
    Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 11.

    Args:
        value: the value over all units.
        without: the values without each group.

    >>> jackknife_spread(1.0, np.array([2.0, 0.0])).standard_error
    1.0
    """
    groups = len(without)
    if groups < FEWEST or np.isnan(without).any():
        return Spread(value, math.nan, groups - 1)
    if without.min() == without.max():
        return Spread(value, 0.0, groups - 1)
    deviations = without - without.mean()
    return Spread(value, math.sqrt((groups - 1) / groups * float(deviations @ deviations)), groups - 1)
