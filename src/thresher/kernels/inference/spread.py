"""Standard errors of means of independent and of clustered items."""

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.clusters import bell_mccaffrey, cluster_contributions
from thresher.kernels.inference.distributions import critical, two_sided
from thresher.kernels.inference.moments import Moments

Floats = npt.NDArray[np.float64]
FEWEST = 2
"""One unit does not show any spread."""


@dataclass(frozen=True)
class Spread:
    """A value with its standard error.

    Attributes:
        value: the value.
        standard_error: NaN with fewer than two independent units.
        degrees: degrees of freedom of the standard error of normal units: their number less 1, fewer for
            clusters of unequal size.
        kurtosis: excess kurtosis of the units' contributions to the value; 0 for normal units.
        skewness: their skewness; positive if few units contribute much and most contribute little.
        units: number of units that contribute; default: `degrees` + 1.
    """

    value: float
    standard_error: float
    degrees: float
    kurtosis: float = 0.0
    skewness: float = 0.0
    units: float = math.nan

    @property
    def number(self) -> float:
        """Number of units that contribute to the value."""
        return self.degrees + 1 if math.isnan(self.units) else self.units

    @property
    def known(self) -> bool:
        """Whether there is a standard error."""
        return not math.isnan(self.standard_error)

    def at_least(self, other: "Spread") -> "Spread":
        """The same value with the larger of both standard errors."""
        if not self.known or not other.standard_error > self.standard_error:
            return self
        return replace(self, standard_error=other.standard_error)

    @property
    def effective_degrees(self) -> float:
        """Degrees of freedom of the standard error for heavy-tailed units; at most `degrees`.

        A standard error that depends on a few units is as uncertain as one from only those few.

        Formula: 2 / (2 / d + k / n), which gives a scaled chi-squared variable the variance of the
            variance of n units with excess kurtosis k and d degrees of freedom; k < 0 counts as 0
        Source: Satterthwaite (1946), An Approximate Distribution of Estimates of Variance Components.

        >>> Spread(0.0, 1.0, 19).effective_degrees, Spread(0.0, 1.0, 19, 18.0).effective_degrees.__round__(2)
        (19.0, 1.99)
        """
        if math.isinf(self.degrees):
            return self.degrees
        return 2 / (2 / self.degrees + max(0.0, self.kurtosis) / self.number)

    def limits(self, level: float) -> tuple[float, float]:
        """The t interval."""
        half = critical(level, self.degrees) * self.standard_error
        return self.value - half, self.value + half

    @property
    def skewed(self) -> bool:
        """Whether the units are more skewed than two standard errors of a normal sample's skewness."""
        return abs(self.skewness) > 2 * math.sqrt(6 / self.number)

    def skewed_limits(self, level: float) -> tuple[float, float]:
        """The t interval of a skewed mean, longer on the side of the long tail, by effective degrees.

        Formula: mean - standard error * T(q) and mean - standard error * T(-q), with the t quantile q,
            T(q) = 3 / a * (cbrt(1 + a * (q - a / 6)) - 1) and a = skewness / sqrt(n)
        Source: Hall (1992), On the Removal of Skewness by Transformation.

        >>> low, high = Spread(0.0, 1.0, 99, 3.0, 1.5).skewed_limits(0.95)
        >>> round(low, 2), round(high, 2)
        (-1.82, 2.3)
        """
        slant = self.skewness / math.sqrt(self.number)
        half = critical(level, self.effective_degrees)
        low, high = (
            self.value - self.standard_error * 3 / slant * (math.cbrt(1 + slant * (end - slant / 6)) - 1)
            for end in (half, -half)
        )
        return low, high

    def longest_limits(self, level: float) -> tuple[float, float]:
        """The t interval, extended to `skewed_limits` on the side of the long tail.

        >>> low, high = Spread(0.0, 1.0, 99, 0.0, -1.5).longest_limits(0.95)
        >>> round(low, 2), round(high, 2)
        (-2.25, 1.98)
        """
        low, high = self.limits(level)
        if not self.skewness:
            return low, high
        skewed = self.skewed_limits(level)
        return min(low, skewed[0]), max(high, skewed[1])

    @property
    def p_value(self) -> float:
        """Two-sided p-value of the hypothesis that the value is 0; 1 if value and standard error are 0."""
        if not self.known:
            return math.nan
        if self.standard_error == 0:
            return 1.0 if self.value == 0 else 0.0
        return two_sided(self.value / self.standard_error, self.degrees)


def mean_spread(scores: Floats, cluster: npt.NDArray[np.int64] | None = None, clusters: int = 0) -> Spread:
    """Return the mean of item scores with its standard error.

    Formula: sqrt(sum d^2 / (n - 1) / n), where d are deviations from the mean; with clusters the CR2
        variance and its Bell-McCaffrey degrees of freedom (see `clusters`), which for clusters of equal
        size are sqrt(C / (C - 1) * sum over clusters (sum d)^2) / n and C - 1; never less than without
        clusters, because a few clusters may have equal means by chance
    Source: Miller (2024), Adding Error Bars to Evals; Bell and McCaffrey (2002) for clusters.

    Args:
        scores: one number per item.
        cluster: per item the number of its cluster, 0 to `clusters - 1`; None for independent items.
        clusters: number of clusters.

    >>> spread = mean_spread(np.array([0.0, 2.0]))
    >>> spread.value, spread.standard_error, spread.degrees
    (1.0, 1.0, 1)
    >>> mean_spread(np.array([0.0, 0.0, 2.0, 2.0]), np.array([0, 0, 1, 1]), 2).standard_error.__round__(9)
    1.0
    """
    if cluster is None:
        return spread_of(Moments.of(scores))
    value = float(scores.mean()) if len(scores) else math.nan
    if clusters < FEWEST:
        return Spread(value, math.nan, clusters - 1)
    sizes = np.bincount(cluster, minlength=clusters).astype(np.float64)
    if scores.min() == scores.max():  # rounding in the mean must not look like spread
        return Spread(float(scores[0]), 0.0, bell_mccaffrey(sizes), units=clusters)
    sums = np.asarray(np.bincount(cluster, scores - value, clusters), dtype=np.float64)
    return cluster_spread(value, sums, sizes).at_least(mean_spread(scores))


def spread_of(moments: Moments) -> Spread:
    """The mean of independent scores with its standard error, from their moments; see `mean_spread`."""
    items = moments.count
    if items < FEWEST:
        return Spread(moments.mean, math.nan, items - 1)
    if moments.low == moments.high:  # rounding in the mean must not look like spread
        return Spread(moments.low, 0.0, items - 1, units=items)
    error = math.sqrt(moments.squares / (items - 1) / items)
    return Spread(moments.mean, error, items - 1, *moments.tails)


def cluster_spread(value: float, sums: Floats, sizes: Floats) -> Spread:
    """Return the spread of a mean from each cluster's sum of deviations and number of items.

    Kurtosis and skewness are those of the contributions divided by the square roots of the sizes: unequal
    sizes already reduce the degrees of freedom and must not count twice.
    """
    parts = cluster_contributions(sums, sizes)
    scaled = parts / np.sqrt(sizes)
    return Spread(
        value, math.sqrt(float(parts @ parts)), bell_mccaffrey(sizes), *tails(scaled), units=len(sizes)
    )


def tails(deviations: Floats) -> tuple[float, float]:
    """Excess kurtosis and skewness of deviations from a mean; 0 and 0 without spread.

    Formula: n * sum d^4 / (sum d^2)^2 - 3, and sqrt(n) * sum d^3 / (sum d^2)^1.5

    >>> tails(np.array([-1.0, 1.0])), tails(np.zeros(3))
    ((-2.0, 0.0), (0.0, 0.0))
    """
    largest = float(np.abs(deviations).max(initial=0.0))
    if largest == 0:
        return 0.0, 0.0
    scaled = deviations / largest  # the fourth power of a tiny number would be 0
    squares = np.square(scaled)
    total, number = float(squares.sum()), len(deviations)
    kurtosis = number * float(squares @ squares) / total**2 - 3
    return kurtosis, math.sqrt(number) * float(squares @ scaled) / total**1.5
