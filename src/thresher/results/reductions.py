"""Reductions: pure functions from statistics and weights to one number.

`reduction(statistics, weights)` is a metric's value. Weights hold one non-negative number per item; ones give
the value, a mask gives a slice, bootstrap counts give a draw. A reduction is a frozen dataclass with plain
fields and is stored with its statistics, so that reports can be computed from a stored run.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.results.labels import Codes, Label
from thresher.results.registry import Registry
from thresher.results.statistics import Statistics

Floats = npt.NDArray[np.float64]
_REGISTRY: Registry["Reduction"] = Registry("reduction")


class Reduction(ABC):
    """Base class; subclasses are frozen dataclasses and set `kind`.

    Attributes:
        kind: name in files.
        smooth: whether leaving out one item changes the value little, so that the jackknife estimates its
            standard error. False for values that jump; their standard errors come from the bootstrap.
        by_share: whether losing an item altogether changes the value by about its share of the items or
            objects, times the range. False for quantiles and points of curves.
    """

    kind: ClassVar[str]
    smooth: ClassVar[bool] = True
    by_share: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _REGISTRY.add(cls)

    @abstractmethod
    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The value under `weights` (one per item); NaN if the quantity is undefined."""

    @property
    def key(self) -> tuple[type, str]:
        """Identifies the reduction in caches, also one with fields that have no hash."""
        return type(self), repr(self)

    @property
    def lacks(self) -> str:
        """What the scored items lack where the value is NaN, as in "no true object of that size"."""
        return "nothing to measure"

    def lacking(self, statistics: Statistics) -> str:  # noqa: ARG002 (for those that say more)
        """The same for these statistics."""
        return self.lacks

    @property
    def fewest_objects(self) -> int:
        """Objects that a label needs for a value with an interval; 0 for any number."""
        return 0

    def item_reach(self, statistics: Statistics, weights: Floats, span: float) -> float:  # noqa: ARG002
        """How much the value changes per share of an item that is lost altogether: as a mean, by its span.

        More if the value is measured against what is expected by chance, or if an item counts twice.
        """
        return span

    def with_value(self, statistics: Statistics, value: float) -> Statistics | None:  # noqa: ARG002
        """The statistics with one more item of this value, for a quantile of values; None for others."""
        return None

    def many(self, statistics: Statistics, weights: Floats) -> Floats:
        """One value per row of `weights` (draws x items)."""
        return np.array([self(statistics, row) for row in weights], dtype=np.float64)

    def by_label(
        self,
        statistics: Statistics,  # noqa: ARG002  # for means over labels
        weights: Floats,  # noqa: ARG002
    ) -> tuple[Floats, Floats] | None:
        """For a mean over labels, each label's value and its number of objects (rows x labels).

        Intervals use them to leave room for labels with a handful of objects. None if the value is not such a
        mean; NaN for a label without a value.
        """
        return None

    def label_names(self, statistics: Statistics) -> Sequence[Label] | None:  # noqa: ARG002  # for means over labels
        """The labels of the columns of `by_label`, to report their values; None if they are not reported."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """Kind and fields as plain data."""
        return _REGISTRY.to_dict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> "Reduction":
        """The inverse of `to_dict`.

        Raises:
            InputError: if no imported module defines a reduction of that kind.
        """
        return _REGISTRY.from_dict(data)


class GroupedReduction(Reduction):
    """A function of sums over items, such as counts per label, that are too many to keep for each item.

    The jackknife adds them up once per group of items instead of once per group that is left out.
    """

    @abstractmethod
    def group_sums(self, statistics: Statistics, group: Codes, groups: int) -> Floats:
        """The sums over the items of each group (groups x sums).

        Args:
            statistics: of all items.
            group: the group of each item.
            groups: number of groups.
        """

    @abstractmethod
    def of_sums(self, statistics: Statistics, sums: Floats) -> float:
        """The value from the sums over all items that count; NaN if the quantity is undefined."""

    def labels_of_sums(self, statistics: Statistics, sums: Floats) -> tuple[Floats, Floats] | None:  # noqa: ARG002
        """The row of `by_label` from the sums; None as for `by_label`."""
        return None


class MeanOverLabels(Reduction):
    """The mean of the values of `by_label` over the labels that have one."""

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The mean; NaN if no label has a value."""
        return float(self.many(statistics, weights[None])[0])

    def many(self, statistics: Statistics, weights: Floats) -> Floats:
        """The mean for each row of weights."""
        labels = self.by_label(statistics, weights)
        return super().many(statistics, weights) if labels is None else mean_of_known(labels[0])

    def by_label_without(
        self,
        statistics: Statistics,  # noqa: ARG002  # for those that need no weights
        group: Codes,  # noqa: ARG002
        groups: int,  # noqa: ARG002
    ) -> tuple[Floats, Floats] | None:
        """`by_label` without the items of each group, in one pass; None where only weights give it.

        Args:
            statistics: of all items.
            group: the group of each item.
            groups: number of groups.
        """
        return None


class SumReduction(Reduction):
    """A function of weighted sums of statistics; all draws together cost one matrix product.

    Attributes:
        size_term: position of the term that says how much an item weighs, such as a denominator or the tokens
            of its reference; None if all items weigh the same.
    """

    size_term: ClassVar[int | None] = None

    @abstractmethod
    def terms(self, statistics: Statistics) -> Floats:
        """The summands: items x terms."""

    def term_columns(self, statistics: Statistics) -> Iterator[Floats]:
        """The columns of `terms`, one after the other where that needs less memory."""
        yield from self.terms(statistics).T

    @abstractmethod
    def of_sums(self, sums: Floats) -> Floats:
        """The value from the sums; the last axis holds the terms."""

    @property
    def reads(self) -> tuple[str, ...] | None:
        """Names of the statistics that it needs, so that others are not read; None for all."""
        return None

    @property
    def adds_blocks(self) -> bool:
        """Whether sums of blocks give the value; a subclass with its own `__call__` needs all items."""
        return type(self).__call__ is SumReduction.__call__

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The value from the sums of all items."""
        return float(self.of_sums(self.sums(statistics, weights)))

    def sums(self, statistics: Statistics, weights: Floats) -> Floats:
        """The weighted sum of each term."""
        return weighted_sums(self.term_columns(statistics), weights)

    def many(self, statistics: Statistics, weights: Floats) -> Floats:
        """One product for all rows of weights."""
        return self.of_sums(weights @ self.terms(statistics))


def weighted_sums(columns: Iterable[Floats], weights: Floats) -> Floats:
    """The weighted sum of each column; pairwise, because a dot product may lose the last digits."""
    return np.array([np.ascontiguousarray(column * weights).sum() for column in columns])


@dataclass(frozen=True)
class RatioOfSums(SumReduction):
    """A weighted combination of sums over another: pooled precision, recall, F1, error rates.

    Attributes:
        numerator: statistic and coefficient, summed over items.
        denominator: the same; 0/0 is NaN.

    >>> pooled_f1 = RatioOfSums((("overlap", 2.0),), (("predicted", 1.0), ("reference", 1.0)))
    >>> statistics = Statistics({"overlap": [1, 2], "predicted": [2, 2], "reference": [2, 2]})
    >>> pooled_f1(statistics, np.ones(2)), pooled_f1(statistics, np.array([0.0, 1.0]))
    (0.75, 1.0)
    """

    kind: ClassVar[str] = "ratio_of_sums"
    size_term: ClassVar[int | None] = 1
    numerator: tuple[tuple[str, float], ...]
    denominator: tuple[tuple[str, float], ...]

    @property
    def reads(self) -> tuple[str, ...]:
        """The statistics that are summed."""
        return tuple(name for name, _ in (*self.numerator, *self.denominator))

    def terms(self, statistics: Statistics) -> Floats:
        """Numerator and denominator of each item."""
        return np.stack(list(self.term_columns(statistics)), axis=1)

    def term_columns(self, statistics: Statistics) -> Iterator[Floats]:
        """Numerators, then denominators."""
        for side in (self.numerator, self.denominator):
            yield _combined(statistics, side)

    def of_sums(self, sums: Floats) -> Floats:
        """The quotient of both sums."""
        return divide(sums[..., 0], sums[..., 1])


@dataclass(frozen=True)
class Mean(SumReduction):
    """The weighted mean of one statistic.

    >>> Mean("score")(Statistics({"score": [0.0, 1.0, 1.0]}), np.ones(3)).__round__(3)
    0.667
    """

    kind: ClassVar[str] = "mean"
    column: str = "score"

    @property
    def reads(self) -> tuple[str, ...]:
        """The statistic."""
        return (self.column,)

    def terms(self, statistics: Statistics) -> Floats:
        """Each item's score, and a one that counts it."""
        return np.stack(list(self.term_columns(statistics)), axis=1)

    def term_columns(self, statistics: Statistics) -> Iterator[Floats]:
        """Scores, then ones."""
        yield statistics[self.column].astype(np.float64, copy=False)
        yield np.ones(statistics.size)

    def of_sums(self, sums: Floats) -> Floats:
        """The quotient of both sums."""
        return divide(sums[..., 0], sums[..., 1])


def divide(numerator: Floats, denominator: Floats) -> Floats:
    """Elementwise quotient; NaN wherever the denominator is zero, without a warning."""
    quotient = np.full(np.shape(denominator), np.nan)
    np.divide(numerator, denominator, out=quotient, where=np.asarray(denominator) != 0)
    return quotient


def mean_of_known(values: Floats) -> Floats:
    """The mean of each row without NaN; NaN for a row of NaN.

    >>> mean_of_known(np.array([[1.0, np.nan, 2.0], [np.nan] * 3])).tolist()
    [1.5, nan]
    """
    return divide(np.nansum(values, axis=-1), np.count_nonzero(~np.isnan(values), axis=-1).astype(np.float64))


def _combined(statistics: Statistics, side: tuple[tuple[str, float], ...]) -> Floats:
    total = np.zeros(statistics.size)
    for column, coefficient in side:
        total += coefficient * statistics[column]
    return total
