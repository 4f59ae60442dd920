"""Levels of a planned number of looks at a sample that grows (O'Brien and Fleming)."""

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.one_more import zero_of

Floats = npt.NDArray[np.float64]
MOST_LOOKS = 100
_NODES = 200
"""Points of the density: the bound is then right to 1e-10 for 100 looks."""
_LEAST = 1e-12
"""Nothing is decided with less error than that, which the first of many looks has."""


def look_level(level: float, ends: tuple[int, ...], look: int) -> float:
    """Level of the intervals at one of several planned looks, which all together err with 1 - level.

    Early looks have hardly any error, so that the last one is nearly as short as if it were alone.

    Formula: |Z_k| >= c / sqrt(t_k) has probability 1 - level at any look k, with the share t_k of all items
    Source: O'Brien and Fleming (1979), A Multiple Testing Procedure for Clinical Trials.

    Args:
        level: level of all looks together.
        ends: number of items at each planned look.
        look: which look it is, from 1.

    >>> [round(look_level(0.95, (25, 50, 75, 100), look), 5) for look in (1, 2, 3, 4)]
    [0.99995, 0.9958, 0.98058, 0.95706]
    """
    from scipy.special import ndtr

    z = _bound(level, tuple(end / ends[-1] for end in ends)) / math.sqrt(ends[look - 1] / ends[-1])
    return 1 - max(_LEAST, 2 * float(ndtr(-z)))


@lru_cache
def _bound(level: float, shares: tuple[float, ...]) -> float:
    """What a Brownian motion does not exceed at any of these times with probability `level`.

    Source: Armitage, McPherson and Rowe (1969), Repeated Significance Tests on Accumulating Data.
    """
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    steps = np.diff(np.array([0.0, *shares]))

    def stays(bound: float) -> float:
        at, density = nodes * bound, _normal(nodes * bound, steps[0])
        for step in steps[1:]:
            density = _normal(at[:, None] - at, step) @ (density * weights * bound)
        return float(density @ weights) * bound

    return zero_of(lambda bound: stays(bound) - level, 0.1, 8.0)


def _normal(at: Floats, variance: float) -> Floats:
    """Density of the normal distribution around 0."""
    return np.asarray(np.exp(-at * at / (2 * variance)) / math.sqrt(2 * math.pi * variance))
