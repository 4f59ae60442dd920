"""Decisions of a gate: what it concludes about one requirement, for one metric and one slice."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from thresher.kernels.inference import Interval
from thresher.kernels.inference.digits import Digits
from thresher.kernels.inference.interval import finite
from thresher.reports.rendering.numbers import significant
from thresher.visible_text import one_line

DecidedBy = Literal["interval", "value", "fact"]


class RequirementOutcome(StrEnum):
    """What a gate can conclude about a requirement, the most severe last."""

    PASSED = "passed"
    """The whole interval is on the good side of the threshold."""
    INCONCLUSIVE = "inconclusive"
    """The interval contains the threshold: there are too few items to decide."""
    FAILED = "failed"
    """The whole interval is on the bad side of the threshold."""
    UNDECIDED = "could not be decided"
    """No number to compare: no scored item, differing settings, an unfinished run."""

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 could not be decided, 4 inconclusive."""
        return {"passed": 0, "failed": 1, "inconclusive": 4}.get(self.value, 3)


@dataclass(frozen=True)
class WorstItem:
    """One item that counts against a run, its scores, and the reason if it has none."""

    id: str
    score: float | None
    baseline: float | None = None
    reason: str | None = None

    def __str__(self) -> str:
        name = one_line(self.id)
        if self.score is None:
            return f"{name} (no score{f': {one_line(self.reason)}' if self.reason else ''})"
        before = f", baseline {significant(self.baseline, 4)}" if self.baseline is not None else ""
        return f"{name} ({significant(self.score, 4)}{before})"


@dataclass(frozen=True)
class Decision:
    """What a gate concludes about one requirement, for one metric and one slice.

    Attributes:
        requirement: the requirement as it was written.
        subject: what is compared with the threshold, e.g. `faithfulness where language = de`.
        outcome: the conclusion.
        sentence: the conclusion with its numbers, in plain words.
        value: the run's number; None if undefined.
        baseline: the baseline's number; None if the run is not compared.
        difference: run minus baseline; None if the run is not compared.
        interval: of the difference, or of the value if no runs are compared; None if undefined.
        bar: the threshold of the value or the difference; None if it is unknown.
        decided_by: None if nothing was decided.
        counted: items that the number is based on.
        scored: items that the requirement covers and that have a score, in both runs if they are compared.
        items: items that the requirement covers.
        worst: the items to inspect first; none if the requirement is met.
    """

    requirement: str
    subject: str
    outcome: RequirementOutcome
    sentence: str
    value: float | None = None
    baseline: float | None = None
    difference: float | None = None
    interval: Interval | None = None
    bar: float | None = None
    decided_by: DecidedBy | None = None
    counted: int = 0
    scored: int = 0
    items: int = 0
    worst: tuple[WorstItem, ...] = ()

    @property
    def coverage(self) -> str:
        """Scored items and all items that the requirement covers, e.g. `106/107`."""
        return f"{self.scored}/{self.items}"

    @property
    def row(self) -> tuple[Any, ...]:
        """Outcome, requirement, subject, number, interval, coverage and sentence, as text."""
        compared = self.value if self.difference is None else self.difference
        number = interval = ""
        if compared is not None and not math.isnan(compared):
            signed = self.baseline is not None and self.value is not None
            pair = [own for own in (self.value, self.baseline) if own is not None] if signed else []
            digits = digits_for(compared, self.interval, self.bar, pair)
            number = digits.value(compared, signed=signed)
            interval = digits.limits(self.interval, signed=signed) if self.interval else ""
        about = (self.outcome.value, self.requirement, self.subject)
        return (*about, number, interval, self.coverage if self.items else "", self.sentence)

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data."""
        data = vars(self).items()
        return {
            **{key: finite(value) if isinstance(value, float) else value for key, value in data},
            "outcome": self.outcome.value,
            "interval": None if self.interval is None else self.interval.to_dict(),
            "worst": [vars(item) for item in self.worst],
        }


def digits_for(
    value: float,
    interval: Interval | None,
    threshold: float | None,
    pair: Sequence[float] = (),
    narrow: Interval | None = None,
) -> Digits:
    """Return the decimals for the numbers of a decision: enough to be on their side of the threshold.

    `pair` are the run's number and the baseline's if `value` is their difference; `narrow` is a further
    interval of the value.
    """
    intervals = [ends for ends in (interval, narrow) if ends is not None]
    thresholds = ([] if threshold is None else [threshold]) + ([0.0] if pair else [])
    return Digits.of(value, intervals=intervals, bars=thresholds, others=pair)
