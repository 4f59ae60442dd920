"""Moments of scores, merged block by block: means, standard errors and tails without the vector of scores."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Moments:
    """Sums over scores from which their mean, its standard error and their tails are computed.

    Attributes:
        count: number of scores.
        total: their sum.
        low: the smallest score; infinite without scores.
        high: the largest.
        squares: sum of squared deviations from the mean.
        reach: the largest deviation; powers are of deviations divided by it, since the fourth power of a tiny
            number would be 0.
        powers: sums of the second to fourth powers of these.
        binary: whether all scores are 0 or 1.
        origin: one of the scores. Means of blocks are subtracted as differences from such scores, since means
            far from 0 are rounded by more than they differ.
        offset: the mean of the differences from it.
    """

    count: int = 0
    total: float = 0.0
    low: float = math.inf
    high: float = -math.inf
    squares: float = 0.0
    reach: float = 0.0
    powers: tuple[float, float, float] = (0.0, 0.0, 0.0)
    binary: bool = True
    origin: float = 0.0
    offset: float = 0.0

    @classmethod
    def of(cls, scores: Floats) -> "Moments":
        """Moments of some scores.

        >>> Moments.of(np.array([0.0, 2.0])).mean
        1.0
        """
        if not len(scores):
            return cls()
        total = float(scores.sum())
        deviations = scores - total / len(scores)
        reach = float(np.abs(deviations).max())
        scaled = deviations / reach if reach else deviations
        seconds = np.square(scaled)
        powers = float(seconds.sum()), float(seconds @ scaled), float(seconds @ seconds)
        binary = bool(((scores == 0) | (scores == 1)).all())
        return cls(
            len(scores),
            total,
            float(scores.min()),
            float(scores.max()),
            float(deviations @ deviations),
            reach,
            powers,
            binary,
            float(scores[0]),
            float((scores - scores[0]).mean()),
        )

    @classmethod
    def merged(cls, blocks: Iterable["Moments"]) -> "Moments":
        """Moments of the scores of all blocks."""
        return reduce(cls.merge, blocks, cls())

    @property
    def mean(self) -> float:
        """The mean; NaN without scores."""
        return self.total / self.count if self.count else math.nan

    @property
    def tails(self) -> tuple[float, float]:
        """Excess kurtosis and skewness; 0 and 0 without spread.

        Formula: n * sum d^4 / (sum d^2)^2 - 3, and sqrt(n) * sum d^3 / (sum d^2)^1.5
        """
        second, third, fourth = self.powers
        if not second:
            return 0.0, 0.0
        return self.count * fourth / second**2 - 3, math.sqrt(self.count) * third / second**1.5

    def merge(self, other: "Moments") -> "Moments":
        """Moments of the scores of both.

        Source: Pebay (2008), Formulas for Robust, One-Pass Parallel Computation of Covariances and
            Arbitrary-Order Statistical Moments.

        >>> both = Moments.of(np.array([0.0])).merge(Moments.of(np.array([2.0, 4.0])))
        >>> both.mean, both.squares, both.tails == Moments.of(np.array([0.0, 2.0, 4.0])).tails
        (2.0, 8.0, True)
        """
        if not self.count or not other.count:
            return self if self.count else other
        count, total = self.count + other.count, self.total + other.total
        low, high, mean = min(self.low, other.low), max(self.high, other.high), total / count
        shift = self._shift(other)
        squares = self.squares + other.squares + self.between(other)
        reach = max(high - mean, mean - low)
        powers = self._merged_powers(other, shift, reach) if reach else (0.0, 0.0, 0.0)
        offset = self.offset + shift * other.count / count
        binary = self.binary and other.binary
        return Moments(count, total, low, high, squares, reach, powers, binary, self.origin, offset)

    def between(self, other: "Moments") -> float:
        """What the difference of two means adds to the sum of squared deviations."""
        product = self.count * other.count
        return self._shift(other) ** 2 * product / (self.count + other.count)

    def _shift(self, other: "Moments") -> float:
        return (other.origin - self.origin) + (other.offset - self.offset)

    def _merged_powers(self, other: "Moments", shift: float, reach: float) -> tuple[float, float, float]:
        (a2, a3, a4), (b2, b3, b4) = self._scaled(reach), other._scaled(reach)  # noqa: SLF001  # same class
        a, b, n, step = self.count, other.count, self.count + other.count, shift / reach
        return (
            a2 + b2 + step**2 * a * b / n,
            a3 + b3 + step**3 * a * b * (a - b) / n**2 + 3 * step * (a * b2 - b * a2) / n,
            a4
            + b4
            + step**4 * a * b * (a * a - a * b + b * b) / n**3
            + 6 * step**2 * (a * a * b2 + b * b * a2) / n**2
            + 4 * step * (a * b3 - b * a3) / n,
        )

    def _scaled(self, reach: float) -> tuple[float, float, float]:
        """The powers, of deviations divided by another number."""
        ratio = self.reach / reach
        second, third, fourth = self.powers
        return second * ratio**2, third * ratio**3, fourth * ratio**4
