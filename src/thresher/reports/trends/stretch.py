"""Runs of a series between two changes of data or settings: only these can be compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import Target, estimate
from thresher.kernels.inference.interval import IntervalEstimate
from thresher.kernels.inference.many_systems import SystemScores
from thresher.reports.leaderboards.entrants import difference
from thresher.reports.leaderboards.fair_scores import Coverage
from thresher.reports.leaderboards.joined_items import JoinedItems
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.repeats import repeated_scores
from thresher.reports.runs.run_data import RunData
from thresher.reports.trends.options import TrendOptions

Floats = npt.NDArray[np.float64]
Reason = tuple[str, tuple[str, ...]]
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
    def of(cls, runs: Mapping[str, RunData], why: Reason, measure: str, options: TrendOptions) -> Self:
        """Join the runs; those with fewer than half of the items are left out."""
        joined = JoinedItems.of(list(runs.values()))
        grouping = joined.grouping(options.cluster, options.repeats)
        coverage = Coverage.of(joined, grouping, measure)
        counts = dict(zip(runs, coverage.counts(), strict=True))
        short = {name: count for name, count in counts.items() if count < _FEWEST_ITEMS * coverage.total}
        if not short:
            return cls(tuple(runs), *why, measure, joined, grouping, coverage, {})
        rest = cls.of({name: run for name, run in runs.items() if name not in short}, why, measure, options)
        return replace(rest, left_out={**rest.left_out, **short})

    @cached_property
    def common(self) -> npt.NDArray[np.bool_]:
        """Mask of the items that all runs scored."""
        return np.asarray(self.coverage.scored.all(axis=1), dtype=np.bool_)

    @property
    def items(self) -> int:
        """Number of items that all runs scored."""
        return int(np.count_nonzero(self.common))

    @cached_property
    def targets(self) -> list[Target]:
        """The measure of each run over the common items."""
        rows = self.common if self.grouping.repeated is None else self.common[self.grouping.repeated]
        return [self.joined.target(place, self.measure).over(rows) for place in range(len(self.names))]

    def values(self, level: float) -> list[IntervalEstimate]:
        """The value of each run over the common items."""
        return [estimate(target, level=level, **self.grouping.units) for target in self.targets]

    @property
    def scores(self) -> SystemScores:
        """The measure of all runs, at least two."""
        return SystemScores.of(self.targets, self.names, **self.grouping.units)

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
        names = [str(key[0]) if isinstance(key, tuple) else str(key) for key in self.joined.keys]
        if self.grouping.repeated is None:
            return names
        firsts = np.unique(self.grouping.repeated, return_index=True)[1].tolist()
        return [names[first] for first in firsts]


def stretches(runs: Mapping[str, RunData], measure: str, options: TrendOptions) -> list[Stretch]:
    """Divide runs, the oldest first, wherever data or settings change."""
    groups: list[tuple[Reason, dict[str, RunData]]] = []
    for name, run in runs.items():
        why: Reason = ("", ())
        if groups:
            words, sentences = difference((next(iter(groups[-1][1])), name), runs, measure)
            why = (words, tuple(sentences))
        if not groups or why[0]:
            groups.append((why, {}))
        groups[-1][1][name] = run
    return [Stretch.of(members, why, measure, options) for why, members in groups]


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
