"""Differences of the scores of two runs, item by item: what tests and intervals need of them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from typing import Self

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.moments import Moments
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Units
from thresher.results import Mean, Statistics
from thresher.results.masks import mask_digest

Floats = npt.NDArray[np.float64]
KEPT = 1000
"""Up to this many differences are kept, for p-values far in the tail: those of more are known from three moments."""


@dataclass(frozen=True, eq=False)
class Gains:
    """Sums over the differences of paired scores, second minus first, merged block by block.

    Attributes:
        moments: of the differences.
        above: number of items whose second score is higher.
        equal: number of items with equal scores.
        below: number of items whose second score is lower; items without a difference (NaN) are not counted.
        differing: the differences that are not 0, if they are fewer than `KEPT`.
        binary: whether all scores of both runs are 0 or 1.
    """

    moments: Moments = field(default_factory=Moments)
    above: int = 0
    equal: int = 0
    below: int = 0
    differing: tuple[float, ...] = ()
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
            int(np.count_nonzero(gains > 0)),
            len(gains) - len(differing),
            int(np.count_nonzero(gains < 0)),
            tuple(differing.tolist()) if len(differing) < KEPT else (),
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
        few = self.differ + other.differ < KEPT
        return type(self)(
            self.moments.merge(other.moments),
            self.above + other.above,
            self.equal + other.equal,
            self.below + other.below,
            (*self.differing, *other.differing) if few else (),
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
    def deviation(self) -> float:
        """Standard deviation of the differences; NaN with fewer than two items."""
        return math.sqrt(self.moments.squares / (self.items - 1)) if self.items > 1 else math.nan


def score_columns(first: Target, second: Target) -> tuple[str, str] | None:
    """The statistics of both runs that are averaged, else those with item scores; None without scores."""
    one, other = first.measure, second.measure
    if isinstance(one.reduction, Mean) and isinstance(other.reduction, Mean):
        return one.reduction.column, other.reduction.column
    return None if one.item_score is None or other.item_score is None else (one.item_score, other.item_score)


def gains_of(first: Target, second: Target, units: Units) -> Gains | None:
    """Differences of item scores over the rows of `units`, repeats averaged first; None without scores."""
    columns = score_columns(first, second)
    if columns is None:
        return None
    if units.item is not None:
        both = zip((first, second), columns, strict=True)
        scores = [
            units.averaged(target.result.statistics.column(column)[units.mask]) for target, column in both
        ]
        return Gains.of(scores[0], scores[1])
    gains: Gains = first.result.statistics.total(
        gains_key(second, columns, units.mask),
        lambda: Gains.merged(
            block_gains(one, other, columns)
            for one, other in zip(first.blocks(units.mask), second.blocks(units.mask), strict=True)
        ),
    )
    return gains


def block_gains(first: Statistics, second: Statistics, columns: tuple[str, str]) -> Gains:
    """Differences of the items of one block."""
    one, other = (
        block[column].astype(np.float64, copy=False)
        for block, column in zip((first, second), columns, strict=True)
    )
    return Gains.of(one, other)


def gains_key(second: Target, columns: tuple[str, str], mask: npt.NDArray[np.bool_]) -> tuple[object, ...]:
    """Key of the differences to another run among the totals of the statistics of the first."""
    return "gains", second.result.statistics.identity, columns, mask_digest(mask)
