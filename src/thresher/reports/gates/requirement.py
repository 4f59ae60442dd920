"""A requirement: a quantity and the threshold that it has to reach, checked per metric and slice."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference import Target
from thresher.reports.comparisons.comparability import unscored
from thresher.reports.comparisons.margins import in_units
from thresher.reports.gates.context import GateContext
from thresher.reports.gates.grammar import EXAMPLES, Mask, RequirementReader, Threshold
from thresher.reports.gates.quantities.base import KINDS, Check, Quantity
from thresher.reports.gates.quantities.value import MetricValue
from thresher.reports.runs.completeness import missing_scores
from thresher.reports.runs.grouping import Grouping
from thresher.surface import given, parameter


@dataclass(frozen=True)
class Requirement:
    """One requirement, as `parse` reads it.

    Attributes:
        text: the requirement as it was written.
        quantity: the quantity that is compared.
        threshold: the threshold; see `Quantity.threshold_for` for that of one metric.
    """

    text: str
    quantity: Quantity
    threshold: Threshold


def parse(text: str) -> Requirement:
    """Read one requirement; the grammar is in `thresher.reports.gates.grammar`.

    Raises:
        InputError: if it cannot be read; the message says what was expected where.

    >>> parse("valor_faithfulness[language=de] >= 70%").threshold
    Threshold(operator='>=', number=0.7, baseline=False)
    >>> parse("no-regression within 0.02").threshold
    Threshold(operator='>=', number=-0.02, baseline=True)
    """
    if not isinstance(text, str):
        raise InputError(f"requirement {text!r} is not a string; write e.g. {EXAMPLES}")
    reader = RequirementReader(text)
    kind = next((kind for kind in KINDS if kind.begins(reader.rest)), MetricValue)
    quantity = kind.parse(reader)
    threshold = quantity.parse_threshold(reader)
    reader.expect_end()
    return Requirement(reader.text, quantity, threshold)


def checks_of(requirement: Requirement, context: GateContext) -> Iterator[Check]:
    """Yield the checks of a requirement: one per metric and slice.

    A check without a number to compare says why in `undecidable`; those of other slices are decided.

    Raises:
        InputError: for an unknown metric or column, or item scores of a metric that has none.
        UndecidableError: if no slice can be checked, for example because the baseline lacks the metric.
    """
    quantity = requirement.quantity
    if requirement.threshold.baseline and context.baseline is None:
        raise InputError(
            f"requirement {requirement.text!r} needs a baseline: give --baseline RUN (baseline= in Python)"
        )
    chosen_on = quantity.chosen_on(context)
    for metric in quantity.metric_names(context):
        for part, covered in context.slices(quantity.slice, metric):
            items = covered if chosen_on is None else covered & ~chosen_on
            problem = quantity.not_applicable(context.run.metrics[metric].measure)
            if problem:
                raise InputError(f"requirement {requirement.text!r}: {metric} {problem}")
            threshold = quantity.threshold_for(metric, requirement.threshold, context)
            bounds = quantity.bounds(context.run.metrics[metric].measure)
            if problem := _unreachable(threshold, metric, bounds):
                raise InputError(f"requirement {requirement.text!r}: {problem}")
            scores = _scores(context, metric, items, chosen_on, compare=threshold.baseline)
            check = Check(requirement.text, quantity, metric, part, threshold, items, *scores)
            unchanged = (
                threshold.baseline and metric in context.pair.shared and context.pair.unchanged(metric)
            )
            reason = _undecidable(check, context, covered)
            yield replace(check, undecidable=reason, unchanged=unchanged, lost=_lost(check, context))


def _unreachable(threshold: Threshold, metric: str, bounds: tuple[float, float]) -> str:
    """Why every result, or none, would meet a threshold, and what to write instead; empty if it depends."""
    (low, high), number = bounds, abs(threshold.number)
    if not math.isfinite(high - low):
        return ""
    values = f"the values of {metric} are {low:g} to {high:g}"
    if threshold.percent and bounds != (0, 1):
        return f"{values}, so that a percentage may mean a share or points; write {100 * threshold.number:g}"
    remedy = f"; {spelling}" if (spelling := in_units(number, bounds)) else ""
    if threshold.baseline:
        return (
            f"{values}, so that no difference can be larger than {number:g}{remedy}"
            if number >= high - low
            else ""
        )
    met = threshold.reached(low), threshold.reached(high)
    return (
        f"{values}, so that {'every' if met[0] else 'no'} value meets it{remedy}" if met[0] == met[1] else ""
    )


def _lost(check: Check, context: GateContext) -> tuple[Mask, ...]:
    """Masks of the covered items that lack a score, of the baseline first if there is one."""
    if check.baseline is None:
        return (missing_scores(context.run.metrics[check.metric].result) & check.covered,)
    return tuple(mask & check.covered for mask in context.pair.lost(check.metric))


def _undecidable(check: Check, context: GateContext, covered: Mask) -> str:
    """Why a check has no number to compare; empty if it has one.

    Args:
        check: the check.
        context: the run and its baseline.
        covered: mask of the items of the slice, also of those to choose on.
    """
    if check.quantity.covers_unscored and not check.covered.any():
        return "there are no items"
    if covered.any() and not check.items.any():
        return _all_chosen_on(int(covered.sum()), context.choose_on)
    if not check.quantity.covers_unscored and not check.target.mask.any():
        return _unscored(check, context)
    if check.chosen_on is not None and not check.chosen_on.any():
        return "none of the items to choose on is scored"
    return ""


def _all_chosen_on(items: int, choose_on: str | None) -> str:
    """That a slice has only items to choose on, and how to check it."""
    every = "its only item" if items == 1 else f"all of its {counted(items, 'item')}"
    return (
        f"{given('choose_on', choose_on)} chooses thresholds on {every}, so that none is left to check; "
        f"require the slices that have other items by name, or leave out {parameter('choose_on')} to choose "
        "on random halves"
    )


def _scores(
    context: GateContext, metric: str, items: Mask, chosen_on: Mask | None, *, compare: bool
) -> tuple[Grouping, Target, Target | None, Mask, Mask | None]:
    """The last fields of a check, from its grouping on."""
    if not compare:
        target = Target(context.run.metrics[metric].result, metric)
        chosen = None if chosen_on is None else target.mask & chosen_on
        return context.grouping, target.over(items), None, items, chosen
    baseline, target = context.paired_targets(metric)
    there = context.pair.joined.there
    covered, chosen = items[there], None if chosen_on is None else target.mask & chosen_on[there]
    return context.pair.grouping, target.over(covered), baseline.over(covered), covered, chosen


def _unscored(check: Check, context: GateContext) -> str:
    if check.baseline is None:
        return f"no item is scored by {check.metric}"
    return f"{check.metric} is not compared: {unscored(context.pair, check.metric, check.covered)}"
