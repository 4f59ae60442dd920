"""What became of one requirement."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from thresher.kernels.inference import Interval
from thresher.kernels.inference.interval import finite


class Outcome(StrEnum):
    """Four things that a gate can say, worst last."""

    PASSED = "passed"
    """The whole interval is on the good side of the bar."""
    INCONCLUSIVE = "inconclusive"
    """The interval holds the bar: these items cannot say."""
    FAILED = "failed"
    """The whole interval is on the bad side of the bar."""
    UNDECIDED = "could not be decided"
    """There is nothing to hold against the bar: no scored item, other settings, an unfinished run."""

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 could not be decided, 4 inconclusive."""
        return {"passed": 0, "failed": 1, "inconclusive": 4}.get(self.value, 3)

    @classmethod
    def worst(cls, outcomes: "list[Outcome]") -> "Outcome":
        """The outcome of several requirements together.

        >>> str(Outcome.worst([Outcome.PASSED, Outcome.FAILED, Outcome.INCONCLUSIVE]))
        'failed'
        """
        return max(outcomes, key=list(cls).index, default=cls.PASSED)


def one_line(text: str) -> str:
    r"""Text from data on one line, so that it cannot pass for a line, or a workflow command, of its own.

    >>> one_line("q1\n::error::fake")
    'q1 ::error::fake'
    """
    return " ".join(text.split())


@dataclass(frozen=True)
class Item:
    """One item that speaks against the run.

    Attributes:
        id: its id.
        score: its score; None where it has none.
        baseline: the baseline's score of it; None without.
        reason: why it has no score.
    """

    id: str
    score: float | None
    baseline: float | None = None
    reason: str | None = None

    def __str__(self) -> str:
        name = one_line(self.id)
        if self.score is None:
            return f"{name} (no score{f': {one_line(self.reason)}' if self.reason else ''})"
        before = f", baseline {self.baseline:.4g}" if self.baseline is not None else ""
        return f"{name} ({self.score:.4g}{before})"


@dataclass(frozen=True)
class Decision:
    """One requirement about one metric and one part of the data, and what became of it.

    Attributes:
        requirement: the requirement as it was written.
        subject: what stands against the bar, e.g. `faithfulness where language = de`.
        outcome: what became of it.
        sentence: the same in one plain sentence.
        value: the run's number; None where there is none.
        baseline: the baseline's number; None without.
        difference: run minus baseline; None without.
        interval: of the difference if there is one, else of the value; None where there is none.
        bar: what value or difference was held against; None where that is unknown.
        decided_by: `interval`, `value` or `fact`; None if nothing was decided.
        counted: items that the number stands on.
        scored: items that have a score, of those that the requirement is about.
        items: items that the requirement is about.
        worst: the items that speak most against the run; none if it passed.
    """

    requirement: str
    subject: str
    outcome: Outcome
    sentence: str
    value: float | None = None
    baseline: float | None = None
    difference: float | None = None
    interval: Interval | None = None
    bar: float | None = None
    decided_by: str | None = None
    counted: int = 0
    scored: int = 0
    items: int = 0
    worst: tuple[Item, ...] = ()

    @property
    def coverage(self) -> str:
        """Scored items of all that the requirement is about, e.g. `106/107`."""
        return f"{self.scored}/{self.items}"

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data."""
        told = {
            key: finite(value) if isinstance(value, float) else value for key, value in vars(self).items()
        }
        return {
            **told,
            "outcome": self.outcome.value,
            "interval": None if self.interval is None else self.interval.to_dict(),
            "worst": [vars(item) for item in self.worst],
        }
