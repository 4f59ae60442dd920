"""Which items the runs of a leaderboard scored, and their values over the same items."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import Target, estimate
from thresher.kernels.inference.block_totals import prepare_totals
from thresher.kernels.inference.interval import Interval
from thresher.kernels.inference.many_systems import SystemScores, common_items
from thresher.reports.leaderboards.joined_items import JoinedItems
from thresher.reports.runs.grouping import Grouping

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Coverage:
    """Which items the runs scored.

    Attributes:
        scored: items x runs.
        items: mask of the items that any run scored; others say nothing about differences.
    """

    scored: Mask
    items: Mask

    @classmethod
    def of(cls, joined: JoinedItems, grouping: Grouping, measure: str) -> "Coverage":
        """Coverage of all runs; an item with repeats is scored if one of them is."""
        rows = np.stack([joined.target(run, measure).mask for run in range(len(joined.runs))], axis=1)
        if grouping.repeated is not None:
            size = int(grouping.repeated.max(initial=-1)) + 1
            rows = np.stack([np.bincount(grouping.repeated, column, size) > 0 for column in rows.T], axis=1)
        return cls(rows, np.asarray(rows.any(axis=1)))

    @property
    def total(self) -> int:
        """Number of items that any run scored."""
        return int(np.count_nonzero(self.items))

    def counts(self) -> list[int]:
        """Number of scored items of each run."""
        return [int(count) for count in self.scored.sum(axis=0)]

    def share(self, run: int) -> float:
        """Share of the items that a run scored."""
        return self.counts()[run] / max(1, self.total)


@dataclass(frozen=True, eq=False)
class FairScores:
    """One measure of the ranked runs over the items that all of them scored.

    Attributes:
        names: names of the runs.
        every: the measure of each run over its own scored items.
        lost: per run, mask of the items whose score exists in principle and is not known.
        targets: the measure of each run over the rows that count.
        scores: the same for comparisons of many systems.
        grouping: clusters and repeats of the joined items.
    """

    names: tuple[str, ...]
    every: tuple[Target, ...]
    lost: tuple[Mask, ...]
    targets: tuple[Target, ...]
    scores: SystemScores
    grouping: Grouping

    @classmethod
    def of(
        cls,
        joined: JoinedItems,
        grouping: Grouping,
        coverage: Coverage,
        measure: str,
        names: Mapping[str, int],
    ) -> "FairScores":
        """Values over the items that all runs scored.

        A run that fails on hard items has a better own mean: a run that lacks the hardest 15 % of 60 items
        came first in 92 % of simulated leaderboards of six equal runs, over common items in 14 %.

        Args:
            joined: the joined items.
            grouping: their clusters and repeats.
            coverage: which of them are scored.
            measure: the measure.
            names: name -> number in `joined` of the runs that have a rank.

        Raises:
            InputError: if the runs have no scored items in common.
        """
        rows = np.asarray(coverage.scored[:, list(names.values())].all(axis=1), dtype=np.bool_)
        if grouping.repeated is not None:
            rows = rows[grouping.repeated]
        every = tuple(joined.target(run, measure) for run in names.values())
        targets = tuple(target.over(rows) for target in every)
        scores = common_items(SystemScores.of(targets, tuple(names), **grouping.units))
        if scores.scores is None:  # not a mean: its value covers these rows only
            common = np.logical_and.reduce([target.mask for target in targets])
            targets = tuple(target.over(common) for target in targets)
        lost = tuple(joined.lost(run, measure) for run in names.values())
        return cls(tuple(names), every, lost, targets, scores, grouping)

    def intervals(self, level: float) -> list[Interval | None]:
        """The interval of each run's own value."""
        prepare_totals(self.targets)
        return [estimate(target, level=level, **self.grouping.units).interval for target in self.targets]
