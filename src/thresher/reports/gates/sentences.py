"""Decisions in plain sentences."""

from collections.abc import Sequence
from dataclasses import replace

from thresher.kernels.inference import Interval
from thresher.kernels.inference.digits import Digits
from thresher.kernels.inference.spread import FEWEST
from thresher.kernels.inference.verdict_sentence import level_name, sample_size
from thresher.reports.gates.deciding import Verdict
from thresher.reports.gates.decision import Outcome
from thresher.reports.gates.requirement import Bar, Quantity

_GOOD = {">=": "at least", ">": "above", "<=": "at most", "<": "below"}
_BAD = {">=": "below", ">": "at most", "<=": "above", "<": "at least"}


def sentence(verdict: Verdict) -> str:
    """What was found, where the bar is, and what that means."""
    if verdict.outcome is Outcome.UNDECIDED:
        check, items = verdict.check, verdict.found.counted
        return f"{check.subject} has no value on these {items} items: {check.lacks}."
    return f"{_facts(verdict)}: {_meaning(verdict)}.{_by_value(verdict)}"


def digits_of(
    value: float,
    interval: Interval | None,
    bar: float | None,
    pair: Sequence[float] = (),
    narrow: Interval | None = None,
) -> Digits:
    """How many decimals the numbers of a decision have: enough to be on their side of the bar.

    Args:
        value: what is compared with the bar.
        interval: of the value.
        bar: the bar; None where it is unknown.
        pair: the run's number and the baseline's where the value is their difference.
        narrow: a further interval of the value.
    """
    intervals = [each for each in (interval, narrow) if each is not None]
    bars = ([] if bar is None else [bar]) + ([0.0] if pair else [])
    return Digits.of(value, intervals=intervals, bars=bars, others=pair)


def _digits(verdict: Verdict) -> Digits:
    found = verdict.found
    pair = () if found.other is None else (found.own, found.other)
    return digits_of(found.value, found.interval, verdict.bar.number, pair, _narrow(verdict))


def _narrow(verdict: Verdict) -> Interval | None:
    """The interval by which a comparison would call the run equivalent; None where that is not said."""
    comparison = verdict.found.comparison
    if comparison is None or verdict.outcome is not Outcome.INCONCLUSIVE:
        return None
    return comparison.narrow if comparison.verdict == "equivalent" else None


def _facts(verdict: Verdict) -> str:
    found, digits, subject = verdict.found, _digits(verdict), verdict.check.subject
    if found.other is None:
        around = f" ({digits.limits(found.interval)})" if found.interval else ""
        return f"{subject} is {digits.value(found.own)}{around} on {_items(verdict)}"
    change = digits.value(found.value, signed=True)
    around = f", {digits.limits(found.interval, signed=True)}" if found.interval else ""
    pair = f"{digits.value(found.own)} against {digits.value(found.other)}"
    return f"{subject} is {pair} ({change}{around}) on {_items(verdict)}"


def _items(verdict: Verdict) -> str:
    count = f"{verdict.found.counted} {'item' if verdict.found.counted == 1 else 'items'}"
    return f"the {count} that both runs scored" if _compares(verdict) else count


def _meaning(verdict: Verdict) -> str:
    outcome, bar = verdict.outcome, verdict.bar
    if verdict.decided_by != "interval":
        return _good_side(bar) if outcome is Outcome.PASSED else _side_of(bar, _BAD)
    if outcome is Outcome.PASSED:
        return f"the whole interval is {_shown_good(verdict)}"
    if outcome is Outcome.FAILED:
        return f"the whole interval is {_side_of(bar, _BAD)}"
    return "; ".join(filter(None, [_open(verdict), _sample_size(verdict)]))


def _shown_good(verdict: Verdict) -> str:
    """The good side that the interval shows: even above the baseline, where a tolerance was not needed."""
    bar, interval = verdict.bar, verdict.found.interval
    beyond = replace(bar, operator=">" if bar.upwards else "<", number=0.0)
    if (
        bar.tolerance
        and interval is not None
        and beyond.reached(interval.low)
        and beyond.reached(interval.high)
    ):
        return _side_of(beyond, _GOOD)
    return _good_side(bar)


def _open(verdict: Verdict) -> str:
    """Why an interval decides nothing."""
    bar, found = verdict.bar, verdict.found
    if found.interval is None:
        few = found.counted < FEWEST
        return f"{'too few items for an interval' if few else 'there is no interval'}, so nothing is shown"
    if verdict.spared:
        return f"worse than required, but not clearly enough for one of {verdict.looks} checks (Holm)"
    if found.comparison is None:
        return f"the interval also holds values that are not {_good_side(bar)}"
    if bar.number == 0:
        return "neither a loss nor a gain against the baseline is shown"
    narrow = _narrow(verdict)
    if narrow is not None:
        shown = _digits(verdict).limits(narrow, signed=True)
        return (
            f"the interval also holds values that are not {_good_side(bar)}; the {level_name(narrow)} "
            f"({shown}) does not, which is `equivalent` in a comparison "
            "but not enough for a gate"
        )
    worse = bar.tolerance and _all_worse(bar, found.interval)
    shown = "a loss is shown, but not that it is larger than tolerated: " if worse else ""
    return f"{shown}the interval also holds values {'' if worse else 'that are not '}{_good_side(bar)}"


def _all_worse(bar: Bar, interval: Interval) -> bool:
    """Whether the whole interval is worse than the baseline itself."""
    level = replace(bar, number=0.0)
    return not level.reached(interval.low) and not level.reached(interval.high)


def _sample_size(verdict: Verdict) -> str:
    """How many items would decide; empty for what is not compared with a baseline."""
    comparison = verdict.found.comparison
    if comparison is None or verdict.bar.tolerance != abs(verdict.bar.number):
        return ""
    hint = ""
    if not verdict.bar.number and verdict.check.requirement.quantity is Quantity.NO_REGRESSION:
        hint = "; give the loss that you accept (`no-regression within M`, --margin M)"
    return sample_size(comparison) + hint


def _good_side(bar: Bar) -> str:
    """The good side of the bar in words."""
    if bar.tolerance:
        return f"within {bar.tolerance:.3g} of the baseline or better"
    return _side_of(bar, _GOOD)


def _side_of(bar: Bar, words: dict[str, str]) -> str:
    if not bar.baseline:
        return f"{words[bar.operator]} {bar.number:.6g}"
    if not bar.number:
        return f"{words[bar.operator]} the baseline"
    return f"{words[bar.operator]} baseline {'-' if bar.number < 0 else '+'} {abs(bar.number):.3g}"


def _compares(verdict: Verdict) -> bool:
    return verdict.found.other is not None and verdict.check.requirement.quantity is not Quantity.COVERAGE


def _by_value(verdict: Verdict) -> str:
    """What a value that decided alone leaves unsaid."""
    interval = verdict.found.interval
    if verdict.decided_by != "value" or interval is None:
        return ""
    straddles = verdict.bar.reached(interval.low) != verdict.bar.reached(interval.high)
    return " The value alone decided; its interval holds the bar." if straddles else ""
