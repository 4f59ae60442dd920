"""Standard errors of means, of independent and of clustered items."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.distributions import critical, two_sided

Floats = npt.NDArray[np.float64]
FEWEST = 2
"""One unit says nothing about spread."""


@dataclass(frozen=True)
class Spread:
    """A value with its standard error.

    Attributes:
        value: the value.
        standard_error: NaN with fewer than two independent units.
        degrees: degrees of freedom of the standard error.
    """

    value: float
    standard_error: float
    degrees: float

    @property
    def known(self) -> bool:
        """Whether there is a standard error."""
        return not math.isnan(self.standard_error)

    def limits(self, level: float) -> tuple[float, float]:
        """The t interval."""
        half = critical(level, self.degrees) * self.standard_error
        return self.value - half, self.value + half

    @property
    def p_value(self) -> float:
        """Two-sided p-value of the value being 0; 1 where neither differs from 0."""
        if not self.known:
            return math.nan
        if self.standard_error == 0:
            return 1.0 if self.value == 0 else 0.0
        return two_sided(self.value / self.standard_error, self.degrees)


def mean_spread(scores: Floats, cluster: npt.NDArray[np.int64] | None = None, clusters: int = 0) -> Spread:
    """The mean of item scores and its standard error.

    Formula: sqrt(sum d^2 / (n - 1) / n); with C clusters sqrt(C / (C - 1) * sum over clusters (sum d)^2) / n,
        where d are deviations from the mean
    Source: Miller (2024), Adding Error Bars to Evals; Liang and Zeger (1986) for the clustered form.

    Args:
        scores: one number per item.
        cluster: per item the number of its cluster, 0 to `clusters - 1`; None for independent items.
        clusters: how many clusters there are.

    >>> spread = mean_spread(np.array([0.0, 2.0]))
    >>> spread.value, spread.standard_error, spread.degrees
    (1.0, 1.0, 1)
    >>> mean_spread(np.array([0.0, 0.0, 2.0, 2.0]), np.array([0, 0, 1, 1]), 2).standard_error
    1.0
    """
    items = len(scores)
    units = items if cluster is None else clusters
    value = float(scores.mean()) if items else math.nan
    if units < FEWEST:
        return Spread(value, math.nan, units - 1)
    if scores.min() == scores.max():  # rounding in the mean must not look like spread
        return Spread(float(scores[0]), 0.0, units - 1)
    deviations = scores - value
    if cluster is None:
        return Spread(value, math.sqrt(float(deviations @ deviations) / (items - 1) / items), units - 1)
    sums = np.bincount(cluster, deviations, clusters)
    return Spread(value, math.sqrt(units / (units - 1) * float(sums @ sums)) / items, units - 1)
