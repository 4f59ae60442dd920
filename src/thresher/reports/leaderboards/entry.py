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
        may_be_best: whether the run may be the best in the measure; None if it is not ranked by it.
    """

    value: float
    interval: Interval | None
    may_be_best: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON data."""
        limits = None if self.interval is None else self.interval.to_dict()
        value = {"value": finite(self.value), "interval": limits}
        return {**value, "may_be_best": self.may_be_best}


@dataclass(frozen=True)
class Entry:
    """One run of a leaderboard.

    Attributes:
        run: its name.
        rank: 1 for the best value; None if the run has no rank.
        why: why the run has no rank; empty if it has one.
        best_rank: its best possible rank; None without a rank.
        worst_rank: its worst possible rank.
        measured: the value that orders the runs; None if it is unknown.
        scored: number of items that it scored.
        items: number of items that any run scored.
        difference: its difference to the baseline, else to the best value; None for that run itself.
        letters: runs that share a letter are not shown to differ.
        others: further primary measures; over the run's own scored items if it is not ranked by them.
        usage: what the run used.
        settings: what the run varies, if it belongs to an experiment.
    """

    run: str
    rank: int | None = None
    why: str = ""
    best_rank: int | None = None
    worst_rank: int | None = None
    measured: MeasuredValue | None = None
    scored: int = 0
    items: int = 0
    difference: ComparisonRow | None = None
    letters: str = ""
    others: Mapping[str, MeasuredValue] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def may_be_best(self) -> bool | None:
        """Whether it may be the best run; None without a rank."""
        return None if self.measured is None else self.measured.may_be_best

    def to_dict(self) -> dict[str, Any]:
        """JSON data, values of measures first."""
        measured = MeasuredValue(float("nan"), None) if self.measured is None else self.measured
        return {
            "run": self.run,
            "rank": self.rank,
            **measured.to_dict(),
            "others": {name: value.to_dict() for name, value in self.others.items()},
            **{name: getattr(self, name) for name in _PLAIN},
            "difference": None if self.difference is None else difference_facts(self.difference),
            **self.usage.to_dict(),
            "settings": dict(self.settings),
        }


_PLAIN = ("why", "best_rank", "worst_rank", "scored", "items", "letters")


def difference_facts(row: ComparisonRow) -> dict[str, Any]:
    """JSON data of a difference: to which run, its simultaneous interval, p-values and verdict."""
    facts = row.to_dict()
    names = ("baseline", "run", "difference", "interval", "standard_error", "p_value", "p_adjusted")
    return {name: facts[name] for name in (*names, "wins", "ties", "losses", "verdict")}
