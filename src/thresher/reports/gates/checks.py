"""What a requirement asks: one check per metric and part of the data."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from thresher.errors import InputError
from thresher.kernels.inference import Target
from thresher.reports.comparisons.comparability import unscored
from thresher.reports.gates.requirement import Bar, Quantity, Requirement
from thresher.reports.gates.sides import Mask, Sides, UndecidableError
from thresher.reports.gates.sources import Difference, Fact, Source, Value, reaching

BASELINE = "baseline"


@dataclass(frozen=True)
class Check:
    """One number to be compared with one bar.

    Attributes:
        requirement: where it comes from.
        subject: what it is about, in words.
        metric: name of the metric.
        lacks: what the items lack where the number does not exist.
        bar: the bar.
        source: where the number comes from.
        items: mask of the run's items that it is about.
        family: checks with the same name are corrected for each other; None for a check of its own.
    """

    requirement: Requirement
    subject: str
    metric: str
    lacks: str
    bar: Bar
    source: Source
    items: Mask
    family: str | None


def checks_of(requirement: Requirement, sides: Sides) -> Iterator[Check]:
    """The checks of a requirement.

    Raises:
        InputError: for an unknown metric or column, or item scores of a metric that has none.
        UndecidableError: if there is nothing to hold against the bar.
    """
    if requirement.needs_baseline and sides.baseline is None:
        raise InputError(
            f"requirement {requirement.text!r} needs a baseline: give --baseline RUN (baseline= in Python)"
        )
    for metric in _metrics(requirement, sides):
        for part, items in sides.parts(requirement.part, metric):
            yield _check(requirement, sides, metric, part, items)


def _metrics(requirement: Requirement, sides: Sides) -> list[str]:
    if requirement.metrics:
        return [sides.run.metric(name).name for name in requirement.metrics]
    if not sides.pair.shared:
        raise UndecidableError("run and baseline have no metric in common")
    if not sides.primary:
        remedy = "name the measures, as in no-regression(a, b)"
        raise UndecidableError(f"run and baseline have no primary measure in common; {remedy}")
    return sides.primary


def _check(requirement: Requirement, sides: Sides, metric: str, part: str, items: Mask) -> Check:
    measure = sides.run.metrics[metric].measure
    if requirement.quantity in (Quantity.MIN, Quantity.MAX, Quantity.ITEMS) and measure.item_score is None:
        raise InputError(f"requirement {requirement.text!r}: {metric} has no scores per item")
    against = requirement.needs_baseline
    bar = _bar(requirement, sides, metric)
    source = _beside_baseline(requirement, sides, metric, items, bar) if against else None
    family = BASELINE if against else None
    if not against and requirement.part is not None and requirement.part.by is not None:
        family = requirement.text
    return Check(
        requirement,
        _subject(requirement, metric, part),
        metric,
        measure.reduction.lacks,
        bar,
        source or _alone(requirement, sides, metric, items),
        items,
        family,
    )


def _bar(requirement: Requirement, sides: Sides, metric: str) -> Bar:
    """The bar; that of `no-regression` is a margin below the baseline, above it where lower is better."""
    bar = requirement.bar
    if bar is not None and requirement.quantity is not Quantity.NO_REGRESSION:
        return bar
    margin = (sides.margins.of(metric) or 0.0) if bar is None else -bar.number
    if sides.run.metrics[metric].measure.direction == "higher":
        return Bar(">=", -margin, baseline=True)
    return Bar("<=", margin, baseline=True)


def _subject(requirement: Requirement, metric: str, part: str) -> str:
    where = f" where {part}" if part else ""
    names = {
        Quantity.MIN: f"lowest {metric}",
        Quantity.MAX: f"highest {metric}",
        Quantity.COVERAGE: f"coverage of {metric}",
        Quantity.ITEMS: f"share of items with {metric}{requirement.item_bar}",
    }
    return names.get(requirement.quantity, metric) + where


def _alone(requirement: Requirement, sides: Sides, metric: str, items: Mask) -> Source:
    target = sides.target(metric).over(items)
    if requirement.quantity is Quantity.COVERAGE:
        return _coverage(target, items)
    _some(target, metric)
    if requirement.quantity in (Quantity.MIN, Quantity.MAX):
        return Fact(_extreme(requirement.quantity, target), _count(target))
    if requirement.item_bar is not None:
        target = reaching(target, requirement.item_bar)
    return Value(target, sides.grouping)


def _beside_baseline(requirement: Requirement, sides: Sides, metric: str, items: Mask, bar: Bar) -> Source:
    first, second = sides.targets(metric)
    mask = items[np.array(sides.pair.joined.second, dtype=np.int64)]
    if requirement.quantity is Quantity.COVERAGE:
        own, other = (_coverage(Target(each.result, metric).over(mask), mask) for each in (second, first))
        return Fact(own.own, own.counted, other.own)
    first, second = first.over(mask), second.over(mask)
    if not second.mask.any():
        raise UndecidableError(f"{metric} is not compared: {unscored(sides.pair, metric, mask)}")
    if requirement.quantity in (Quantity.MIN, Quantity.MAX):
        extremes = [_extreme(requirement.quantity, each) for each in (second, first)]
        return Fact(extremes[0], _count(second), extremes[1])
    if requirement.item_bar is not None:
        first, second = (reaching(each, requirement.item_bar) for each in (first, second))
    return Difference(first, second, sides.pair.grouping, bar.tolerance or None)


def _coverage(target: Target, items: Mask) -> Fact:
    asked = int(np.count_nonzero(items))
    if not asked:
        raise UndecidableError("there are no items")
    return Fact(_count(target) / asked, asked)


def _extreme(quantity: Quantity, target: Target) -> float:
    scores = target.result.item_scores(target.name)[target.mask]
    return float(scores.min() if quantity is Quantity.MIN else scores.max())


def _some(target: Target, what: str) -> None:
    if not target.mask.any():
        raise UndecidableError(f"no item is scored by {what}")


def _count(target: Target) -> int:
    return int(np.count_nonzero(target.mask))
