"""One run of a list, without its items."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

State = Literal["complete", "incomplete", "damaged"]


@dataclass(frozen=True)
class ListedValue:
    """A primary measure of a run.

    Attributes:
        value: the value; None if undefined.
        low: lower limit of its 95 % interval; None if unknown.
        high: upper limit.
        direction: whether higher or lower is better.
        scored: number of items with a score.
    """

    value: float | None
    low: float | None
    high: float | None
    direction: str
    scored: int


@dataclass(frozen=True)
class ListedRun:
    """One run.

    Attributes:
        path: its folder or file, as given.
        name: its name.
        state: `damaged` if `run.json` is damaged or a complete run lacks a part.
        why: what is damaged, or why the run is incomplete; may be empty.
        started: when it was started, in UTC; empty if unknown.
        data: hash of its ids and questions; empty if it has none.
        items: number of items of the whole run; None if unknown.
        measures: name -> primary measure.
        cost: what judges and generators cost in all sessions; None without prices.
        commit: the commit of the working directory; empty outside a repository.
        settings: what the run varies, if it belongs to an experiment.
    """

    path: str
    name: str
    state: State
    why: str = ""
    started: str = ""
    data: str = ""
    items: int | None = None
    measures: Mapping[str, ListedValue] = field(default_factory=dict)
    cost: float | None = None
    commit: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def scored(self) -> int | None:
        """Scored items of the primary measure that scored the fewest; None without measures."""
        return min((measure.scored for measure in self.measures.values()), default=None)
