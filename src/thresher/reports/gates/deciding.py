"""The rule: where the whole interval lies, and Holm's correction where many are looked at."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from thresher.kernels.inference import Interval
from thresher.reports.gates.checks import Check
from thresher.reports.gates.decision import Outcome
from thresher.reports.gates.requirement import Bar
from thresher.reports.gates.sources import Found


@dataclass(frozen=True)
class Verdict:
    """A check with its number, and what that means.

    Attributes:
        check: the check.
        found: the number and its interval.
        outcome: what it means.
        decided_by: `interval`, `value` or `fact`; None if nothing could be decided.
        looks: how many checks it was corrected for.
        spared: whether it would have failed without the correction.
    """

    check: Check
    found: Found
    outcome: Outcome
    decided_by: str | None
    looks: int = 1
    spared: bool = False

    @property
    def bar(self) -> Bar:
        """Where the good side begins."""
        return self.check.bar


def decide(checks: Sequence[Check], *, level: float, by_value: bool) -> list[Verdict]:
    """Hold every number against its bar.

    Checks of one family that fail are corrected for each other by Holm's procedure, so that with a level of
    95 % a gate over equal runs fails by chance in at most 5 %; what no longer fails is inconclusive. Passing
    needs no correction: all of them have to.

    Args:
        checks: what to decide.
        level: of the intervals.
        by_value: let the value decide and leave the interval aside.
    """
    verdicts = [_verdict(check, level, by_value=by_value) for check in checks]
    for family in {check.family for check in checks} - {None}:
        places = [place for place, check in enumerate(checks) if check.family == family]
        held = _holm([verdicts[place] for place in places], level)
        for place, verdict in zip(places, held, strict=True):
            verdicts[place] = verdict
    return verdicts


def _verdict(check: Check, level: float, *, by_value: bool) -> Verdict:
    found = check.source.measured(level)
    if math.isnan(found.value):
        return Verdict(check, found, Outcome.UNDECIDED, None)
    if found.fact or by_value:
        outcome = Outcome.PASSED if check.bar.reached(found.value) else Outcome.FAILED
        return Verdict(check, found, outcome, "fact" if found.fact else "value")
    return Verdict(check, found, _by_interval(check.bar, found), "interval")


def _by_interval(bar: Bar, found: Found) -> Outcome:
    """Failed if the whole interval is on the bad side of the bar, passed if it is on the good side.

    Without a tolerance the baseline itself must be outside, as for `better` in a comparison: an interval
    that ends at 0 comes from a test that does not reject a difference of 0.
    """
    interval = found.interval
    if interval is None:
        return Outcome.INCONCLUSIVE
    if _all_bad(bar, interval):
        return Outcome.FAILED
    strict = found.comparison is not None and not bar.number
    good = replace(bar, operator=">" if bar.upwards else "<") if strict else bar
    return (
        Outcome.PASSED if good.reached(interval.low) and good.reached(interval.high) else Outcome.INCONCLUSIVE
    )


def _all_bad(bar: Bar, interval: Interval) -> bool:
    return not bar.reached(interval.low) and not bar.reached(interval.high)


def _holm(family: list[Verdict], level: float) -> list[Verdict]:
    """Holm's steps by intervals: each step's level is 1 - (1 - level) / checks that have not failed yet."""
    family = [replace(verdict, looks=len(family)) for verdict in family]
    by_interval = [verdict.decided_by == "interval" for verdict in family]
    open_ones = {
        place
        for place, verdict in enumerate(family)
        if by_interval[place] and verdict.outcome is Outcome.FAILED
    }
    left = sum(by_interval)
    while open_ones:
        strict = 1 - (1 - level) / left
        failing = {place for place in open_ones if _still_bad(family[place], strict)}
        if not failing:
            break
        open_ones -= failing
        left -= len(failing)
    for place in open_ones:
        family[place] = replace(family[place], outcome=Outcome.INCONCLUSIVE, spared=True)
    return family


def _still_bad(verdict: Verdict, level: float) -> bool:
    interval = verdict.check.source.measured(level).interval
    return interval is not None and _all_bad(verdict.bar, interval)
