"""Checks: one number and one threshold each, and the rule that decides them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from thresher.errors import InputError
from thresher.kernels.inference import Target
from thresher.reports.comparisons.comparability import unscored
from thresher.reports.gates.context import GateContext, UndecidableError
from thresher.reports.gates.grammar import Mask, Threshold
from thresher.reports.gates.outcome import DecidedBy, RequirementOutcome
from thresher.reports.gates.quantities import Quantity, ScoredSample
from thresher.reports.gates.quantities.base import Measurement
from thresher.reports.gates.requirement import Requirement

BASELINE = "baseline"


@dataclass(frozen=True)
class Check:
    """One number to be compared with one threshold.

    Attributes:
        requirement: the requirement that it belongs to.
        metric: name of the metric.
        subject: what is compared, in words.
        threshold: the threshold of this metric.
        sample: the scores.
        items: mask of the run's items that are covered.
        lacks: what the items lack if the number does not exist.
    """

    requirement: Requirement
    metric: str
    subject: str
    threshold: Threshold
    sample: ScoredSample
    items: Mask
    lacks: str

    def measure(self, level: float) -> Measurement:
        """Measure the number, with an interval of this level."""
        return self.requirement.quantity.measure(self.sample, level)

    @property
    def family(self) -> str | None:
        """Checks with the same family are corrected for each other; None for a single test."""
        part = self.requirement.quantity.slice
        if self.threshold.baseline:
            return BASELINE
        return self.requirement.text if part is not None and part.by is not None else None


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
    for metric in quantity.metric_names(context):
        for part, items in context.slices(quantity.slice, metric):
            measure = context.run.metrics[metric].measure
            problem = quantity.not_applicable(measure)
            if problem:
                raise InputError(f"requirement {requirement.text!r}: {metric} {problem}")
            subject = quantity.subject(metric) + (f" where {part}" if part else "")
            threshold = quantity.threshold_for(metric, requirement.threshold, context)
            sample = _sample(quantity, threshold, context, metric, items)
            lacks = measure.reduction.lacks
            yield Check(requirement, metric, subject, threshold, sample, items, lacks)


def _sample(
    quantity: Quantity, threshold: Threshold, context: GateContext, metric: str, items: Mask
) -> ScoredSample:
    """The scores of a metric over the items, next to the baseline's if the threshold is relative to it."""
    if threshold.baseline:
        baseline, target = context.paired_targets(metric)
        items = items[np.array(context.pair.joined.second, dtype=np.int64)]
        grouping, tolerance = context.pair.grouping, threshold.tolerance or None
        sample = ScoredSample(target.over(items), items, grouping, baseline.over(items), tolerance)
    else:
        target = Target(context.run.metrics[metric].result, metric)
        sample = ScoredSample(target.over(items), items, context.grouping)
    if quantity.covers_unscored and not items.any():
        raise UndecidableError("there are no items")
    if not quantity.covers_unscored and not sample.target.mask.any():
        if not threshold.baseline:
            raise UndecidableError(f"no item is scored by {metric}")
        raise UndecidableError(f"{metric} is not compared: {unscored(context.pair, metric, items)}")
    return sample


def decided_by(measurement: Measurement, *, by_value: bool) -> DecidedBy | None:
    """Return what decides about a number; None if the number does not exist."""
    if math.isnan(measurement.value):
        return None
    return "fact" if measurement.exact else "value" if by_value else "interval"


def conclude(check: Check, measurement: Measurement, by: DecidedBy | None) -> RequirementOutcome:
    """Return failed if the whole interval is on the bad side of the threshold, passed if on the good side.

    Against the baseline itself an interval that ends at 0 does not pass, as it is not `better` in a
    comparison: such an interval comes from a test that does not reject a difference of 0.
    """
    threshold = check.threshold
    if by is None:
        return RequirementOutcome.UNDECIDED
    if by != "interval":
        reached = threshold.reached(measurement.value)
        return RequirementOutcome.PASSED if reached else RequirementOutcome.FAILED
    interval = measurement.interval
    if interval is None:
        return RequirementOutcome.INCONCLUSIVE
    if threshold.reached_by_none(interval):
        return RequirementOutcome.FAILED
    compares_equal = measurement.comparison is not None and not threshold.number
    required = threshold.strict if compares_equal else threshold
    return RequirementOutcome.PASSED if required.reached_by_all(interval) else RequirementOutcome.INCONCLUSIVE


def withdrawn_failures(
    checks: Sequence[Check], outcomes: Sequence[RequirementOutcome], by: Sequence[str | None], level: float
) -> dict[int, int]:
    """Return the failures that Holm's correction withdraws: position -> number of checks in the family.

    Without it a gate with many checks would fail by chance too often; with it a gate over equal runs fails
    in at most 5 % at a level of 95 %. Passing needs no correction, because all checks have to pass.

    Args:
        checks: all checks of a gate.
        outcomes: the outcome of each check alone.
        by: what decided each check; only intervals are corrected.
        level: level of the intervals.
    """
    withdrawn: dict[int, int] = {}
    for family in {check.family for check in checks} - {None}:
        members = [position for position, check in enumerate(checks) if check.family == family]
        tested = [position for position in members if by[position] == "interval"]
        failed = [position for position in tested if outcomes[position] is RequirementOutcome.FAILED]
        withdrawn |= dict.fromkeys(_holm(checks, failed, len(tested), level), len(members))
    return withdrawn


def _holm(checks: Sequence[Check], failed: list[int], tests: int, level: float) -> list[int]:
    """The failures that remain after Holm's steps, each at the level 1 - (1 - level) / remaining tests."""
    while failed:
        strict = 1 - (1 - level) / tests
        remaining = [position for position in failed if not _fails(checks[position], strict)]
        if len(remaining) == len(failed):
            break
        tests -= len(failed) - len(remaining)
        failed = remaining
    return failed


def _fails(check: Check, level: float) -> bool:
    interval = check.measure(level).interval
    return interval is not None and check.threshold.reached_by_none(interval)
