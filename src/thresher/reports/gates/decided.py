"""What a gate decided: the data that every form of it shows."""

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

from thresher.kernels.inference.interval import LEVEL
from thresher.reports.gates.decision import Decision, Outcome, one_line
from thresher.reports.gates.sentences import digits_of
from thresher.reports.table import Table


@dataclass(frozen=True)
class Decided:
    """Decisions about one run. True if it passed.

    Attributes:
        run: name of the run.
        baseline: name of the baseline; None without.
        items: items of the run.
        decisions: one per requirement, metric and part of the data.
        notes: what to know before reading them: other settings, items that only one run has.
        decide_by: `interval` or `value`.
        level: of the intervals.
        allow_missing: share of the scores that may be missing.
    """

    run: str
    baseline: str | None
    items: int
    decisions: tuple[Decision, ...]
    notes: tuple[str, ...] = ()
    decide_by: str = "interval"
    level: float = LEVEL
    allow_missing: float = 0.0

    def __bool__(self) -> bool:
        return self.passed

    @property
    def outcome(self) -> Outcome:
        """The worst outcome of all: what could not be decided, then failed, inconclusive, passed."""
        return Outcome.worst([decision.outcome for decision in self.decisions])

    @property
    def passed(self) -> bool:
        """Whether every requirement is met."""
        return self.outcome is Outcome.PASSED

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 could not be decided, 4 inconclusive."""
        return self.outcome.exit_code

    @property
    def summary(self) -> str:
        """The outcome in one line: `Gate failed for main: 1 failed, 2 passed.`."""
        counts = Counter(decision.outcome for decision in self.decisions)
        told = ", ".join(f"{counts[each]} {each}" for each in reversed(Outcome) if counts[each])
        against = f" against {self.baseline}" if self.baseline else ""
        return f"Gate {self.outcome} for {self.run}{against}: {told}."

    @property
    def remarks(self) -> list[str]:
        """How it was decided, where that is not the usual way."""
        told = list(self.notes)
        if self.decide_by == "value":
            told.append("Decided by values as if they were certain; intervals were left aside.")
        if self.allow_missing:
            told.append(f"Up to {100 * self.allow_missing:.6g} % of the scores of a metric may be missing.")
        if self.level != LEVEL:
            told.append(f"Intervals are of {100 * self.level:.6g} %.")
        tests = sum(each.baseline is not None and each.decided_by == "interval" for each in self.decisions)
        if tests > 1:
            told.append(f"Failures against the baseline are corrected for {tests} comparisons (Holm).")
        return told

    def table(self) -> Table:
        """One row per decision: outcome, requirement, subject, value, interval, coverage, sentence."""
        columns = ("outcome", "requirement", "about", "value", "interval", "scored", "what it says")
        return Table(columns, [_row(decision) for decision in self.decisions])

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data."""
        return {
            "run": self.run,
            "baseline": self.baseline,
            "items": self.items,
            "outcome": self.outcome.value,
            "exit_code": self.exit_code,
            "decide_by": self.decide_by,
            "level": self.level,
            "allow_missing": self.allow_missing,
            "decisions": [decision.to_dict() for decision in self.decisions],
            "notes": self.remarks,
        }

    def explanation(self) -> str:
        """Why it did not pass: each requirement that is not met, its coverage and the items to look at."""
        lines = [one_line(self.summary), *(f"  {one_line(remark)}" for remark in self.remarks)]
        for decision in self.decisions:
            if decision.outcome is Outcome.PASSED:
                continue
            scored = f" [{decision.coverage} scored]" if decision.items else ""
            told = one_line(f"{decision.requirement} {decision.outcome}: {decision.sentence}{scored}")
            lines.append(f"  {told}")
            lines += [f"    look at {item}" for item in decision.worst]
        return "\n".join(lines)


def _row(decision: Decision) -> tuple[Any, ...]:
    shown = decision.difference if decision.difference is not None else decision.value
    counts = decision.coverage if decision.items else ""
    head = (decision.outcome.value, decision.requirement, decision.subject)
    if shown is None or math.isnan(shown):
        return (*head, "", "", counts, decision.sentence)
    pair = [] if decision.baseline is None or decision.value is None else [decision.value, decision.baseline]
    digits = digits_of(shown, decision.interval, decision.bar, pair)
    signed = bool(pair)
    interval = digits.limits(decision.interval, signed=signed) if decision.interval else ""
    return (*head, digits.value(shown, signed=signed), interval, counts, decision.sentence)
