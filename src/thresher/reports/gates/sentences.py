"""Decisions in plain sentences."""

from thresher.kernels.inference import Interval
from thresher.kernels.inference.spread import FEWEST
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
    return f"{_facts(verdict)}: {_meaning(verdict)}.{_remark(verdict)}"


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
        return _wanted(verdict.end) if outcome is Outcome.PASSED else _missed(verdict)
    if outcome is Outcome.PASSED:
        return f"the whole interval is {_wanted(verdict.end if _no_worse(verdict) else bar)}"
    if outcome is Outcome.FAILED:
        return f"the whole interval is {_missed(verdict)}"
    if verdict.found.interval is None:
        few = verdict.found.counted < FEWEST
        return f"{'too few items for an interval' if few else 'there is no interval'}, so nothing is shown"
    if verdict.spared:
        return f"worse than wanted, but not clearly enough for one of {verdict.looks} checks (Holm)"
    return f"the interval also holds values that are not {_wanted(bar)}"


def _wanted(bar: Bar) -> str:
    """The good side of the bar in words."""
    if bar.baseline and bar.number and (bar.number < 0) == bar.upwards:
        return f"within {abs(bar.number):.3g} of the baseline or better"
    return _side_of(bar, _GOOD)


def _side_of(bar: Bar, words: dict[str, str]) -> str:
    if not bar.baseline:
        return f"{words[bar.operator]} {bar.number:.6g}"
    if not bar.number:
        return f"{words[bar.operator]} the baseline"
    return f"{words[bar.operator]} baseline {'-' if bar.number < 0 else '+'} {abs(bar.number):.3g}"


def _compares(verdict: Verdict) -> bool:
    return verdict.found.other is not None and verdict.check.requirement.quantity is not Quantity.COVERAGE


def _no_worse(verdict: Verdict) -> bool:
    """Whether even without any margin the whole interval is on the good side."""
    interval = verdict.found.interval
    return interval is not None and verdict.end.reached(interval.low) and verdict.end.reached(interval.high)


def _missed(verdict: Verdict) -> str:
    """The bad side of the bar in words."""
    return _side_of(verdict.end, _BAD)


def _remark(verdict: Verdict) -> str:
    if verdict.outcome is Outcome.FAILED or verdict.decided_by != "interval":
        return _by_value(verdict)
    if verdict.check.bar is not None or _no_worse(verdict):
        return ""
    return (
        f" {abs(verdict.bar.number):.3g} is the smallest difference that so many items can show; "
        "`within M` sets a margin of your own."
    )


def _by_value(verdict: Verdict) -> str:
    """What a value that decided alone leaves unsaid."""
    interval = verdict.found.interval
    if verdict.decided_by != "value" or interval is None:
        return ""
    straddles = verdict.end.reached(interval.low) != verdict.end.reached(interval.high)
    return " The value alone decided; its interval holds the bar." if straddles else ""
