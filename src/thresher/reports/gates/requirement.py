"""A requirement: a quantity and the threshold that it has to reach, checked per metric and slice."""

from collections.abc import Iterator
from dataclasses import dataclass

from thresher.errors import InputError
from thresher.kernels.inference import Target
from thresher.reports.comparisons.comparability import unscored
from thresher.reports.gates.context import GateContext, UndecidableError
from thresher.reports.gates.grammar import EXAMPLES, Mask, RequirementReader, Threshold
from thresher.reports.gates.quantities.base import KINDS, Check, Quantity
from thresher.reports.gates.quantities.value import MetricValue
from thresher.reports.runs.grouping import Grouping


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

    Raises:
        InputError: for an unknown metric or column, or item scores of a metric that has none.
        UndecidableError: if there is no number to compare.
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
            scores = _scores(context, metric, items, chosen_on, compare=threshold.baseline)
            check = Check(requirement.text, quantity, metric, part, threshold, items, *scores)
            if quantity.covers_unscored and not check.covered.any():
                raise UndecidableError("there are no items")
            if covered.any() and not items.any():
                where = f" where {part}" if part else ""
                raise UndecidableError(
                    f"thresholds are chosen on every item{where}, so that none is left to check"
                )
            if not quantity.covers_unscored and not check.target.mask.any():
                raise UndecidableError(_unscored(check, context))
            if check.chosen_on is not None and not check.chosen_on.any():
                raise UndecidableError("none of the items to choose on is scored")
            yield check


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
