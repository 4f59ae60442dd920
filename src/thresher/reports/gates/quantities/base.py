"""The base of all kinds of quantities: each parses, measures and words itself, and ranks the items."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import Comparison, Interval, Target, compare, estimate
from thresher.kernels.inference.missing import can_fill, filled
from thresher.reports.gates.context import GateContext
from thresher.reports.gates.decision import WorstItem
from thresher.reports.gates.grammar import Floats, Mask, RequirementReader, SliceSelector, Threshold
from thresher.reports.runs.grouping import Grouping
from thresher.reports.scores.score_blocks import score_blocks
from thresher.results import Measure

Int64s = npt.NDArray[np.int64]
MOST_ITEMS = 5
"""Worst items that are listed."""


BASELINE = "baseline"
"""Family of all comparisons with the baseline."""


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
        decides: whether there are enough items for a decision by the interval.
        worst: the interval if all missing scores are bad for the run, as far as they can be bounded.
        lost: number of items that lack a score.
    """

    value: float
    interval: Interval | None
    counted: int
    run_value: float
    baseline_value: float | None = None
    comparison: Comparison | None = None
    exact: bool = False
    decides: bool = True
    worst: Interval | None = None
    lost: int = 0

    def undone_by_missing(self, threshold: Threshold) -> bool:
        """Whether the interval passes, and would not if all missing scores were bad."""
        if self.interval is None or self.worst is None or not self.decides:
            return False
        return threshold.reached_by_all(self.interval) and not threshold.reached_by_all(self.worst)


@dataclass(frozen=True)
class Check:
    """One number to be compared with one threshold.

    Attributes:
        requirement: the requirement as it was written.
        quantity: the quantity.
        metric: name of the metric.
        part: name of the slice; empty for all items.
        threshold: the threshold of this metric.
        items: mask of the run's items that are covered, scored or not.
        grouping: clusters and repeats of the items of `target`.
        target: the metric of the run: over all its items, or over those in common with the baseline.
        baseline: the metric of the baseline over the same items; None for the run alone.
        covered: `items` as a mask of the items of `target`.
        chosen_on: mask of the items of `target` that a threshold is chosen on, outside of `covered`; None
            if the quantity chooses none, or chooses on a part of the covered items.
        undecidable: why there is no number to compare; empty if there is one.
        unchanged: whether run and baseline have the same answers.
        lost: masks of the covered items whose score exists and is not known, of the baseline first.
    """

    requirement: str
    quantity: "Quantity"
    metric: str
    part: str
    threshold: Threshold
    items: Mask
    grouping: Grouping
    target: Target
    baseline: Target | None
    covered: Mask
    chosen_on: Mask | None = None
    undecidable: str = ""
    unchanged: bool = False
    lost: tuple[Mask, ...] = ()

    @property
    def subject(self) -> str:
        """What is compared with the threshold, in words."""
        return self.quantity.wording_for(self.metric) + (f" where {self.part}" if self.part else "")

    @property
    def family(self) -> str | None:
        """Checks with the same family are corrected for each other; None for a single test."""
        if self.threshold.baseline:
            return BASELINE
        part = self.quantity.slice
        return self.requirement if part is not None and part.by is not None else None

    def measure(self, level: float) -> Measurement:
        """Measure the number, with an interval of this level."""
        return self.quantity.measure(self, level)


@dataclass(frozen=True)
class Quantity:
    """A number derived from the scores of a metric, by default with a confidence interval.

    Attributes:
        metrics: names of the metrics.
        slice: the items that count; None for all.
    """

    metrics: tuple[str, ...]
    slice: SliceSelector | None = None

    keyword: ClassVar[str] = ""
    """The word before the parentheses."""
    wording: ClassVar[str] = "{}"
    """What a sentence calls the number; `{}` is the metric's name."""
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

    def bounds(self, measure: Measure) -> tuple[float, float]:
        """Return the smallest and the largest possible number; by default those of the measure."""
        return measure.bounds

    def chosen_on(self, context: GateContext) -> Mask | None:  # noqa: ARG002
        """Return the items of the run that a threshold is chosen on, which do not count; by default none."""
        return None

    def threshold_for(self, metric: str, stated: Threshold, context: GateContext) -> Threshold:  # noqa: ARG002
        """Return the threshold of one metric; by default the stated one."""
        return stated

    def measure(self, check: Check, level: float) -> Measurement:
        """Estimate the value, or compare it with the baseline's item by item."""
        units = check.grouping.units
        target = self.derived(check.target)
        lost = int(np.count_nonzero(np.any(check.lost, axis=0))) if check.lost else 0
        fills, good = lost > 0 and can_fill(target), check.threshold.upwards
        if check.baseline is None:
            result = estimate(target, level=level, **units)
            worst = (
                estimate(filled(target, check.lost[0], good=not good), level=level, **units)
                if fills
                else result
            )
            return Measurement(
                result.value,
                result.interval,
                result.items,
                result.value,
                decides=result.decides,
                worst=worst.interval,
                lost=lost,
            )
        baseline, margin = self.derived(check.baseline), check.threshold.tolerance or None
        comparison = replace(
            compare(baseline, target, level=level, margin=margin, **units), unchanged=check.unchanged
        )
        worst_interval = comparison.interval
        if fills:
            sides = filled(baseline, check.lost[0], good=good), filled(target, check.lost[1], good=not good)
            worst_interval = compare(*sides, level=level, margin=margin, **units).interval
        values = comparison.second_value, comparison.first_value, comparison
        return Measurement(
            comparison.difference,
            comparison.interval,
            comparison.items,
            *values,
            decides=not comparison.undecided,
            worst=worst_interval,
            lost=lost,
        )

    def derived(self, target: Target) -> Target:
        """Return the measure that is estimated; by default the metric itself."""
        return target

    def wording_for(self, metric: str) -> str:
        """Return what a sentence calls the number, e.g. `lowest recall`."""
        return self.wording.format(metric)

    def worst_items(self, check: Check, context: GateContext) -> tuple[WorstItem, ...]:
        """Return the items to inspect first; none if the metric has no scores per item."""
        run = context.run
        if run.metrics[check.metric].measure.item_score is None:
            return ()
        worst: list[tuple[float, int, float, float | None]] = []
        for items, scores, before in _score_blocks(check, context):
            ranks = self.item_ranks(scores, before, check.threshold)
            ranks = np.where(check.items[items], ranks, np.nan)
            rows = np.flatnonzero(np.isfinite(ranks))
            rows = rows[np.lexsort((items[rows], ranks[rows]))[:MOST_ITEMS]]
            old = [None] * len(rows) if before is None else before[rows].tolist()
            worst += zip(ranks[rows].tolist(), items[rows].tolist(), scores[rows].tolist(), old, strict=True)
            worst = sorted(worst, key=lambda entry: entry[:2])[:MOST_ITEMS]
        return tuple(WorstItem(run.ids[item], score, old) for _, item, score, old in worst)

    def item_ranks(self, scores: Floats, before: Floats | None, threshold: Threshold) -> Floats:
        """Return a number per item, lowest for the worst one; NaN for unscored items and those not bad.

        `before` are the baseline's scores; None for the run alone.
        """
        sign = 1.0 if threshold.upwards else -1.0
        if before is None:
            return sign * scores
        change = scores - before
        return np.where(threshold.reached(change), np.nan, sign * change)


@dataclass(frozen=True)
class ExactQuantity(Quantity, ABC):
    """A fact about just these items, such as their lowest score. It has no interval."""

    @abstractmethod
    def number(self, target: Target, items: Mask) -> float:
        """Return the number of one run; `items` is the mask of the covered items, scored or not."""

    def measure(self, check: Check, level: float) -> Measurement:  # noqa: ARG002 (no interval)
        """Compute the number of the run, and its difference to the baseline's."""
        own = self.number(check.target, check.covered)
        items = int(np.count_nonzero(check.covered if self.covers_unscored else check.target.mask))
        if check.baseline is None:
            return Measurement(own, None, items, own, exact=True)
        other = self.number(check.baseline, check.covered)
        return Measurement(own - other, None, items, own, other, exact=True)


KINDS: list[type[Quantity]] = []
"""Registered kinds, in the order of registration."""
Kind = TypeVar("Kind", bound=type[Quantity])


def register(kind: Kind) -> Kind:
    """Make a kind of quantity known to the parser."""
    KINDS.append(kind)
    return kind


def _score_blocks(check: Check, context: GateContext) -> Iterator[tuple[Int64s, Floats, Floats | None]]:
    """Read positions of items in the run with their scores, and the baseline's if it is compared.

    Items that only one of them has are left out then.
    """
    if check.baseline is None:
        for rows, (scores,) in score_blocks([context.run.metrics[check.metric]]):
            yield np.arange(rows.start, rows.stop), scores, None
        return
    before, after = context.pair.targets(check.metric)
    if before.measure.item_score is None:
        return
    _, there = context.pair.positions
    for rows, (old, scores) in score_blocks([before, after]):
        yield np.arange(rows.start, rows.stop) if there is None else there[rows], scores, old
