"""The runs of a leaderboard: those that can be compared with one another, and why the others cannot."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from thresher.errors import InputError
from thresher.reports.comparisons.run_pair import RunPair, other_settings
from thresher.reports.runs.completeness import shortfall_notes_of
from thresher.reports.runs.names import distinct_run_names
from thresher.reports.runs.run_data import RunData
from thresher.results.suggestions import suggest

Runs = Sequence[RunData] | Mapping[str, RunData]
Pairs = dict[tuple[str, str], list[str] | InputError]
"""Names of two runs -> how their data differ, in sentences, or why they cannot be joined."""


def named_runs(runs: Runs, what: str = "a leaderboard") -> dict[str, RunData]:
    """Return runs by distinct names.

    Args:
        runs: runs, or name -> run.
        what: what is made of them, for the message.

    Raises:
        InputError: for fewer than two runs, or an entry that is not a run.
    """
    entries = list(runs.values()) if isinstance(runs, Mapping) else list(runs)
    for entry in entries:
        if not isinstance(entry, RunData):
            raise InputError(f"runs holds {type(entry).__name__}; give EvaluationResults")
    if len(entries) < 2:  # noqa: PLR2004
        raise InputError(f"{what} needs two or more runs, not {len(entries)}; a report shows one run")
    names = list(map(str, runs)) if isinstance(runs, Mapping) else [entry.name for entry in entries]
    named = zip(distinct_run_names(names), entries, strict=True)
    return {name: _called(run, name) for name, run in named}


def _called(run: RunData, name: str) -> RunData:
    """The run under the name that the leaderboard shows."""
    if run.name == name:
        return run
    return type(run)(
        run.inputs, run.results, name=name, ids=run.ids, ids_given=run.ids_given, provenance=run.provenance
    )


def run_name(name: str, names: Sequence[str]) -> str:
    """Return the name of the baseline.

    Raises:
        InputError: if no run has the name.
    """
    if name in names:
        return name
    raise InputError(f"no run {name!r} for a baseline{suggest(name, names)}; there are {', '.join(names)}")


@dataclass(frozen=True)
class Entrants:
    """Runs that can be compared with one another in a measure.

    Attributes:
        names: their names.
        excluded: name of another run -> why it cannot be compared with them.
        notes: sentences about differences of data and settings.
    """

    names: tuple[str, ...]
    excluded: Mapping[str, str]
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls,
        runs: Mapping[str, RunData],
        measure: str,
        baseline: str | None = None,
        *,
        strict: bool = True,
        pairs: Pairs | None = None,
    ) -> "Entrants":
        """Find the largest group of runs with equal data and equal settings of the measure.

        Args:
            runs: name -> run.
            measure: the measure that orders them.
            baseline: name of a run; its group is chosen instead of the largest one.
            strict: whether runs with other data or settings are excluded; they are noted anyway.
            pairs: how the data of pairs of these runs differ, as far as known; new ones are added.

        Raises:
            InputError: if fewer than two runs can be compared, or the baseline lacks the measure.
        """
        excluded = {name: f"no {measure}" for name, run in runs.items() if measure not in run.metrics}
        excluded |= {
            name: "no scored item"
            for name, run in runs.items()
            if name not in excluded and not run.metrics[measure].result.scored.any()
        }
        if baseline in excluded:
            raise InputError(f"the baseline {baseline} cannot be compared: {excluded[baseline]}")
        groups: list[list[str]] = []
        pairs = {} if pairs is None else pairs
        for name in runs:
            if name not in excluded:
                _assign(groups, runs, name, measure, pairs)
        if not groups:
            raise InputError(_why_unscored(runs, measure))
        chosen = max(groups, key=lambda group: (baseline in group, len(group)))
        if not strict:
            names = tuple(name for name in runs if name not in excluded)
            return cls._checked(runs, names, excluded, _differences(groups, chosen, runs, measure, pairs)[1])
        reasons, notes = _differences(groups, chosen, runs, measure, pairs)
        return cls._checked(runs, tuple(chosen), excluded | reasons, notes)

    @classmethod
    def _checked(
        cls,
        runs: Mapping[str, RunData],
        names: tuple[str, ...],
        excluded: Mapping[str, str],
        notes: Sequence[str],
    ) -> "Entrants":
        if len(names) < 2:  # noqa: PLR2004
            why = " ".join(notes) or "; ".join(f"{name}: {reason}" for name, reason in excluded.items())
            raise InputError(f"no two runs can be ranked together. {why}{'' if notes else _shared(runs)}")
        return cls(names, excluded, tuple(notes))


def _shared(runs: Mapping[str, RunData]) -> str:
    """The end of a message: by which measures two runs could be ranked."""
    counts = Counter(
        name for run in runs.values() for name, metric in run.metrics.items() if metric.result.scored.any()
    )
    shared = [name for name, count in counts.items() if count > 1]
    if not shared:
        return "; no two runs have scores of the same measure"
    return f"; two or more runs have scores of {', '.join(shared)}: order by one of these"


def _why_unscored(runs: Mapping[str, RunData], measure: str) -> str:
    """That no run has a score, with the first reason."""
    having = {name: run for name, run in runs.items() if measure in run.metrics}
    notes = shortfall_notes_of(having, [[measure]] * len(having))
    return f"no run has a score of {measure}{f': {notes[0]}' if notes else '; choose another measure'}"


def _assign(
    groups: list[list[str]], runs: Mapping[str, RunData], name: str, measure: str, pairs: Pairs
) -> None:
    """Add a run to the first group whose first run has equal data and settings, else to a new group."""
    for group in groups:
        if not difference((group[0], name), runs, measure, pairs)[0]:
            group.append(name)
            return
    groups.append([name])


def _differences(
    groups: Sequence[Sequence[str]],
    chosen: Sequence[str],
    runs: Mapping[str, RunData],
    measure: str,
    pairs: Pairs,
) -> tuple[dict[str, str], list[str]]:
    """Reasons by name, and sentences, for the runs of the other groups."""
    reasons, notes, first = {}, [], chosen[0]
    for group in groups:
        for name in group if group is not chosen else ():
            reasons[name], sentences = difference((first, name), runs, measure, pairs)
            notes += sentences
    return reasons, notes


def difference(
    names: tuple[str, str], runs: Mapping[str, RunData], measure: str, pairs: Pairs
) -> tuple[str, list[str]]:
    """What differs between two runs, in short and in sentences: items, data, settings of the measure."""
    first, second = (runs[name] for name in names)
    if names not in pairs:
        try:
            pairs[names] = RunPair.of(first, second, names, cluster="", repeats="").other_data
        except InputError as error:  # no items in common
            pairs[names] = error
    other_data = pairs[names]
    if isinstance(other_data, InputError):
        return "other items", [f"{other_data}."]
    settings = other_settings((first, second), names, measure)
    computed = f"{measure} was computed with other settings in {names[1]} than in {names[0]}: {settings}."
    reason = "other data" if other_data else "other settings" if settings else ""
    return reason, [*other_data, *([computed] if settings else [])]
