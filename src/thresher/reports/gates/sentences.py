"""Decisions in plain sentences."""

from dataclasses import replace

from thresher.kernels.inference import Interval
from thresher.kernels.inference.spread import FEWEST
from thresher.kernels.inference.verdict_sentence import level_name, sample_size
from thresher.reports.gates.deciding import Verdict
from thresher.reports.gates.decision import Outcome
from thresher.reports.gates.requirement import Bar, Quantity

_MOST_DIGITS = 17
_GOOD = {">=": "at least", ">": "above", "<=": "at most", "<": "below"}
_BAD = {">=": "below", ">": "at most", "<=": "above", "<": "at least"}


def sentence(verdict: Verdict) -> str:
    """What was found, where the bar is, and what that means."""
    if verdict.outcome is Outcome.UNDECIDED:
        return f"{verdict.check.subject} has no value on these {verdict.found.counted} items."
    return f"{_facts(verdict)}: {_meaning(verdict)}.{_by_value(verdict)}"


def number(value: float, bar: float | None = None, *, signed: bool = False) -> str:
    """Three digits, or as many as it takes to stand on the same side of the bar as the value itself.

    >>> number(0.79996, 0.8), number(0.8734, 0.8), number(-0.02, signed=True)
    ('0.79996', '0.873', '-0.02')
    """
    sign = "+" if signed and value else ""
    for digits in range(3, _MOST_DIGITS):
        text = f"{value:{sign}.{digits}g}"
        if bar is None or _side(float(text), bar) == _side(value, bar):
            return text
    return repr(value)


def limits(interval: Interval, bar: float | None = None, *, signed: bool = False) -> str:
    """Both ends of an interval."""
    return " to ".join(number(end, bar, signed=signed) for end in (interval.low, interval.high))


def _side(value: float, bar: float) -> int:
    return (value > bar) - (value < bar)


def _facts(verdict: Verdict) -> str:
    found, bar, subject = verdict.found, verdict.bar.number, verdict.check.subject
    if found.other is None:
        told = number(found.own, bar)
        around = f" ({limits(found.interval, bar)})" if found.interval else ""
        return f"{subject} is {told}{around} on {_items(verdict)}"
    change = number(found.value, bar, signed=True)
    around = f", {limits(found.interval, bar, signed=True)}" if found.interval else ""
    pair = f"{number(found.own)} against {number(found.other)}"
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
    if found.comparison.verdict == "equivalent" and found.comparison.narrow is not None:
        narrow = found.comparison.narrow
        return (
            f"the interval also holds values that are not {_good_side(bar)}; the {level_name(narrow)} "
            f"({limits(narrow, bar.number, signed=True)}) does not, which is `equivalent` in a comparison "
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
