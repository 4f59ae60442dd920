"""Scores that are computed from those of a metric, for one block of items at a time."""

from collections.abc import Callable, Collection, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from thresher.results import Measure, MetricResult, Statistics
from thresher.results.deferred_statistics import DeferredStatistics
from thresher.results.joint_blocks import joint_blocks

Floats = npt.NDArray[np.float64]
COLUMN = "score"


def derived_result(
    result: MetricResult, measure: str, derived: Measure, derive: Callable[[Floats], Floats]
) -> MetricResult:
    """Return the result of a measure of scores that are computed from those of another measure.

    Args:
        result: the result of the other measure.
        measure: its name; it scores items.
        derived: the measure of the computed scores, which reduces the statistic `COLUMN`.
        derive: returns the new scores of some items.
    """
    store = _DerivedScores(result.statistics, str(result.measure(measure).item_score), derive)
    statistics = DeferredStatistics(len(result), (), (), store, 0)
    return MetricResult([derived], statistics, result.status)


class _DerivedScores:
    """Computes the scores on each use; those of a run that is one block stay in memory."""

    streams = True

    def __init__(self, base: Statistics, column: str, derive: Callable[[Floats], Floats]) -> None:
        self._base, self._column, self._derive = base, column, derive
        self._whole: Statistics | None = None

    def load(self, number: int) -> Statistics:  # noqa: ARG002  # of the only result
        """The scores of all items."""
        whole = self._whole or self._derived(self._base.column(self._column))
        self._whole = None if self._base.divided else whole
        return whole

    def columns(
        self,
        number: int,
        names: Collection[str],
        *,
        keep: bool = True,  # noqa: ARG002
    ) -> dict[str, npt.NDArray[np.generic]]:
        """The scores of all items."""
        return {name: self.load(number)[name] for name in names}

    def blocks(
        self, columns: Mapping[int, Collection[str] | None]
    ) -> Iterator[tuple[slice, dict[int, Statistics]]]:
        """Yield the scores block by block."""
        for rows, blocks in joint_blocks([(self._base, [self._column])]):
            yield rows, dict.fromkeys(columns, self._derived(blocks[self._base.identity][self._column]))

    def _derived(self, scores: npt.NDArray[np.generic]) -> Statistics:
        return Statistics({COLUMN: self._derive(scores.astype(np.float64))})
