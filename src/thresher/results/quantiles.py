"""Weighted quantiles as reductions."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thresher.results.reductions import Floats, Reduction, divide
from thresher.results.statistics import Statistics

_ROUNDING = 1e-9
"""Share of the total weight by which a sum of weights may miss a quantile's place because of rounding."""


@dataclass(frozen=True)
class Quantile(Reduction):
    """The weighted quantile of one statistic.

    It is the smallest value at or below which at least a share `level` of the weight lies, or the mean of it
    and the next value if the share is exactly `level`. So 0.5 is the usual median, and equal weights give
    numpy's `averaged_inverted_cdf`.

    Attributes:
        column: the statistic.
        level: the share, between 0 and 1.

    >>> Quantile("score", 0.5)(Statistics({"score": [1.0, 2.0, 4.0, 8.0]}), np.ones(4))
    3.0
    """

    kind: ClassVar[str] = "quantile"
    smooth: ClassVar[bool] = False
    by_share: ClassVar[bool] = False  # it moves to the next value, however far away others are
    column: str = "score"
    level: float = 0.5

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The quantile; NaN without weight."""
        return float(self.many(statistics, weights[None, :])[0])

    def with_value(self, statistics: Statistics, value: float) -> Statistics:
        """The values and one more."""
        return Statistics({self.column: np.append(statistics[self.column].astype(np.float64), value)})

    def many(self, statistics: Statistics, weights: Floats) -> Floats:
        """All rows of weights over values that are sorted once."""
        values = statistics[self.column].astype(np.float64)
        order = np.argsort(values, kind="stable")
        values, sums = values[order], np.cumsum(weights[:, order], axis=1)
        if not values.size:
            return np.full(len(weights), np.nan)
        total = sums[:, -1:]
        shares = divide(sums, np.broadcast_to(total, sums.shape))
        low = np.argmax(shares >= self.level - _ROUNDING, axis=1)
        high = np.argmax(shares > self.level + _ROUNDING, axis=1)
        high = np.where(high < low, low, high)  # no value lies above
        quantiles = (values[low] + values[high]) / 2
        return np.where(total[:, 0] > 0, quantiles, np.nan)
