"""Two runs, joined: what they share, how their settings differ, and each metric over the same items."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np

from thresher.kernels.inference import Target
from thresher.reports.comparisons.data_differences import other_data
from thresher.reports.comparisons.join import Join, join
from thresher.reports.runs.grouping import Codes, Grouping
from thresher.reports.runs.run_data import RunData
from thresher.results import MetricResult
from thresher.results.masks import both
from thresher.results.taken_statistics import TakenStatistics, taken_result


@dataclass(frozen=True, eq=False)
class RunPair:
    """Two runs over the items that both have.

    Attributes:
        first: the baseline.
        second: the run that is compared with it.
        names: distinct names of the runs.
        joined: their common items.
        grouping: clusters and repeats of the common items.
        metrics: names of the requested metrics; None for all.
    """

    first: RunData
    second: RunData
    names: tuple[str, str]
    joined: Join
    grouping: Grouping
    metrics: tuple[str, ...] | None = None
    _taken: dict[int, MetricResult] = field(default_factory=dict)
    _stores: dict[object, TakenStatistics] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        first: RunData,
        second: RunData,
        names: tuple[str, str],
        *,
        cluster: str | None = None,
        repeats: str | None = None,
        metrics: tuple[str, ...] | None = None,
    ) -> Self:
        """Join two runs; clusters and repeats are read from the first.

        Raises:
            InputError: if they have no items in common, or a column cannot be used.
        """
        joined = join(first, second)
        grouping = Grouping.of(first, cluster, repeats)
        if not _whole(joined.first, first):
            grouping = grouping.take(joined.here)
        return cls(first, second, names, joined, grouping, metrics)

    @property
    def shared(self) -> list[str]:
        """The requested metrics that both runs have."""
        return [metric for metric in self.requested(self.first) if metric in self.second.metrics]

    def requested(self, run: RunData) -> list[str]:
        """Return the requested metrics that a run has, in the order of the request."""
        names = run.metrics if self.metrics is None else self.metrics
        return [metric for metric in names if metric in run.metrics]

    @cached_property
    def other_data(self) -> list[str]:
        """One sentence per column of the task that differs between the runs."""
        return other_data(self.first, self.second, self.joined, self.names)

    def other_settings(self, metric: str) -> str:
        """Return the settings in which a metric differs, with both values; empty if there are none."""
        here, there = (run.metrics[metric].measure.signature for run in (self.first, self.second))
        return ", ".join(self._difference(key, *pair) for key, pair in here.differences(there).items())

    def targets(self, metric: str) -> tuple[Target, Target]:
        """Return one metric of both runs over the common items that both scored."""
        here, there = self.positions
        left = self._over(self.first.metrics[metric].result, here)
        right = self._over(self.second.metrics[metric].result, there)
        scored = both(left.scored, right.scored)
        return Target(left, metric, scored), Target(right, metric, scored)

    def _difference(self, key: str, old: str, new: str) -> str:
        if key == "prompts":
            old, new = _without_common(old, new), _without_common(new, old)
        for value, absent, name in ((old, new, self.names[0]), (new, old, self.names[1])):
            if absent == "-":
                return f"{key} {value} only in {name}"
        return f"{key} {new} instead of {old}"

    @cached_property
    def positions(self) -> tuple[Codes | None, Codes | None]:
        """Positions of the common items in each run; None where they are all of its items, in its order."""
        joined = self.joined
        return (
            None if _whole(joined.first, self.first) else joined.here,
            None if _whole(joined.second, self.second) else joined.there,
        )

    def _over(self, result: MetricResult, positions: Codes | None) -> MetricResult:
        if positions is None:
            return result
        if id(result) not in self._taken:
            self._taken[id(result)] = taken_result(result, positions, self._stores)
        return self._taken[id(result)]


def _without_common(prompts: str, others: str) -> str:
    """The prompts of a signature that another one does not have; all if it has them all."""
    common = others.split(",")
    return ",".join(prompt for prompt in prompts.split(",") if prompt not in common) or prompts


def _whole(items: Sequence[int] | Codes, run: RunData) -> bool:
    """Whether positions are those of all items, in their order."""
    if isinstance(items, range):
        return items == range(len(run))
    return len(items) == len(run) and bool((np.asarray(items) == np.arange(len(run))).all())
