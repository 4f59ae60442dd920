"""Looks at a run while it grows: planned ones have levels that hold together, others give no verdict."""

from collections.abc import Iterable
from typing import NamedTuple

from thresher.counted import counted
from thresher.kernels.inference.looks import look_level
from thresher.reports.runs.run_data import RunData

LOOKS = "looks"
"""Entry of a run's provenance: the plan of looks at its `items`, and the run that it is compared `with`."""
STOPPED = "stopped"
"""Entry of a run that a look ended: why."""
UNFINISHED = "unfinished"
"""Why a comparison with an unfinished run has no verdict, in a table."""
NO_LOOK = "a run is unfinished, and looks at a part of it were not planned (--looks)"
"""The same in a sentence."""


class Look(NamedTuple):
    """The last look at a run.

    Attributes:
        number: which one it is, from 1.
        ends: number of items at each planned look.
    """

    number: int
    ends: tuple[int, ...]

    @classmethod
    def at(cls, run: RunData) -> "Look | None":
        """The last look at a run; None without a plan, or before the first."""
        if (plan := run.provenance.get(LOOKS)) is None or not len(run):
            return None
        items, size = plan["items"], run.provenance["chunk_size"]
        done = run.provenance["items"] if run.complete else len(run)
        ends = (*range(size, items, size), items)
        return cls(next((place for place, end in enumerate(ends, 1) if done <= end), len(ends)), ends)


def looked_level(level: float, runs: Iterable[RunData]) -> float:
    """The level of intervals and verdicts at the last planned look at these runs; `level` without a plan."""
    looks = filter(None, map(Look.at, runs))
    return max((look_level(level, look.ends, look.number) for look in looks), default=level)


def looks_sentence(run: RunData) -> str:
    """Which look this is, and whether it ended the run; empty without a plan."""
    if (look := Look.at(run)) is None:
        return ""
    plan, why = run.provenance[LOOKS], run.provenance.get(STOPPED)
    at = f"look {look.number} of {len(look.ends)} at the comparison with {plan['with']}"
    if why is None:
        return f"This is {at}: intervals have its level."
    left = f"{look.ends[-1] - len(run)} of {counted(look.ends[-1], 'item')} were not evaluated"
    return f"Stopped at {at}: {why.rstrip('.')}; {left}. Intervals have the level of that look."


def is_partial(run: RunData) -> bool:
    """Whether items of a run are not done, and no plan says when to look."""
    return not run.complete and LOOKS not in run.provenance
