"""The result of a gate: one decision per requirement, metric and slice, and one outcome for all."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from thresher.counted import counted
from thresher.kernels.inference.interval import LEVEL
from thresher.reports.gates import renderers
from thresher.reports.gates.decision import Decision, RequirementOutcome
from thresher.reports.rendering.numbers import percent
from thresher.reports.rendering.registry import rendered
from thresher.reports.report import TableReport
from thresher.reports.table import Table


@dataclass(frozen=True)
class GateOutcome:
    """The decisions about one run. True if it passed.

    Attributes:
        run: name of the run.
        baseline: name of the baseline; None if there is none.
        items: items of the run.
        decisions: one per requirement, metric and slice.
        notes: what to know before reading them: differing settings, items that only one run has.
        decide_by: `interval` or `value`.
        level: level of the intervals.
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
    def outcome(self) -> RequirementOutcome:
        """The most severe outcome of all decisions."""
        severity = list(RequirementOutcome).index
        outcomes = (decision.outcome for decision in self.decisions)
        return max(outcomes, key=severity, default=RequirementOutcome.PASSED)

    @property
    def passed(self) -> bool:
        """Whether every requirement is met."""
        return self.outcome is RequirementOutcome.PASSED

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 could not be decided, 4 inconclusive."""
        return self.outcome.exit_code

    @property
    def summary(self) -> str:
        """The outcome in one line: `Gate failed for main: 1 failed, 2 passed.`."""
        counts = Counter(decision.outcome for decision in self.decisions)
        numbers = ", ".join(f"{counts[kind]} {kind}" for kind in reversed(RequirementOutcome) if counts[kind])
        against = f" against {self.baseline}" if self.baseline else ""
        return f"Gate {self.outcome} for {self.run}{against}: {numbers}."

    @property
    def remarks(self) -> list[str]:
        """The notes, and every option or correction that changed how the gate decided."""
        remarks = list(self.notes)
        if self.decide_by == "value":
            remarks.append("Decided by values as if they were certain, without their intervals.")
        if self.allow_missing:
            remarks.append(f"Up to {percent(self.allow_missing)} of the scores of a metric may be missing.")
        if self.level != LEVEL:
            remarks.append(f"Intervals have a level of {percent(self.level)}.")
        compared = [decision for decision in self.decisions if decision.baseline is not None]
        tests = sum(decision.decided_by == "interval" for decision in compared)
        if tests > 1:
            remarks.append(
                f"Failures against the baseline are corrected for {counted(tests, 'comparison')} (Holm)."
            )
        return remarks

    def table(self) -> Table:
        """Return one row per decision, with the columns of `Decision.row`."""
        columns = ("outcome", "requirement", "about", "value", "interval", "scored", "conclusion")
        return Table(columns, [decision.row for decision in self.decisions])

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data."""
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

    def report(self) -> TableReport[Table]:
        """Return the decisions as a report, which has every format of reports and can be saved."""
        return TableReport.of(self.table(), data=self.to_dict()).with_remarks(self.remarks)

    def render(self, form: str) -> str:
        """Return the outcome as text: `table`, `markdown`, `json`, `junit`, `github`, or as other reports.

        Raises:
            InputError: for an unknown or binary format.
        """
        own = renderers.RENDERERS.get(form)
        return own(self) if own is not None else str(rendered(self.report(), form))

    def to_markdown(self) -> str:
        """Return Markdown for a pull request."""
        return self.render("markdown")

    def to_junit(self) -> str:
        """Return JUnit XML."""
        return self.render("junit")

    def __str__(self) -> str:
        return self.render("table")

    def explanation(self) -> str:
        """Return why the run did not pass: each unmet requirement, its coverage and the items to look at."""
        return renderers.explanation(self)
