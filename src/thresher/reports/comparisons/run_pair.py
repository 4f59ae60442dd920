"""Two runs, joined: what they share, how their settings differ, and each metric over the same items."""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference import Target
from thresher.kernels.inference.gains import gains_of
from thresher.kernels.inference.units import Units
from thresher.reports.comparisons.data_differences import other_data, same_answers, same_usage
from thresher.reports.comparisons.join import Join, is_every, join
from thresher.reports.runs.completeness import missing_scores
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
        if not is_every(joined.here, len(first)):
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

    @cached_property
    def same_answers(self) -> bool:
        """Whether both runs have the same answers to the same questions, so that nothing changed."""
        return not self.other_data and same_answers(self.first, self.second, self.joined)

    def unchanged(self, metric: str) -> bool:
        """Whether a metric shows that nothing changed.

        A judge may score the same answer twice differently; other metrics may not, unless they measure what the
        answers took. Of recorded scores it is unknown what gave them.

        Raises:
            InputError: for equal answers, settings and data that have different scores without a judge.
        """
        if not self.same_answers or self.other_settings(metric):
            return False
        if self.noise(metric) == 0 or self.is_judged(metric):
            return True
        if (
            self._same_usage
            and ("source", "recorded") not in self.first.metrics[metric].measure.signature.settings
        ):
            raise InputError(
                f"{metric} scores the same answers differently in {self.names[0]} and {self.names[1]}, with equal "
                "settings: the metric is random, or its code or that of a package changed; evaluate both runs again"
            )
        return False

    def is_judged(self, metric: str) -> bool:
        """Whether a model gave the scores."""
        return any(key == "prompts" for key, _ in self.first.metrics[metric].measure.signature.settings)

    def noise(self, metric: str) -> float:
        """Root mean square of the differences of the scores of equal answers; 0 if none differs."""
        first, second = self.targets(metric)
        if not np.array_equal(first.result.status, second.result.status):
            return math.inf
        gains = gains_of(first, second, Units.of(first.mask))
        if gains is None:
            values = [target.result.value(metric, target.mask) for target in (first, second)]
            return 0.0 if np.array_equal(values[0], values[1], equal_nan=True) else math.inf
        # Not around their mean: a judge that scores all answers higher differs, too.
        return math.sqrt(gains.moments.squares / gains.items + gains.moments.mean**2) if gains.differ else 0.0

    @cached_property
    def _same_usage(self) -> bool:
        return same_usage(self.first, self.second, self.joined)

    def other_settings(self, metric: str) -> str:
        """Return the settings in which a metric differs, with both values; empty if there are none."""
        return other_settings((self.first, self.second), self.names, metric)

    def targets(self, metric: str) -> tuple[Target, Target]:
        """Return one metric of both runs over the common items that both scored."""
        here, there = self.positions
        left = self._over(self.first.metrics[metric].result, here)
        right = self._over(self.second.metrics[metric].result, there)
        scored = both(left.scored, right.scored)
        return Target(left, metric, scored), Target(right, metric, scored)

    def lost(self, metric: str) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Per run, mask of the common items whose score exists in principle and is not known."""
        here, there = self.positions
        first, second = (missing_scores(run.metrics[metric].result) for run in (self.first, self.second))
        return first if here is None else first[here], second if there is None else second[there]

    @cached_property
    def positions(self) -> tuple[Codes | None, Codes | None]:
        """Positions of the common items in each run; None where they are all of its items, in its order."""
        joined = self.joined
        return (
            None if is_every(joined.here, len(self.first)) else joined.here,
            None if is_every(joined.there, len(self.second)) else joined.there,
        )

    def _over(self, result: MetricResult, positions: Codes | None) -> MetricResult:
        if positions is None:
            return result
        if id(result) not in self._taken:
            self._taken[id(result)] = taken_result(result, positions, self._stores)
        return self._taken[id(result)]


def other_settings(runs: tuple[RunData, RunData], names: tuple[str, str], metric: str) -> str:
    """Return the settings in which a metric of two runs differs, with both values; empty if there are none."""
    here, there = (run.metrics[metric].measure.signature for run in runs)
    return ", ".join(_difference(names, key, *pair) for key, pair in here.differences(there).items())


def _difference(names: tuple[str, str], key: str, old: str, new: str) -> str:
    if key == "prompts":
        old, new = _without_common(old, new), _without_common(new, old)
    for value, absent, name in ((old, new, names[0]), (new, old, names[1])):
        if absent == "-":
            return f"{key} {value} only in {name}"
    return f"{key} {new} instead of {old}"


def _without_common(prompts: str, others: str) -> str:
    """The prompts of a signature that another one does not have; all if it has them all."""
    common = others.split(",")
    return ",".join(prompt for prompt in prompts.split(",") if prompt not in common) or prompts
