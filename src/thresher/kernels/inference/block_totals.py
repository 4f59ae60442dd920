"""Sums, moments and differences of stored runs, computed for many measures in one reading of their parts."""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.evidence import moments_key
from thresher.kernels.inference.gains import Gains, block_gains, gains_key, score_columns
from thresher.kernels.inference.interval import SEED
from thresher.kernels.inference.jackknife import jackknife_groups
from thresher.kernels.inference.moments import Moments
from thresher.kernels.inference.statistic import group_sums, parts_key
from thresher.kernels.inference.target import Target
from thresher.results import Mean, Statistics, SumReduction
from thresher.results.deferred_statistics import DeferredStatistics
from thresher.results.joint_blocks import Blocks, joint_blocks
from thresher.results.masks import both, value_key
from thresher.results.reductions import weighted_sums

Floats = npt.NDArray[np.float64]
Pair = tuple[Target, Target]


def prepare_totals(targets: Iterable[Target], pairs: Iterable[Pair] = ()) -> None:
    """Let the first total of stored runs compute those of all these measures, in one reading.

    Args:
        targets: measures whose values and intervals are needed.
        pairs: one measure of two runs over the same items in the same order, which are compared.
    """
    compared = [pair for pair in pairs if all(map(_is_streamed, pair))]
    single = [
        target for target in [*targets, *(one for pair in compared for one in pair)] if _is_streamed(target)
    ]

    def compute() -> None:
        _compute(single, compared)
        single.clear()  # masks of all items need not stay
        compared.clear()

    for target in single:
        if isinstance(target.result.statistics, DeferredStatistics):
            target.result.statistics.prepare_totals(compute)


def _is_streamed(target: Target) -> bool:
    statistics = target.result.statistics
    return isinstance(statistics, DeferredStatistics) and statistics.divided


def _compute(targets: Sequence[Target], pairs: Sequence[Pair]) -> None:
    folds: dict[tuple[Any, ...], _Fold] = {}
    for target in targets:
        if isinstance(target.measure.reduction, SumReduction) and target.mask.any():
            single = _MeasureTotals(target)
            folds.setdefault(single.key, single)
    for pair in pairs:
        if score_columns(*pair) is not None:
            paired = _PairTotals(*pair)
            folds.setdefault(paired.key, paired)
    for size in dict.fromkeys(fold.statistics[0].size for fold in folds.values()):
        for together in _readings([fold for fold in folds.values() if fold.statistics[0].size == size]):
            needed = (zip(fold.statistics, fold.columns, strict=True) for fold in together)
            for rows, blocks in joint_blocks(list(chain.from_iterable(needed))):
                for fold in together:
                    fold.add(rows, blocks)
            for fold in together:
                fold.finish()


def _readings(folds: "list[_Fold]") -> "Iterable[list[_Fold]]":
    """The folds of each reading: all, or those of one result where its whole columns are in memory meanwhile."""
    every = [statistics for fold in folds for statistics in fold.statistics]
    if all(one.store.streams for one in every if isinstance(one, DeferredStatistics)):
        return [folds]
    others = {id(fold.statistics[0]): id(fold.statistics[-1]) for fold in folds if len(fold.statistics) > 1}
    by_result: dict[int, list[_Fold]] = {}
    for fold in folds:
        own = id(fold.statistics[-1])
        by_result.setdefault(others.get(own, own), []).append(fold)
    return by_result.values()


class _Fold(Protocol):
    """What is computed block by block."""

    @property
    def statistics(self) -> Sequence[Statistics]:
        """The statistics that it reads."""

    @property
    def columns(self) -> Sequence[Collection[str] | None]:
        """For each of them the columns that are needed; None for all."""

    def add(self, rows: slice, blocks: Blocks) -> None:
        """Add the items of a block."""

    def finish(self) -> None:
        """Store the totals with the statistics."""


class _MeasureTotals:
    """Sums, and moments or sums of each jackknife group, of one measure over some of its scored items."""

    def __init__(self, target: Target) -> None:
        reduction = target.measure.reduction
        if not isinstance(reduction, SumReduction):
            raise TypeError(f"{target.name} is not a function of sums")
        self.statistics, self.columns = [target.result.statistics], [reduction.reads]
        self._reduction = reduction
        self._target, self._mask = target, target.mask
        self._all_scored = target.result.n_scored == len(target.result)
        items = int(np.count_nonzero(self._mask))
        self.key = (id(self.statistics[0]), value_key(reduction, target.mask))
        self._group, self._groups = jackknife_groups(0 if isinstance(reduction, Mean) else items, SEED)
        self._start = 0
        self._sums: list[Floats] = []
        self._parts: list[Floats] = []
        self._moments = Moments()

    def add(self, rows: slice, blocks: Blocks) -> None:
        """Add the items of a block."""
        scored, weights = blocks[self.statistics[0].identity], self._mask[rows]
        if not self._all_scored:
            inside = self._target.result.scored_in(rows)
            scored, weights = scored.where(inside), weights[inside]
        columns = scored.memo(
            ("terms", self._reduction.key), lambda: list(self._reduction.term_columns(scored))
        )
        self._sums = _added(self._sums, weighted_sums(columns, weights.astype(np.float64)))
        counted = columns if weights.all() else [column[weights] for column in columns]
        if isinstance(self._reduction, Mean):
            self._moments = self._moments.merge(Moments.of(counted[0]))
            return
        members = self._group[self._start : self._start + len(counted[0])]
        self._start += len(members)
        self._parts = _added(self._parts, group_sums([counted], members, self._groups))

    def finish(self) -> None:
        """Store the totals with the statistics."""
        statistics, reduction, mask = self.statistics[0], self._reduction, self._target.mask
        value = float(reduction.of_sums(self._sums[0]))
        statistics.add_total(value_key(reduction, mask), value)
        if isinstance(reduction, Mean):
            statistics.add_total(moments_key(reduction, mask), self._moments)
        else:
            statistics.add_total(parts_key(reduction, mask, self._group), self._parts[0])


class _PairTotals:
    """Differences of the item scores of two runs."""

    def __init__(self, first: Target, second: Target) -> None:
        self.statistics = [first.result.statistics, second.result.statistics]
        self._columns = score_columns(first, second) or ("", "")
        self.columns = [[column] for column in self._columns]
        self._targets = first, second
        self.key = (id(self.statistics[0]), gains_key(second, self._columns, both(first.mask, second.mask)))
        self._gains = Gains()

    def add(self, rows: slice, blocks: Blocks) -> None:
        """Add the items of a block."""
        inside = self._targets[0].mask_in(rows) & self._targets[1].mask_in(rows)
        first, second = (blocks[statistics.identity].where(inside) for statistics in self.statistics)
        self._gains = self._gains.merge(block_gains(first, second, self._columns))

    def finish(self) -> None:
        """Store the differences with the statistics of the first run."""
        self.statistics[0].add_total(self.key[1], self._gains)


def _added(sums: list[Floats], more: Floats) -> list[Floats]:
    return [sums[0] + more] if sums else [more]
