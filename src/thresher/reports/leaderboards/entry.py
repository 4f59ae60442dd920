"""One run of a leaderboard."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from thresher.kernels.inference.interval import Interval, finite
from thresher.reports.comparisons.comparison_row import ComparisonRow
from thresher.reports.leaderboards.usage import Usage


@dataclass(frozen=True)
class MeasuredValue:
    """The value of a measure with its own interval.

    Attributes:
        value: the value; NaN if unknown.
        interval: its interval; None if unknown.
    """

    value: float
    interval: Interval | None

    def to_dict(self) -> dict[str, Any]:
        """JSON data."""
        limits = None if self.interval is None else self.interval.to_dict()
        return {"value": finite(self.value), "interval": limits}


@dataclass(frozen=True)
class Entry:
    """One run of a leaderboard.

    Attributes:
        run: its name.
        rank: 1 for the best value; None if the run has no rank.
        why: why the run has no rank; empty if it has one.
        may_be_best: whether it may be the best run; None without a rank.
        best_rank: its best possible rank; None without a rank.
        worst_rank: its worst possible rank.
        measured: the value that orders the runs; None if it is unknown.
        adjusted: whether the value accounts for items that the run lacks.
        scored: number of items that it scored.
        items: number of items that any run scored.
        difference: its difference to the baseline, else to the best value; None for that run itself.
        letters: runs that share a letter are not shown to differ.
        others: further primary measures, each over the run's own scored items.
        usage: what the run used.
        settings: what the run varies, if it belongs to an experiment.
    """

    run: str
    rank: int | None = None
    why: str = ""
    may_be_best: bool | None = None
    best_rank: int | None = None
    worst_rank: int | None = None
    measured: MeasuredValue | None = None
    adjusted: bool = False
    scored: int = 0
    items: int = 0
    difference: ComparisonRow | None = None
    letters: str = ""
    others: Mapping[str, MeasuredValue] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """JSON data."""
        facts = {name: getattr(self, name) for name in _PLAIN}
        measured = MeasuredValue(float("nan"), None) if self.measured is None else self.measured
        return {
            **facts,
            **measured.to_dict(),
            "difference": None if self.difference is None else difference_facts(self.difference),
            "others": {name: value.to_dict() for name, value in self.others.items()},
            **self.usage.to_dict(),
            "settings": dict(self.settings),
        }


_PLAIN = (
    "run", "rank", "why", "may_be_best", "best_rank", "worst_rank", "adjusted", "scored", "items", "letters",
)  # fmt: skip


def difference_facts(row: ComparisonRow) -> dict[str, Any]:
    """JSON data of a difference: to which run, its simultaneous interval, p-values and verdict."""
    facts = row.to_dict()
    names = ("baseline", "run", "difference", "interval", "standard_error", "p_value", "p_adjusted", "test")
    return {name: facts[name] for name in (*names, "wins", "ties", "losses", "verdict")}
