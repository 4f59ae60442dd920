"""Where the number comes from that stands against a bar."""

from dataclasses import dataclass

import numpy as np

from thresher.kernels.inference import Comparison, Interval, Target, compare, estimate
from thresher.reports.gates.requirement import Bar
from thresher.reports.runs.grouping import Grouping
from thresher.results import Mean, Measure, MetricResult, Signature, Statistics


@dataclass(frozen=True)
class Found:
    """A number with what it is based on.

    Attributes:
        value: what is compared with the bar: the run's number, or its difference to the baseline.
        interval: None where there is none.
        counted: items that the number is based on.
        own: the run's number.
        other: the baseline's number; None without.
        comparison: run and baseline, item by item; None for numbers of the run alone and for facts.
        fact: whether it is a fact about these items, which has no interval.
    """

    value: float
    interval: Interval | None
    counted: int
    own: float
    other: float | None = None
    comparison: Comparison | None = None
    fact: bool = False


@dataclass(frozen=True)
class Value:
    """A measure of the run."""

    target: Target
    grouping: Grouping

    def measured(self, level: float) -> Found:
        """The value with its interval."""
        told = estimate(self.target, level=level, **self.grouping.units)
        return Found(told.value, told.interval, told.items, told.value)


@dataclass(frozen=True)
class Difference:
    """A measure of the run minus the baseline's, item by item.

    Attributes:
        first: the baseline.
        second: the run.
        grouping: clusters and repeats of the items.
        margin: the difference that is tolerated; None for none.
    """

    first: Target
    second: Target
    grouping: Grouping
    margin: float | None = None

    def measured(self, level: float) -> Found:
        """The difference with its interval."""
        result = compare(self.first, self.second, level=level, margin=self.margin, **self.grouping.units)
        values = result.second_value, result.first_value, result
        return Found(result.difference, result.interval, result.items, *values)


@dataclass(frozen=True)
class Fact:
    """What is simply so on these items: their lowest score, how many have one."""

    own: float
    counted: int
    other: float | None = None

    def measured(self, level: float) -> Found:  # noqa: ARG002 (a fact has no level)
        """The number; the difference where there is a baseline."""
        value = self.own if self.other is None else self.own - self.other
        return Found(value, None, self.counted, self.own, self.other, fact=True)


Source = Value | Difference | Fact


def reaching(target: Target, bar: Bar) -> Target:
    """Whether each item reaches a bar, as a measure of its own: the share of the items that do."""
    result = target.result
    ahead = bar.reached(result.item_scores(target.name))
    name = f"share of items with {target.name}{bar}"
    measure = Measure(Signature.of(name, {}), Mean(), "score", "higher", (0.0, 1.0))
    statistics = Statistics({"score": ahead.astype(np.float64)})
    return Target(MetricResult([measure], statistics, result.status), name, target.counted)
