"""The measure that orders a leaderboard, and the number of measures that its statements cover."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from thresher.counted import counted
from thresher.errors import InputError
from thresher.reports.leaderboards.usage import is_usage
from thresher.reports.runs.run_data import RunData

Chosen = Literal["declared", "afterwards"]


@dataclass(frozen=True)
class Ordering:
    """The measure that orders the runs.

    Attributes:
        measure: its name.
        chosen: `declared` by the runs, or `afterwards`, possibly because of the scores.
        candidates: number of measures over which statements are corrected: those that the runs declare, or
            all that could have been chosen.
        others: the other measures that the runs declare as primary; the leaderboard makes statements about
            them, too.
        notes: sentences about the choice.
    """

    measure: str
    chosen: Chosen
    candidates: int
    others: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, runs: Sequence[RunData], primary: str | None = None) -> "Ordering":
        """Choose the measure: the one requested, else the first that most runs declare as primary.

        Statements about runs are corrected for all declared measures, as the verdicts of a comparison are. A
        measure that no run declares and that is chosen after the runs were made may be the one that makes a
        run look best; then they are corrected for all measures that the runs share.

        Raises:
            InputError: for a measure that no run has, and if no run declares one.
        """
        declared = _declared(runs)
        if primary is None:
            if not declared:
                names = ", ".join(_shared(runs)) or "none in common"
                raise InputError(f"the runs declare no primary measure; name one to order by: {names}")
            name, notes = declared[0], _first_differs(runs, declared[0])
            return cls(name, "declared", len(declared), tuple(declared[1:]), (*_disputed(runs, name), *notes))
        name = _known(runs, primary)
        others = tuple(other for other in declared if other != name)
        if name in declared:
            return cls(name, "declared", len(declared), others, _disputed(runs, name))
        candidates = list(dict.fromkeys([*_shared(runs), name, *others]))
        return cls(name, "afterwards", len(candidates), others, (_afterwards(name, declared, candidates),))

    def by(self, measure: str) -> "Ordering":
        """The ordering by one of the other measures, in the same family of statements."""
        return replace(self, measure=measure, others=(), notes=())

    def level(self, level: float) -> float:
        """The level of one family of statements, so that those about all candidates hold together."""
        return 1 - (1 - level) / self.candidates


def _declared(runs: Sequence[RunData]) -> list[str]:
    """Measures that runs declare as primary, those that most runs declare first."""
    names = dict.fromkeys(name for run in runs for name in run.primary if not is_usage(name))
    counts = {name: sum(name in run.primary for run in runs) for name in names}
    return sorted(names, key=lambda name: -counts[name])


def _shared(runs: Sequence[RunData]) -> list[str]:
    """Measures of all runs, except those of usage."""
    return [
        name for name in runs[0].metrics if not is_usage(name) and all(name in run.metrics for run in runs)
    ]


def _known(runs: Sequence[RunData], primary: str) -> str:
    for run in runs:
        names = {name: name for name in run.metrics}
        names |= {metric.display_name: name for name, metric in run.metrics.items()}
        if primary in names:
            return names[primary]
    return runs[0].metric(primary).name


def _disputed(runs: Sequence[RunData], name: str) -> tuple[str, ...]:
    others = [run.name or "a run" for run in runs if name in run.metrics and name not in run.primary]
    if not others:
        return ()
    return (f"Not every run declares {name} as primary measure: {', '.join(others)} did not.",)


def _first_differs(runs: Sequence[RunData], name: str) -> tuple[str, ...]:
    """That some runs name another measure first."""
    first = {
        run.name or "a run": next(filter(lambda own: not is_usage(own), run.primary), name) for run in runs
    }
    others = [f"{run} names {measure}" for run, measure in first.items() if measure != name]
    if not others:
        return ()
    return (f"Not every run names {name} first: {', '.join(others)} first; --primary (primary=) chooses.",)


def _afterwards(name: str, declared: Sequence[str], candidates: Sequence[str]) -> str:
    known = ", ".join(declared) or "none"
    return (
        f"Primary measure chosen afterwards: {name} (the runs declare {known}); differences, ranks and ★ are "
        f"corrected for the {counted(len(candidates), 'measure')} that could have been chosen (Bonferroni)."
    )
