"""Measures of the scored items: values, breakdowns and scores."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.results.breakdown import Breakdown, Detail
from thresher.results.masks import both, value_key
from thresher.results.measure import Measure
from thresher.results.reductions import SumReduction
from thresher.results.short_names import known_name
from thresher.results.statistics import Statistics
from thresher.results.status import Status
from thresher.results.suggestions import suggest

Floats = npt.NDArray[np.float64]


class ScoredItems:
    """What a result computes from the statistics of its scored items.

    Attributes:
        measures: the reported quantities; the first is the headline.
        statistics: one row per item.
        status: one `Status` per item.
        breakdowns: tables, curves and the like.
    """

    __slots__ = ()
    measures: tuple[Measure, ...]
    statistics: Statistics
    status: npt.NDArray[np.uint8]
    breakdowns: tuple[Breakdown, ...]
    _by_name: Mapping[str, Measure]

    def __len__(self) -> int:
        return self.statistics.size

    @property
    def name(self) -> str:
        """Name of the headline measure."""
        return self.measures[0].name

    @property
    def score(self) -> float:
        """Value of the headline measure over the scored items; NaN if none is scored."""
        return self.value()

    @property
    def scored(self) -> npt.NDArray[np.bool_]:
        """Mask of the items that have a score."""
        if self.status.strides == (0,) and len(self):  # one status of all items
            return np.broadcast_to(self.status[0] == Status.SCORED, len(self))
        return np.asarray(self.status == Status.SCORED)

    def scored_in(self, rows: slice) -> npt.NDArray[np.bool_]:
        """Mask of the scored items among consecutive ones."""
        return (
            self.scored[rows]
            if self.status.strides == (0,)
            else np.asarray(self.status[rows] == Status.SCORED)
        )

    @property
    def n_scored(self) -> int:
        """Number of items that the value is based on."""
        if self.status.strides == (0,) and len(self):
            return len(self) if self.status[0] == Status.SCORED else 0
        return int(np.count_nonzero(self.scored))

    def measure(self, name: str | None = None) -> Measure:
        """The measure of that name; default: the headline.

        Raises:
            InputError: for an unknown name.
        """
        if name is None:
            return self.measures[0]
        name = known_name(name, self._by_name)
        if name not in self._by_name:
            near, known = suggest(name, self._by_name), ", ".join(self._by_name)
            raise InputError(f"no measure {name!r} here{near}; there are {known}")
        return self._by_name[name]

    def value(self, name: str | None = None, weights: npt.ArrayLike | None = None) -> float:
        """`reduce(statistics, weights)` over the scored items.

        Args:
            name: the measure; the headline by default.
            weights: one non-negative number per item (all items, scored or not), or a mask; ones by default.

        Raises:
            InputError: for an unknown name; for weights that are negative, not finite, or too few or many.
        """
        measure = self.measure(name)
        if not self.n_scored:
            return float("nan")
        if isinstance(measure.reduction, SumReduction) and measure.reduction.adds_blocks:
            return self._value_of_sums(measure.reduction, self._checked_weights(measure.name, weights))
        return measure.reduction(*self._counted(measure.name, weights))

    def _value_of_sums(self, reduction: SumReduction, weights: npt.NDArray[Any] | None) -> float:
        """A function of sums, with one block of items in memory at a time."""
        scored = self.scored

        def total() -> float:
            sums = (
                reduction.sums(
                    block, np.ones(block.size) if weights is None else _floats(weights[rows][inside])
                )
                for rows, inside, block in self.blocks_within(scored)
            )
            return float(reduction.of_sums(reduce(np.add, sums)))

        if weights is not None and weights.dtype != np.bool_:
            return total()
        items = scored if weights is None else both(scored, weights)
        return float(self.statistics.total(value_key(reduction, items), total))

    def blocks_within(
        self, mask: npt.NDArray[np.bool_]
    ) -> Iterator[tuple[slice, npt.NDArray[np.bool_], Statistics]]:
        """Yield the statistics of the items of a mask block by block.

        Yields:
            The positions of the block, the mask of these, and the statistics of those in the mask.
        """
        for rows, block in self.statistics.blocks():
            inside = mask[rows]
            yield rows, inside, block.where(inside)

    def detail(self, name: str | None = None, weights: npt.ArrayLike | None = None) -> Detail:
        """A breakdown over the scored items.

        Args:
            name: the breakdown; the first by default.
            weights: one non-negative number per item (all items, scored or not); ones by default.

        Raises:
            InputError: for an unknown name, a metric without breakdowns, or unusable weights.
        """
        by_name = {breakdown.name: breakdown for breakdown in self.breakdowns}
        name = next(iter(by_name), "") if name is None else name
        if name not in by_name:
            known = ", ".join(by_name) or "none"
            raise InputError(f"{self.name} has no breakdown {name!r}; there are: {known}")
        detail = by_name[name](*self._counted(name, weights))
        if "item" not in detail.columns:
            return detail
        # The breakdown saw the scored items only: translate its positions to those of all items.
        positions = np.flatnonzero(self.scored)[np.array(detail.columns["item"], dtype=np.int64)]
        return replace(detail, columns={**detail.columns, "item": positions.tolist()})

    def _counted(self, name: str, weights: npt.ArrayLike | None) -> tuple[Statistics, Floats]:
        """Statistics and weights of the scored items."""
        checked = self._checked_weights(name, weights)
        every = np.ones(len(self)) if checked is None else _floats(checked)
        scored = self.scored
        return self.statistics.where(scored), every if scored.all() else every[scored]

    def _checked_weights(self, name: str, weights: npt.ArrayLike | None) -> npt.NDArray[Any] | None:
        """Weights as numbers, or a mask; None for ones."""
        if weights is None:
            return None
        every = np.asarray(weights)
        if every.dtype.kind not in "biufO":
            raise InputError(f"{name}: weights are {every.dtype}; give numbers")
        if every.dtype != np.bool_:
            every = _floats(every)
        if every.shape != (len(self),):
            raise InputError(f"{name}: weights of shape {every.shape} for {counted(len(self), 'item')}")
        if every.dtype == np.bool_:
            return every
        if not (np.isfinite(every) & (every >= 0)).all():
            raise InputError(f"{name}: weights must be finite numbers of at least 0, one for each item")
        if len(every) and every.max() > np.finfo(np.float64).max / len(every):
            raise InputError(
                f"{name}: weights up to {every.max():g} have no finite sum; divide all by the largest"
            )
        return every

    def item_scores(self, name: str | None = None) -> Floats:
        """One score per item; NaN for unscored items, and for all if the measure has no item scores."""
        column = self.measure(name).item_score
        if column is None:
            return np.full(len(self), np.nan)
        return np.where(self.scored, self.statistics.column(column).astype(np.float64), np.nan)


def _floats(values: npt.NDArray[Any]) -> Floats:
    return values.astype(np.float64, copy=False)
