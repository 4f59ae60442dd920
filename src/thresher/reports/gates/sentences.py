"""Decisions in plain sentences."""

from dataclasses import replace

from thresher.counted import counted
from thresher.kernels.inference import Interval
from thresher.kernels.inference.digits import Digits
from thresher.kernels.inference.spread import FEWEST, FEWEST_FOR_VERDICTS
from thresher.kernels.inference.verdict_sentence import level_name, sample_size, unchanged_words
from thresher.reports.gates.decision import DecidedBy, RequirementOutcome, digits_for
from thresher.reports.gates.grammar import Threshold
from thresher.reports.gates.quantities.base import Check, Measurement
from thresher.reports.rendering.numbers import significant

_GOOD = {">=": "at least", ">": "above", "<=": "at most", "<": "below"}
_BAD = {">=": "below", ">": "at most", "<=": "above", "<": "at least"}


def sentence(  # noqa: PLR0911  (one return an outcome)
    check: Check,
    measurement: Measurement,
    outcome: RequirementOutcome,
    decided_by: DecidedBy | None,
    corrected_for: int = 0,
) -> str:
    """Describe a decision: the number, where it lies, and why it is not decided if it is not.

    `corrected_for` is the size of the family whose correction withdrew a failure; 0 if none was withdrawn.
    """
    if decided_by is None:
        lacks = check.target.measure.reduction.lacking(check.target.result.statistics)
        these = "these" if measurement.counted != 1 else "this"
        return f"{check.subject} has no value on {these} {counted(measurement.counted, 'item')}: {lacks}."
    threshold = check.threshold
    narrow = _narrow(measurement) if outcome is RequirementOutcome.INCONCLUSIVE else None
    digits = _digits(threshold, measurement, narrow)
    facts = _facts(check, measurement, digits)
    if outcome is RequirementOutcome.INCONCLUSIVE:
        equivalent = f"the {level_name(narrow)} ({digits.limits(narrow, signed=True)})" if narrow else ""
        if measurement.undone_by_missing(threshold) and measurement.worst is not None:
            worst = digits.limits(measurement.worst, signed=measurement.baseline_value is not None)
            scores = counted(measurement.lost, "missing score is", "missing scores are")
            return f"{facts}: {_good_side(threshold, None)}, unless the {scores} bad (then {worst})."
        reason = _undecided(threshold, measurement, corrected_for, equivalent)
        return f"{facts}: {'; '.join(filter(None, [reason, _sample_size(check, measurement)]))}."
    if measurement.comparison is not None and measurement.comparison.unchanged:
        return f"{check.subject}: {unchanged_words(measurement.comparison)}; was another version meant?"
    if outcome is RequirementOutcome.FAILED:
        side = _side(threshold, _BAD)
        if decided_by == "interval" and threshold.tolerance and threshold.number and measurement.interval:
            least = _least_loss(threshold, measurement.interval, digits)
            return f"{facts}: at best a loss of {least}; {significant(threshold.tolerance)} is tolerated."
    else:
        side = _good_side(threshold, measurement.interval if decided_by == "interval" else None)
    if decided_by == "interval":
        return f"{facts}: the whole interval is {side}."
    return f"{facts}: {side}.{_ignored_interval(threshold, measurement.interval)}"


def _least_loss(threshold: Threshold, interval: Interval, digits: Digits) -> str:
    """The end of an interval nearest to 0, rounded towards it."""
    ends = digits.limits(interval).split(" to ")
    return ends[1 if threshold.upwards else 0].removeprefix("-")


def _narrow(measurement: Measurement) -> Interval | None:
    """The narrower interval by which a comparison calls the runs equivalent; None if it does not."""
    comparison = measurement.comparison
    return comparison.narrow if comparison is not None and comparison.verdict == "equivalent" else None


def _digits(threshold: Threshold, measurement: Measurement, narrow: Interval | None) -> Digits:
    own, other = measurement.run_value, measurement.baseline_value
    pair = () if other is None else (own, other)
    return digits_for(measurement.value, measurement.interval, threshold.number, pair, narrow)


def _facts(check: Check, measurement: Measurement, digits: Digits) -> str:
    """The subject with its numbers and items."""
    own, other, interval = measurement.run_value, measurement.baseline_value, measurement.interval
    items = counted(measurement.counted, "item")
    if other is None:
        limits = f" ({digits.limits(interval)})" if interval else ""
        return f"{check.subject} is {digits.value(own)}{limits} on {items}"
    limits = f", {digits.limits(interval, signed=True)}" if interval else ""
    change = f"{digits.value(measurement.value, signed=True)}{limits}"
    both = items if check.quantity.covers_unscored else f"the {items} that both runs scored"
    return f"{check.subject} is {digits.value(own)} against {digits.value(other)} ({change}) on {both}"


def _undecided(  # noqa: PLR0911  (one return a reason)
    threshold: Threshold, measurement: Measurement, corrected_for: int, equivalent: str
) -> str:
    """Why an interval decides nothing."""
    interval = measurement.interval
    if measurement.counted < FEWEST:
        return "too few items for an interval, so nothing is shown"
    if not measurement.decides:
        return f"fewer than {FEWEST_FOR_VERDICTS} items show nothing of a measure without bounds"
    if interval is None:
        return "all scores are equal and have no bounds, so nothing is shown"
    if corrected_for:
        return (
            f"worse than required, but not clearly enough for one of {counted(corrected_for, 'check')} (Holm)"
        )
    if threshold.baseline and threshold.number == 0:
        return "neither a loss nor a gain against the baseline is shown"
    if not threshold.tolerance:
        return f"{_side(threshold, _GOOD)} is not shown, and {_side(threshold, _BAD)} not either"
    loss = significant(threshold.tolerance)
    if not equivalent and replace(threshold, number=0.0).reached_by_none(interval):
        return f"a loss is shown, but not that it is larger than the tolerated {loss}"
    larger = f"larger than {loss}" if "=" in threshold.operator else f"of {loss} or more"
    refuted = f"; {equivalent} does not, which is `equivalent` in a comparison but not enough for a gate"
    return f"the interval also contains losses {larger}{refuted if equivalent else ''}"


def _sample_size(check: Check, measurement: Measurement) -> str:
    """How many items would decide; empty unless a loss against the baseline is tested."""
    threshold, comparison = check.threshold, measurement.comparison
    if comparison is None or threshold.tolerance != abs(threshold.number):
        return ""
    return "; ".join(
        filter(None, [sample_size(comparison), "" if threshold.number else check.quantity.advice])
    )


def _good_side(threshold: Threshold, interval: Interval | None) -> str:
    """The good side of the threshold; a gain that the interval shows, even if a loss would be tolerated."""
    if not threshold.tolerance:
        return _side(threshold, _GOOD)
    gain = replace(threshold, number=0.0).strict
    if interval is not None and gain.reached_by_all(interval):
        return _side(gain, _GOOD)
    return f"within {significant(threshold.tolerance)} of the baseline or better"


def _side(threshold: Threshold, words: dict[str, str]) -> str:
    if not threshold.baseline:
        return f"{words[threshold.operator]} {significant(threshold.number, 6)}"
    if not threshold.number:
        return f"{words[threshold.operator]} the baseline"
    sign = "-" if threshold.number < 0 else "+"
    return f"{words[threshold.operator]} baseline {sign} {significant(abs(threshold.number))}"


def _ignored_interval(threshold: Threshold, interval: Interval | None) -> str:
    """A warning if the interval of a value that decided alone contains the threshold."""
    if interval is None or threshold.reached(interval.low) == threshold.reached(interval.high):
        return ""
    return " The value alone decided; its interval contains the threshold."
