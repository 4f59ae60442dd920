"""Runs of a series between two changes of data or settings: only these can be compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.kernels.inference import Target, estimate
from thresher.kernels.inference.interval import IntervalEstimate
from thresher.kernels.inference.many_systems import SystemScores, adjusted_means, value_intervals
from thresher.reports.leaderboards.entrants import difference
from thresher.reports.leaderboards.fair_scores import Coverage, Mask
from thresher.reports.leaderboards.joined_items import JoinedItems
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.repeats import repeated_scores
from thresher.reports.runs.run_data import RunData
from thresher.results import Mean

Floats = npt.NDArray[np.float64]
Reason = tuple[str, tuple[str, ...]]
Columns = tuple[str | None, str | None]
MOSTLY_SCORED = 0.9
"""Share of the items below which means over common items leave out too many scores."""
_FEWEST_ITEMS = 0.5
"""A run with fewer of the items, such as a trial run of five, would leave only these for all runs."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """Comparable runs, the oldest first.

    Attributes:
        names: their names.
        why: what changed before its first run, in two words; empty for the first stretch.
        differences: the same in sentences.
        measure: the measure.
        joined: items that more than half of the runs have.
        grouping: their clusters and repeats.
        coverage: which of them are scored.
        left_out: name of a run with too few items -> the number of items that it scored.
    """

    names: tuple[str, ...]
    why: str
    differences: tuple[str, ...]
    measure: str
    joined: JoinedItems
    grouping: Grouping
    coverage: Coverage
    left_out: Mapping[str, int]

    @classmethod
    def of(cls, runs: Mapping[str, RunData], why: Reason, measure: str, columns: Columns) -> Self:
        """Join the runs; those with fewer than half of the items are left out.

        Args:
            runs: name -> run.
            why: what changed before the first of them.
            measure: the measure.
            columns: columns of clusters and of repeats.
        """
        joined = JoinedItems.of(list(runs.values()))
        grouping = joined.grouping(*columns)
        coverage = Coverage.of(joined, grouping, measure)
        counts = dict(zip(runs, coverage.counts(), strict=True))
        short = {name: count for name, count in counts.items() if count < _FEWEST_ITEMS * coverage.total}
        if not short:
            return cls(tuple(runs), *why, measure, joined, grouping, coverage, {})
        rest = cls.of({name: run for name, run in runs.items() if name not in short}, why, measure, columns)
        return replace(rest, left_out={**rest.left_out, **short})

    @property
    def common(self) -> int:
        """Number of items that all runs scored."""
        return int(np.count_nonzero(self.coverage.scored.all(axis=1)))

    @cached_property
    def adjusted(self) -> bool:
        """Whether the values of runs account for the items that each lacks.

        Where runs now and then lack a score, the items that all runs scored vanish with the number of runs:
        of 1 % missing at random, 40 % are left after 90 runs.
        """
        mean = isinstance(self.joined.target(0, self.measure).measure.reduction, Mean)
        return mean and len(self.names) > 1 and self.common < MOSTLY_SCORED * self.coverage.total

    @cached_property
    def targets(self) -> list[Target]:
        """The measure of each run over the items that count."""
        common: Mask = np.asarray(self.coverage.scored.all(axis=1))
        rows = self.coverage.items if self.adjusted else common
        rows = rows if self.grouping.repeated is None else rows[self.grouping.repeated]
        return [self.joined.target(place, self.measure).over(rows) for place in range(len(self.names))]

    def values(self, level: float) -> list[IntervalEstimate]:
        """The value of each run."""
        if not self.adjusted:
            return [estimate(target, level=level, **self.grouping.units) for target in self.targets]
        scores = adjusted_means(SystemScores.of(self.targets, self.names, **self.grouping.units))
        rows = zip(scores.values, value_intervals(scores, level=level), self.coverage.counts(), strict=True)
        return [IntervalEstimate(float(value), interval, np.nan, items) for value, interval, items in rows]

    @property
    def notes(self) -> list[str]:
        """Which runs are left out, and what changed before the first."""
        total = counted(self.coverage.total, "item")
        lines = (
            f"{name} is left out: it scored only {count} of {total}." for name, count in self.left_out.items()
        )
        return [*lines, *(f"Not compared with earlier runs: {line}" for line in self.differences)]

    @property
    def items_note(self) -> list[str]:
        """Which items count, in a sentence; none if all runs scored all."""
        if self.common == self.coverage.total:
            return []
        items = f"{counted(self.common, 'item')} that all {counted(len(self.names), 'run')} scored"
        adjusted = f"Values account for missing scores: there are only {items}"
        return [f"{adjusted if self.adjusted else f'Values cover the {items}'}, of {self.coverage.total}."]

    @cached_property
    def item_scores(self) -> Floats | None:
        """Items x runs, NaN without a score; repeats are averaged. None if items have no scores."""
        if self.targets[0].measure.item_score is None:
            return None
        columns = [self._of_run(place) for place in range(len(self.names))]
        return np.stack(columns, axis=1)

    def _of_run(self, place: int) -> Floats:
        target = self.joined.target(place, self.measure)
        scores = np.where(target.mask, target.result.item_scores(self.measure), np.nan)
        if self.grouping.repeated is None:
            return scores
        table = repeated_scores(scores, self.grouping.repeated)
        known = np.isfinite(table)
        sums = np.where(known, table, 0.0).sum(axis=1)
        return np.where(known.any(axis=1), sums / np.maximum(known.sum(axis=1), 1), np.nan)

    @cached_property
    def item_names(self) -> list[str]:
        """Names of the rows of `item_scores`: ids, or questions; repeats have the name of the first."""
        names = self.joined.names
        if self.grouping.repeated is None:
            return names
        firsts = np.unique(self.grouping.repeated, return_index=True)[1].tolist()
        return [names[first] for first in firsts]


def stretches(runs: Mapping[str, RunData], measure: str, columns: Columns) -> list[Stretch]:
    """Divide runs, the oldest first, wherever data or settings change."""
    groups: list[tuple[Reason, dict[str, RunData]]] = []
    for name, run in runs.items():
        why: Reason = ("", ())
        if groups:
            words, sentences = difference((next(iter(groups[-1][1])), name), runs, measure, {})
            why = (words, tuple(sentences))
        if not groups or why[0]:
            groups.append((why, {}))
        groups[-1][1][name] = run
    return [Stretch.of(members, why, measure, columns) for why, members in groups]


def by_age(runs: Mapping[str, RunData]) -> dict[str, RunData]:
    """Runs by start time; in the given order if a run lacks its start time."""
    started = {name: str(run.provenance.get("started") or "") for name, run in runs.items()}
    if not all(started.values()):
        return dict(runs)
    return {name: runs[name] for name in sorted(runs, key=lambda name: started[name])}


def started_text(run: RunData) -> str:
    """Start time of a run, to the minute; empty if unknown."""
    return str(run.provenance.get("started") or "")[:16].replace("T", " ")


def names_of(runs: Sequence[str], most: int = 5) -> str:
    """A list of names, shortened."""
    more = f" and {len(runs) - most} more" if len(runs) > most else ""
    return ", ".join(runs[:most]) + more
