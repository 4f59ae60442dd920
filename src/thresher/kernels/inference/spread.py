"""Standard errors of means of independent and of clustered items, and what these show of values without bounds.

Without bounds no number of items excludes a rare extreme value. The limits are the longer of t's and Hall's on each
side: over ten skewed populations they contain the mean in at least 90 % of samples from 15 items on
(`benchmarks/inference.py --only unbounded`), with fewer in 72 % of the worst.
"""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.clusters import bell_mccaffrey, cluster_contributions
from thresher.kernels.inference.distributions import critical, two_sided
from thresher.kernels.inference.moments import Moments

Floats = npt.NDArray[np.float64]
FEWEST = 2
"""One unit does not show any spread."""
FEWEST_FOR_VERDICTS = 15
"""With fewer units the limits of skewed values contain the mean in too few samples for a verdict."""
_STRAIGHT = 1e-9
"""Skewness of a mean below which Hall's limits are t's."""
_EQUAL = 1e-12
"""Scores that differ by a smaller share of their size are equal: their differences are rounding errors."""


@dataclass(frozen=True)
class Spread:
    """A value with the standard error that its units show, and the limits that follow from it.

    Attributes:
        value: the value.
        standard_error: NaN with fewer than two independent units.
        degrees: degrees of freedom of the standard error of normal units: their number less 1, fewer for
            clusters of unequal size.
        kurtosis: excess kurtosis of the units' contributions to the value; 0 for normal units.
        skewness: their skewness; positive if few units contribute much and most contribute little.
        units: number of units that contribute; default: `degrees` + 1.
    """

    method: ClassVar[str] = "t-hall"
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

    def with_noise(self, variance: float) -> "Spread":
        """The same value with an added variance that is known."""
        if not self.known or not variance:
            return self
        error = math.sqrt(self.standard_error**2 + variance)
        part = (self.standard_error / error) ** 2
        tails = {"kurtosis": self.kurtosis * part**2, "skewness": self.skewness * part**1.5}
        return replace(self, standard_error=error, **tails)

    def minus(self, other: "Spread") -> "Spread":
        """The difference to the value of other items.

        Formula: variances add; Welch's (1947) degrees of freedom; skewness and kurtosis of the difference from
            the third and fourth cumulants of both sides
        """
        first, second = self.standard_error**2, other.standard_error**2
        variance = first + second
        if not variance > 0:
            return Spread(self.value - other.value, math.sqrt(variance), self.degrees + other.degrees)
        number = self.number + other.number
        third = first**1.5 * self._slant - second**1.5 * other._slant  # noqa: SLF001 (the same class)
        fourth = first**2 * self.kurtosis / self.number + second**2 * other.kurtosis / other.number
        return Spread(
            self.value - other.value,
            math.sqrt(variance),
            variance**2 / (first**2 / self.degrees + second**2 / other.degrees),
            number * fourth / variance**2,
            math.sqrt(number) * third / variance**1.5,
            number,
        )

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

    @property
    def _slant(self) -> float:
        return self.skewness / math.sqrt(self.number)

    def limits(self, level: float) -> tuple[float, float] | None:
        """The longer of t's and Hall's limits on each side; None without spread.

        Formula: mean - standard error * T(q) and mean - standard error * T(-q), with the t quantile q of
            the effective degrees, T(q) = 3 / a * (cbrt(1 + a * (q - a / 6)) - 1) and a = skewness / sqrt(n)
        Source: Hall (1992), On the Removal of Skewness by Transformation.

        >>> low, high = Spread(0.0, 1.0, 99, 0.0, -1.5).limits(0.95)
        >>> round(low, 2), round(high, 2)
        (-2.25, 1.98)
        """
        if not self.known or not self.standard_error:
            return None
        half, other, a = critical(level, self.degrees), critical(level, self.effective_degrees), self._slant
        ends = [half, -half]
        if abs(a) > _STRAIGHT:
            bent = [3 / a * (math.cbrt(1 + a * (end - a / 6)) - 1) for end in (other, -other)]
            ends = [max(half, bent[0]), min(-half, bent[1])]
        return self.value - ends[0] * self.standard_error, self.value - ends[1] * self.standard_error

    def p_value(self, at: float = 0.0) -> float:
        """Two-sided p-value of the true value being `at`, from the same limits; NaN without spread."""
        if not self.known or not self.standard_error:
            return math.nan
        t, a = (self.value - at) / self.standard_error, self._slant
        straight = two_sided(t, self.degrees)
        if abs(a) <= _STRAIGHT:
            return straight
        bent = ((1 + a * t / 3) ** 3 - 1) / a + a / 6
        return max(straight, two_sided(bent, self.effective_degrees) if bent * t > 0 else 1.0)


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
    if moments.high - moments.low <= _EQUAL * max(abs(moments.low), abs(moments.high)):
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
