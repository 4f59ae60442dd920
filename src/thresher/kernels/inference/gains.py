"""Differences of the scores of two runs, item by item: what tests and intervals need of them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from typing import Self

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.moments import Moments

Floats = npt.NDArray[np.float64]
FEW = 50
"""With fewer items that differ, an exact test (sign flips or swapped items) must agree as well.

With 5 items that differ, all by as much, the t test rejects 6.3 % of equal systems, with 10 to 30 of them 2
to 4 % (4,000 simulations; five equal gains have no spread at all). From 50 on it rejects 5.8 %, also with
ties, so the exact test would change little; it costs 10,000 draws per measure.
"""


@dataclass(frozen=True, eq=False)
class Gains:
    """Sums over the differences of paired scores, second minus first, merged block by block.

    Attributes:
        moments: of the differences.
        squares: sum of squared differences.
        deviations: sum of squared deviations from the mean difference, in the order of numpy's `std`.
        above: number of items whose second score is higher.
        equal: number of items with equal scores.
        below: number of items whose second score is lower; items without a difference (NaN) are not counted.
        differing: the differences that are not 0, if they are fewer than `FEW`.
        low: the smallest score of both runs; infinite without items.
        high: the largest.
        binary: whether all scores of both runs are 0 or 1.
    """

    moments: Moments = field(default_factory=Moments)
    squares: float = 0.0
    deviations: float = 0.0
    above: int = 0
    equal: int = 0
    below: int = 0
    differing: tuple[float, ...] = ()
    low: float = math.inf
    high: float = -math.inf
    binary: bool = True

    @classmethod
    def of(cls, first: Floats, second: Floats) -> Self:
        """The gains of items with these scores.

        >>> gains = Gains.of(np.array([0.0, 0.5, 1.0]), np.array([1.0, 0.5, 0.5]))
        >>> gains.above, gains.equal, gains.below, gains.moments.total, gains.differing
        (1, 1, 1, 0.5, (1.0, -0.5))
        """
        if not len(first):
            return cls()
        gains = second - first
        moments = Moments.of(gains)
        differing = gains[gains != 0]
        binary = all(bool(((scores == 0) | (scores == 1)).all()) for scores in (first, second))
        return cls(
            moments,
            float(gains @ gains),
            float(np.square(gains - moments.mean).sum()),
            int(np.count_nonzero(gains > 0)),
            len(gains) - len(differing),
            int(np.count_nonzero(gains < 0)),
            tuple(differing.tolist()) if len(differing) < FEW else (),
            float(min(first.min(), second.min())),
            float(max(first.max(), second.max())),
            binary,
        )

    @classmethod
    def merged(cls, blocks: Iterable[Self]) -> Self:
        """The gains of the items of all blocks."""
        return reduce(cls.merge, blocks, cls())

    def merge(self, other: Self) -> Self:
        """The gains of the items of both."""
        if not self.items or not other.items:
            return self if self.items else other
        few = self.differ + other.differ < FEW
        return type(self)(
            self.moments.merge(other.moments),
            self.squares + other.squares,
            self.deviations + other.deviations + self.moments.between(other.moments),
            self.above + other.above,
            self.equal + other.equal,
            self.below + other.below,
            (*self.differing, *other.differing) if few else (),
            min(self.low, other.low),
            max(self.high, other.high),
            self.binary and other.binary,
        )

    @property
    def items(self) -> int:
        """Number of items."""
        return self.moments.count

    @property
    def differ(self) -> int:
        """Number of items whose scores differ."""
        return self.items - self.equal

    @property
    def mean(self) -> float:
        """The mean difference; NaN without items."""
        return self.moments.mean

    @property
    def largest(self) -> float:
        """The largest difference, whatever its sign; 0 without items."""
        return max(0.0, -self.moments.low, self.moments.high)

    @property
    def deviation(self) -> float:
        """Standard deviation of the differences; NaN with fewer than two items."""
        return math.sqrt(self.deviations / (self.items - 1)) if self.items > 1 else math.nan
