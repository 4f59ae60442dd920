"""Krippendorff's alpha in time that grows with the number of ratings, not with their distinct values."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference.agreement import Agreement
from thresher.kernels.inference.interval import LEVEL, SEED
from thresher.kernels.inference.jackknife import jackknife_groups, jackknife_spread
from thresher.kernels.inference.spread import FEWEST
from thresher.kernels.inference.units import codes_of

Floats = npt.NDArray[np.float64]
Metric = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(
    ratings: Sequence[Sequence[Hashable]],
    metric: Metric = "nominal",
    *,
    level: float = LEVEL,
    seed: int = SEED,
) -> Agreement:
    """Krippendorff's alpha for any number of raters and missing ratings.

    Formula: 1 - observed / expected disagreement. A squared distance summed over all pairs of n values is
        2 (n sum x^2 - (sum x)^2), so pairs are not enumerated; ordinal distances are those of mid-ranks.
    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.

    Args:
        ratings: per rater one rating per item; None or NaN if missing.
        metric: `nominal` (labels), `ordinal` (numbers whose order counts) or `interval` (numbers).
        level: nominal coverage.
        seed: seed of the jackknife's random groups.

    Raises:
        InputError: for unequal lengths, and for ordinal or interval ratings that are not numbers.

    >>> round(krippendorff_alpha([[1, 2, 3, 3], [1, 2, 3, 4]], "interval").value, 4)
    0.8889
    """
    pairable = _Ratings.of(ratings, metric)
    name = f"krippendorff_alpha_{metric}"
    if pairable.items < FEWEST:
        return Agreement(name, math.nan, None, math.nan, pairable.items)
    group, groups = jackknife_groups(pairable.items, seed)
    without = np.array([pairable.alpha(group != left_out) for left_out in range(groups)])
    spread = jackknife_spread(pairable.alpha(np.ones(pairable.items, np.bool_)), without)
    return Agreement.of(name, spread, pairable.items, level, "jackknife")


@dataclass(frozen=True, eq=False)
class _Ratings:
    """All ratings of items that were rated at least twice.

    Attributes:
        metric: the scale of the ratings.
        owner: item of each rating.
        code: rank of each rating's value among the distinct values.
        value: the ratings as numbers, centred; empty for labels.
        counts: ratings of each item.
    """

    metric: Metric
    owner: npt.NDArray[np.int64]
    code: npt.NDArray[np.int64]
    value: Floats
    counts: Floats

    @classmethod
    def of(cls, ratings: Sequence[Sequence[Any]], metric: Metric) -> Self:
        """Read ratings; items rated once are left out, as they carry no information about agreement."""
        if len({len(row) for row in ratings}) != 1:
            raise InputError("raters have different numbers of ratings; give one per item, None if missing")
        owner, values = _present(ratings, metric)
        counts = np.bincount(owner, minlength=len(ratings[0]))
        pairable = counts >= FEWEST
        counted = pairable[owner]
        renumbered = np.cumsum(pairable) - 1
        if metric == "nominal":
            code, numbers = codes_of(values)[0][counted], np.zeros(0)
        else:
            numbers = np.asarray(values, dtype=np.float64)[counted]
            code = np.unique(numbers, return_inverse=True)[1]
            numbers = numbers - (numbers.mean() if len(numbers) else 0.0)
        return cls(metric, renumbered[owner[counted]], code, numbers, counts[pairable].astype(np.float64))

    @property
    def items(self) -> int:
        """Number of items rated at least twice."""
        return len(self.counts)

    def alpha(self, counted: npt.NDArray[np.bool_]) -> float:
        """Alpha over a mask of the items; NaN if all ratings are the same."""
        weights = counted[self.owner].astype(np.float64)
        of_value = np.bincount(self.code, weights).astype(np.float64)
        ratings = float(of_value.sum())
        if self.metric == "nominal":
            within, among = self._same(), float(of_value @ of_value)
            disagreement, expected = self.counts**2 - within, ratings**2 - among
        else:
            x = self.value if self.metric == "interval" else _mid_ranks(of_value)[self.code]
            sums, squares = (np.bincount(self.owner, power, self.items) for power in (x, x * x))
            disagreement = 2 * (self.counts * squares - sums**2)
            total, total_square = float(weights @ x), float(weights @ (x * x))
            expected = 2 * (ratings * total_square - total**2)
        if not expected > 0:
            return math.nan
        observed = float((counted * disagreement / (self.counts - 1)).sum())
        return 1 - (ratings - 1) * observed / expected

    def _same(self) -> Floats:
        """Per item the number of ordered pairs of equal ratings, pairs of a rating with itself included."""
        width = int(self.code.max(initial=0)) + 1
        cells, times = np.unique(self.owner * width + self.code, return_counts=True)
        owners = cells // width
        return np.asarray(np.bincount(owners, times.astype(np.float64) ** 2, self.items), dtype=np.float64)


def _present(ratings: Sequence[Sequence[Any]], metric: Metric) -> tuple[npt.NDArray[np.int64], Any]:
    """Item and value of every rating that is not missing."""
    if metric == "nominal":
        pairs = [(item, rating) for row in ratings for item, rating in enumerate(row) if not _missing(rating)]
        return np.array([item for item, _ in pairs], dtype=np.int64), [rating for _, rating in pairs]
    try:
        matrix = np.array([np.asarray(row, dtype=np.float64) for row in ratings])
    except (TypeError, ValueError) as error:
        raise InputError(f"{metric} ratings are numbers; use the nominal metric for labels") from error
    present = ~np.isnan(matrix)
    return np.nonzero(present)[1].astype(np.int64), matrix[present]


def _missing(rating: Any) -> bool:
    return rating is None or (isinstance(rating, float) and math.isnan(rating))


def _mid_ranks(of_value: Floats) -> Floats:
    """Centred mid-ranks of the distinct values, from how often each occurs: ordinal distances."""
    ranks = np.cumsum(of_value) - of_value / 2
    return np.asarray(ranks - ranks.mean(), dtype=np.float64)
