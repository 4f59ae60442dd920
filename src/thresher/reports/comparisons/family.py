"""The family of tests of a report: which measures get verdicts, and which p-values are corrected."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from thresher.errors import InputError
from thresher.kernels.inference import Comparison, corrected
from thresher.reports.comparisons.comparison_row import Role
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.run_report import chosen_metrics

Chosen = Literal["declared", "requested", "afterwards"]


@dataclass(frozen=True)
class Family:
    """The measures that a report tests. All others are secondary: shown with intervals, not tested.

    The runs declare their primary measures. Measures that are requested by name are tested instead, corrected
    for one another; a measure for which a margin is given by name is tested with the primary ones. Primary
    measures chosen only when the runs are compared could be those that came out best, so their p-values are
    corrected for all measures compared.

    Attributes:
        measures: names of the measures that are tested.
        chosen: `declared` by the runs, `requested` by name, or `afterwards`: primary measures that differ
            from those that the runs declare.
        declared: run name -> the primary measures that it declares.
        requested: measures that are tested because they were named, and not as primary.
        disputed: measures that some of the runs that have them declare as primary, and others do not.
        shared: measures that the first run has in common with another one, shown or not; all of a single run.
    """

    measures: tuple[str, ...]
    chosen: Chosen
    declared: dict[str, tuple[str, ...]]
    requested: tuple[str, ...] = ()
    disputed: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        runs: Sequence[RunData],
        names: Sequence[str],
        metrics: Sequence[str] | None = None,
        primary: Sequence[str] | None = None,
        margins: Collection[str] = (),
    ) -> "Family":
        """Choose the measures to test.

        Args:
            runs: the runs; the first is the baseline. A single run is compared with its own slices.
            names: their names in the report.
            metrics: names of the only measures that are shown; all without.
            primary: names of the primary measures; without, the requested ones, else those declared.
            margins: names of the measures for which a margin is given, which asks for their verdicts.

        Raises:
            InputError: for a name that the first run does not have, or a primary measure that is not shown.
        """
        declared = {name: run.primary for name, run in zip(names, runs, strict=True)}
        union = tuple(dict.fromkeys(name for measures in declared.values() for name in measures))
        disputed = tuple(
            name for name in union if any(name in run.metrics and name not in run.primary for run in runs)
        )
        others = runs[1:] or runs
        shared = tuple(name for name in runs[0].metrics if any(name in run.metrics for run in others))
        if primary is None and metrics is not None:
            return cls(tuple(metrics), "requested", declared, tuple(metrics), shared=shared)
        if primary is None:
            return cls(union, "declared", declared, disputed=disputed, shared=shared).with_named(margins)
        if isinstance(primary, str) or not primary:
            raise InputError(f"primary={primary!r} must be a list of one or more names of measures")
        measures = chosen_metrics(runs[0], primary)
        hidden = [name for name in measures if metrics is not None and name not in metrics]
        if hidden:
            raise InputError(f"primary: {hidden[0]} is not among metrics={list(metrics or ())}; add it there")
        same = not disputed and set(measures) == set(union) & set(shared)
        return cls(measures, "declared" if same else "afterwards", declared, shared=shared).with_named(
            margins
        )

    def with_named(self, named: Collection[str]) -> "Family":
        """The family with further measures that were named."""
        further = tuple(name for name in named if name not in self.measures)
        return replace(self, measures=(*self.measures, *further), requested=further)

    def role(self, metric: str) -> Role:
        """Whether a measure is tested as primary, tested on request, or only shown."""
        if metric not in self.measures:
            return "secondary"
        return "requested" if metric in self.requested else "primary"

    def first(self, metrics: Sequence[str]) -> list[str]:
        """The measures in their order, those that are tested first."""
        return sorted(metrics, key=lambda metric: metric not in self.measures)

    def corrected(self, comparisons: Sequence[Comparison]) -> list[Comparison]:
        """The comparisons, those of tested measures with p-values corrected (Holm) for the family."""
        wide = self.chosen == "afterwards"
        tested = [place for place, each in enumerate(comparisons) if wide or each.measure in self.measures]
        adjusted = list(comparisons)
        for place, comparison in zip(tested, corrected([comparisons[at] for at in tested]), strict=True):
            if comparison.measure in self.measures:
                adjusted[place] = comparison
        return adjusted

    def notes(self, shared: Sequence[str]) -> list[str]:
        """What to know about the choice: made for this comparison, declared differently, or none in common.

        Args:
            shared: measures that are shown and that the first run has in common with another one.
        """
        declared = "; ".join(f"{run} declares {_listed(names)}" for run, names in self.declared.items())
        if len(set(self.declared.values())) == 1:
            who = "the run declares" if len(self.declared) == 1 else "the runs declare"
            declared = f"{who} {_listed(next(iter(self.declared.values())))}"
        if self.chosen == "afterwards":
            primary = [name for name in self.measures if name not in self.requested]
            chosen = f"Primary measures chosen afterwards: {_listed(primary)} ({declared})"
            return [f"{chosen}; verdicts are corrected for all measures compared."]
        selected = self._selected(declared)
        if self.chosen == "requested":
            return selected
        if not any(name in shared for name in self.measures):
            return [f"No primary measure to test: {declared}. Name measures to test (--metric, metrics=)."]
        if not self.disputed:
            return selected
        differ = f"The runs differ in their primary measures: {declared}. Those that both have are tested."
        return [differ, *selected]

    def _selected(self, declared: str) -> list[str]:
        """That measures were requested by name, unless the runs declare these or there are no others."""
        tested = set(self.measures) & set(self.shared)
        primary = {name for names in self.declared.values() for name in names} & set(self.shared)
        if not self.requested or tested == set(self.shared) or (tested == primary and not self.disputed):
            return []
        one = len(self.requested) == 1
        p_values = "Its p-value is" if one else "Their p-values are"
        what = "report" if len(self.declared) == 1 else "comparison"
        chosen = f"Chosen for this {what}: {_listed(self.requested)} ({declared})."
        return [f"{chosen} {p_values} not corrected for the other measures that might have been chosen."]

    def to_dict(self) -> dict[str, Any]:
        """JSON data."""
        declared = {run: list(names) for run, names in self.declared.items()}
        return {"measures": list(self.measures), "chosen": self.chosen, "declared": declared}


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
