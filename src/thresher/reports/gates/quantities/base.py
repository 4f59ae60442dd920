"""The base of all kinds of quantities: each parses, measures and words itself, and ranks the items."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self, TypeVar

import numpy as np

from thresher.kernels.inference import Comparison, Interval, Target, compare, estimate
from thresher.reports.gates.context import GateContext
from thresher.reports.gates.grammar import Floats, Mask, RequirementReader, SliceSelector, Threshold
from thresher.reports.gates.outcome import WorstItem
from thresher.reports.runs.grouping import Grouping
from thresher.results import Measure

MOST_ITEMS = 5
"""Worst items that are listed."""


@dataclass(frozen=True)
class ScoredSample:
    """The scores that one quantity is computed from.

    Attributes:
        target: the metric of the run.
        items: mask of the items that the requirement covers, scored or not.
        grouping: clusters and repeats of the items.
        baseline: the metric of the baseline over the same items; None for the run alone.
        tolerance: how much worse than the baseline is accepted; None for nothing.
    """

    target: Target
    items: Mask
    grouping: Grouping
    baseline: Target | None = None
    tolerance: float | None = None


@dataclass(frozen=True)
class Measurement:
    """The number that is compared with a threshold, and what it is based on.

    Attributes:
        value: the run's value, or the run's minus the baseline's.
        interval: confidence interval of `value`; None if there is none.
        counted: items that the number is based on.
        run_value: the run's value.
        baseline_value: the baseline's value; None for the run alone.
        comparison: the paired comparison; None for the run alone, and for exact numbers.
        exact: whether the number describes just these items, so that it has no interval.
    """

    value: float
    interval: Interval | None
    counted: int
    run_value: float
    baseline_value: float | None = None
    comparison: Comparison | None = None
    exact: bool = False


@dataclass(frozen=True)
class Quantity(ABC):
    """A number derived from the scores of a metric, by default with a confidence interval.

    Attributes:
        metrics: names of the metrics.
        slice: the items that count; None for all.
    """

    metrics: tuple[str, ...]
    slice: SliceSelector | None = None

    keyword: ClassVar[str]
    """The word before the parentheses."""
    needs_item_scores: ClassVar[bool] = False
    """Whether the metric has to have a score per item."""
    covers_unscored: ClassVar[bool] = False
    """Whether items without a score count too."""
    advice: ClassVar[str] = ""
    """What to do if neither a loss nor a gain against the baseline is shown."""

    @classmethod
    def begins(cls, text: str) -> bool:
        """Return whether the text of a requirement begins with this kind."""
        return text.startswith(cls.keyword) and text.removeprefix(cls.keyword).lstrip().startswith("(")

    @classmethod
    def parse(cls, reader: RequirementReader) -> Self:
        """Read the quantity; by default `keyword(name [slice])`."""
        reader.expect(cls.keyword)
        reader.expect("(")
        quantity = cls((reader.name(),), reader.slice())
        reader.expect(")")
        return quantity

    def parse_threshold(self, reader: RequirementReader) -> Threshold:
        """Read the threshold, which follows the quantity."""
        return reader.threshold()

    def metric_names(self, context: GateContext) -> list[str]:
        """Return the full names of the metrics.

        Raises:
            InputError: for an unknown metric.
            UndecidableError: if these runs have no such metrics.
        """
        return [context.run.metric(name).name for name in self.metrics]

    def not_applicable(self, measure: Measure) -> str:
        """Return why the quantity cannot be computed for a measure; empty if it can."""
        return "has no scores per item" if self.needs_item_scores and measure.item_score is None else ""

    def threshold_for(self, metric: str, stated: Threshold, context: GateContext) -> Threshold:  # noqa: ARG002
        """Return the threshold of one metric; by default the stated one."""
        return stated

    def measure(self, sample: ScoredSample, level: float) -> Measurement:
        """Estimate the value, or compare it with the baseline's item by item.

        Args:
            sample: the scores.
            level: level of the interval, 0.5 to 1.
        """
        units = sample.grouping.units
        target = self.derived(sample.target)
        if sample.baseline is None:
            result = estimate(target, level=level, **units)
            return Measurement(result.value, result.interval, result.items, result.value)
        baseline = self.derived(sample.baseline)
        comparison = compare(baseline, target, level=level, margin=sample.tolerance, **units)
        values = comparison.second_value, comparison.first_value, comparison
        return Measurement(comparison.difference, comparison.interval, comparison.items, *values)

    def derived(self, target: Target) -> Target:
        """Return the measure that is estimated; by default the metric itself."""
        return target

    @abstractmethod
    def subject(self, metric: str) -> str:
        """Return what the number is called in a sentence, e.g. `lowest recall`."""

    def worst_items(
        self, metric: str, items: Mask, threshold: Threshold, context: GateContext
    ) -> tuple[WorstItem, ...]:
        """Return the items to inspect first; none if the metric has no scores per item.

        Args:
            metric: name of the metric.
            items: mask of the items that the requirement covers.
            threshold: the threshold that was not reached.
            context: the run and its baseline.
        """
        found = context.run.metrics[metric]
        if found.measure.item_score is None:
            return ()
        before = _baseline_scores(metric, context) if threshold.baseline else None
        ranks = self.item_ranks(found.scores, before, threshold)
        ranks = np.where(items & ~np.isnan(ranks), ranks, np.inf)
        order = np.argsort(ranks, kind="stable")[:MOST_ITEMS]
        return tuple(
            WorstItem(
                context.run.ids[item],
                float(found.scores[item]),
                None if before is None else float(before[item]),
            )
            for item in order.tolist()
            if np.isfinite(ranks[item])
        )

    def item_ranks(self, scores: Floats, before: Floats | None, threshold: Threshold) -> Floats:
        """Return a number per item, lowest for the worst one; NaN for items that are not bad.

        Args:
            scores: scores of the run; NaN for unscored items.
            before: scores of the baseline; None for the run alone.
            threshold: the threshold that was not reached.
        """
        sign = 1.0 if threshold.upwards else -1.0
        if before is None:
            return sign * scores
        change = scores - before
        return np.where(threshold.reached(change), np.nan, sign * change)


@dataclass(frozen=True)
class ExactQuantity(Quantity):
    """A fact about just these items, such as their lowest score. It has no interval."""

    @abstractmethod
    def number(self, target: Target, items: Mask) -> float:
        """Return the number.

        Args:
            target: the metric of one run.
            items: mask of the items that the requirement covers, scored or not.
        """

    def measure(self, sample: ScoredSample, level: float) -> Measurement:  # noqa: ARG002 (no interval)
        """Compute the number of the run, and its difference to the baseline's."""
        own = self.number(sample.target, sample.items)
        items = int(np.count_nonzero(sample.items if self.covers_unscored else sample.target.mask))
        if sample.baseline is None:
            return Measurement(own, None, items, own, exact=True)
        other = self.number(sample.baseline, sample.items)
        return Measurement(own - other, None, items, own, other, exact=True)


KINDS: list[type[Quantity]] = []
"""Registered kinds, in the order of registration."""
Kind = TypeVar("Kind", bound=type[Quantity])


def register(kind: Kind) -> Kind:
    """Make a kind of quantity known to the parser."""
    KINDS.append(kind)
    return kind


def _baseline_scores(metric: str, context: GateContext) -> Floats:
    """The baseline's score of each item of the run; NaN if it has none."""
    before = np.full(len(context.run), np.nan)
    if context.baseline is not None:
        joined = context.pair.joined
        scores = context.baseline.metrics[metric].scores
        before[list(joined.second)] = scores[list(joined.first)]
    return before
