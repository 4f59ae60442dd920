"""A measure as a function of weights on independent units."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from hashlib import blake2b
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Units
from thresher.results import Label, Reduction, Statistics, SumReduction
from thresher.results.masks import mask_digest
from thresher.results.reductions import GroupedReduction, MeanOverLabels, mean_of_known

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.integer[Any]]
CELLS = 4_000_000
"""Weights in memory at once, 32 MB as 64-bit floats: memory does not grow with draws x items."""


class LabelValues(NamedTuple):
    """The values per label of a measure that is a mean over labels.

    Attributes:
        values: one per label; NaN for a label without a value.
        objects: number of objects behind each value.
        without: the values without each group of units (groups x labels).
        held: number of objects of each label in each group (groups x labels).
        labels: the labels; None if they are not reported.
    """

    values: Floats
    objects: Floats
    without: Floats
    held: Floats
    labels: Sequence[Label] | None

    @property
    def holds(self) -> npt.NDArray[np.bool_]:
        """Whether each group contains objects of each label (groups x labels)."""
        return self.held > 0


@dataclass(frozen=True, eq=False)
class SumStatistic:
    """A measure that is a function of sums over units.

    Attributes:
        reduction: computes the value from sums.
        make_rows: returns the sums of each unit (units x terms).
        make_parts: returns their sums over the units of each group (groups x terms), so that a long run needs
            one block of units in memory.
    """

    reduction: SumReduction
    make_rows: Callable[[], Floats]
    make_parts: Callable[[Codes, int], Floats]

    @classmethod
    def of(cls, reduction: SumReduction, rows: Floats) -> Self:
        """The statistic with these sums (units x terms)."""
        return cls(reduction, lambda: rows, partial(group_sums, [rows.T]))

    @cached_property
    def rows(self) -> Floats:
        """The sums of each unit (units x terms)."""
        return self.make_rows()

    def many(self, weights: Floats) -> Floats:
        """The value under each row of weights (draws x units)."""
        return np.asarray(self.reduction.of_sums(weights @ self.rows), dtype=np.float64)

    def leaving_out(self, group: Codes, groups: int) -> Floats:
        """The value without the units of each group."""
        sums = sums_without(self.make_parts(group, groups))
        return np.asarray(self.reduction.of_sums(sums), dtype=np.float64)

    def labels_leaving_out(self, group: Codes, groups: int) -> None:
        """None: a function of sums is not a mean over labels."""


@dataclass(frozen=True, eq=False)
class WeightStatistic:
    """A measure that is computed from weights on its rows.

    Attributes:
        reduction: the pure function of statistics and weights.
        statistics: of the rows that count.
        units: assigns those rows to units.
    """

    reduction: Reduction
    statistics: Statistics
    units: Units

    def many(self, weights: Floats) -> Floats:
        """The value under each row of weights (draws x units)."""
        block = max(1, CELLS // max(self.statistics.size, 1))
        starts = range(0, len(weights), block)
        spread_out = (self.units.spread_out(weights[start : start + block]) for start in starts)
        return np.concatenate([self.reduction.many(self.statistics, rows) for rows in spread_out])

    def leaving_out(self, group: Codes, groups: int) -> Floats:
        """The value without the units of each group.

        Cached with the statistics: the interval of a run and its comparison with another run leave out the
        same groups, and values that are not sums take most of the time of a report.
        """
        values: Floats = self.statistics.memo(
            self._key("leaving out", group), lambda: self._leaving_out(group, groups)
        )
        return values

    def _leaving_out(self, group: Codes, groups: int) -> Floats:
        if isinstance(self.reduction, GroupedReduction) and self.units.shares is None:
            of_sums = partial(self.reduction.of_sums, self.statistics)
            return np.array([of_sums(sums) for sums in self._sums_without(self.reduction, group, groups)])
        if isinstance(self.reduction, MeanOverLabels):
            labels = self.labels_leaving_out(group, groups)
            if labels is not None:
                return mean_of_known(labels.without)
        return np.concatenate([self.many(rows) for rows in self._remaining_weights(group, groups)])

    def labels_leaving_out(self, group: Codes, groups: int) -> LabelValues | None:
        """For a mean over labels, the labels' values without the units of each group; else None. Cached."""
        values: LabelValues | None = self.statistics.memo(
            self._key("labels leaving out", group), lambda: self._labels_leaving_out(group, groups)
        )
        return values

    def _labels_leaving_out(self, group: Codes, groups: int) -> LabelValues | None:
        whole = self.reduction.by_label(self.statistics, self.units.spread_out(np.ones((1, self.units.size))))
        if whole is None:
            return None
        parts = self._by_label_without(group, groups)
        without, remaining = (np.vstack(side) for side in zip(*filter(None, parts), strict=True))
        labels = self.reduction.label_names(self.statistics)
        return LabelValues(whole[0][0], whole[1][0], without, whole[1][0] - remaining, labels)

    def _by_label_without(self, group: Codes, groups: int) -> list[tuple[Floats, Floats] | None]:
        """The rows of `by_label` without the units of each group, in one or several parts."""
        if isinstance(self.reduction, GroupedReduction) and self.units.shares is None:
            of_sums = partial(self.reduction.labels_of_sums, self.statistics)
            return [of_sums(sums) for sums in self._sums_without(self.reduction, group, groups)]
        if isinstance(self.reduction, MeanOverLabels) and self.units.shares is None:
            parts = self.reduction.by_label_without(self.statistics, self._of_rows(group), groups)
            if parts is not None:
                return [parts]
        rows = self._remaining_weights(group, groups)
        return [self.reduction.by_label(self.statistics, self.units.spread_out(row)) for row in rows]

    def _sums_without(self, reduction: GroupedReduction, group: Codes, groups: int) -> Floats:
        """The sums of the reduction without the units of each group."""
        return sums_without(reduction.group_sums(self.statistics, self._of_rows(group), groups))

    def _of_rows(self, group: Codes) -> npt.NDArray[np.int64]:
        """The group of each row of the statistics."""
        member = self.units.member
        return (group if member is None else group[member]).astype(np.int64)

    def _key(self, what: str, group: Codes) -> tuple[object, ...]:
        return what, self.reduction, self.units.digest, blake2b(group.tobytes()).digest()

    def _remaining_weights(self, group: Codes, groups: int) -> Iterator[Floats]:
        """Yield weights of units (groups x units), 0 for those of the group; several groups at a time."""
        block = max(1, CELLS // max(self.statistics.size, 1))
        for start in range(0, groups, block):
            yield (np.arange(start, min(start + block, groups))[:, None] != group).astype(np.float64)


UnitStatistic = SumStatistic | WeightStatistic


def group_sums(blocks: Iterable[Iterable[Floats]], group: Codes, groups: int) -> Floats:
    """Sums of each column over the units of each group (groups x columns).

    Args:
        blocks: for consecutive units, their columns (one number per unit).
        group: group of each unit.
        groups: number of groups.

    >>> group_sums([[np.array([1.0, 2.0])], [np.array([4.0])]], np.array([0, 1, 1]), 2).tolist()
    [[1.0], [6.0]]
    """
    parts, start = [], 0
    for columns in blocks:
        sums, size = [], 0
        for column in columns:
            size = len(column)
            sums.append(np.bincount(group[start : start + size], column, groups))
        start += size
        parts.append(np.stack(sums, axis=1))
    return np.asarray(reduce(np.add, parts), dtype=np.float64)


def sums_without(parts: Floats) -> Floats:
    """Sums without each group from the sums of each group (groups x columns).

    >>> sums_without(np.array([[1.0], [6.0]])).tolist()
    [[6.0], [1.0]]
    """
    # Sum the remaining rows instead of subtracting from the total: a count that becomes 0 must be exactly 0.
    before, after = np.zeros(parts.shape), np.zeros(parts.shape)
    before[1:] = np.cumsum(parts[:-1], axis=0)
    after[:-1] = np.cumsum(parts[:0:-1], axis=0)[::-1]
    return before + after


def unit_statistic(target: Target, units: Units) -> UnitStatistic:
    """The target's measure over independent units."""
    reduction = target.measure.reduction
    if isinstance(reduction, SumReduction):
        if units.item is None and units.cluster is None:
            return SumStatistic(
                reduction,
                lambda: np.concatenate([reduction.terms(block) for block in target.blocks(units.mask)]),
                partial(_parts, target, reduction, units.mask),
            )
        return SumStatistic.of(reduction, units.summed(reduction.terms(_counted(target, units))))
    return WeightStatistic(reduction, _counted(target, units), units)


def _parts(
    target: Target, reduction: SumReduction, mask: npt.NDArray[np.bool_], group: Codes, groups: int
) -> Floats:
    """Sums over the counted items of each group."""
    parts: Floats = target.result.statistics.total(
        parts_key(reduction, mask, group),
        lambda: group_sums((reduction.term_columns(block) for block in target.blocks(mask)), group, groups),
    )
    return parts


def parts_key(reduction: SumReduction, mask: npt.NDArray[np.bool_], group: Codes) -> tuple[object, ...]:
    """Key of the sums of each group among the totals of the statistics."""
    return "groups", reduction.key, mask_digest(mask), blake2b(group.data).digest()


def _counted(target: Target, units: Units) -> Statistics:
    statistics = target.result.statistics
    return statistics if units.mask.all() else statistics.take(units.mask)
