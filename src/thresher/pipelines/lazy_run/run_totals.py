"""Sums and moments of all metrics of a stored run, computed in one reading of its parts."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.estimate import moments_key
from thresher.kernels.inference.interval import SEED
from thresher.kernels.inference.jackknife import jackknife_groups
from thresher.kernels.inference.moments import Moments
from thresher.kernels.inference.statistic import group_sums, parts_key
from thresher.pipelines.lazy_run.stored_statistics import StoredStatistics
from thresher.results import Mean, MetricResult, Statistics, SumReduction
from thresher.results.deferred_statistics import DeferredStatistics
from thresher.results.metric_result import value_key


def prepare_totals(results: Sequence[MetricResult], stored: StoredStatistics) -> None:
    """Let the first value or interval of a run compute those of all metrics."""
    for result in results:
        if isinstance(result.statistics, DeferredStatistics):
            result.statistics.prepare_totals(lambda: _compute(results, stored))


def _compute(results: Sequence[MetricResult], stored: StoredStatistics) -> None:
    folds = [_ResultTotals(result) for result in results]
    numbers = [number for number, fold in enumerate(folds) if fold.measures]
    for rows, blocks in stored.blocks(numbers):
        for number, block in blocks.items():
            folds[number].add(rows, block)
    for fold in folds:
        fold.finish()


class _ResultTotals:
    """The totals of the measures of one result over its scored items."""

    def __init__(self, result: MetricResult) -> None:
        self._result = result
        self._scored = result.scored
        reductions = {measure.reduction: None for measure in result.measures}
        self.measures = [_Totals(each) for each in reductions if isinstance(each, SumReduction)]
        self._group, self._groups = _cached_groups(result.n_scored)
        self._start = 0

    def add(self, rows: slice, block: Statistics) -> None:
        """Add the items of a block."""
        inside = self._scored[rows]
        counted = block if inside.all() else block.take(inside)
        members = self._group[self._start : self._start + counted.size]
        self._start += counted.size
        for totals in self.measures:
            totals.add(counted, members, self._groups)

    def finish(self) -> None:
        """Store the totals with the statistics."""
        statistics = self._result.statistics
        if not isinstance(statistics, DeferredStatistics) or not self._result.n_scored:
            return
        for totals in self.measures:
            for key, total in totals.entries(self._scored, self._group):
                statistics.add_total(key, total)


class _Totals:
    """Sums, and moments or sums of each jackknife group, of one reduction."""

    def __init__(self, reduction: SumReduction) -> None:
        self._reduction = reduction
        self._sums: npt.NDArray[np.float64] | None = None
        self._parts: npt.NDArray[np.float64] | None = None
        self._moments = Moments()

    def add(self, counted: Statistics, members: npt.NDArray[Any], groups: int) -> None:
        """Add the counted items of a block."""
        sums = self._reduction.sums(counted, np.ones(counted.size))
        self._sums = sums if self._sums is None else self._sums + sums
        if isinstance(self._reduction, Mean):
            scores = counted[self._reduction.column].astype(np.float64, copy=False)
            self._moments = self._moments.merge(Moments.of(scores))
            return
        parts = group_sums([self._reduction.term_columns(counted)], members, groups)
        self._parts = parts if self._parts is None else self._parts + parts

    def entries(self, scored: npt.NDArray[np.bool_], group: npt.NDArray[Any]) -> list[tuple[Any, Any]]:
        """The totals and their keys."""
        value = float(self._reduction.of_sums(np.asarray(self._sums)))
        entries: list[tuple[Any, Any]] = [(value_key(self._reduction, scored), value)]
        if isinstance(self._reduction, Mean):
            return [*entries, (moments_key(self._reduction, scored), self._moments)]
        return [*entries, (parts_key(self._reduction, scored, group), self._parts)]


@lru_cache(maxsize=1)
def _cached_groups(items: int) -> tuple[npt.NDArray[Any], int]:
    return jackknife_groups(items, SEED)
