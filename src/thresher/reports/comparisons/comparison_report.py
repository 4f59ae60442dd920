"""Reports of two and more runs side by side."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference import Comparison, Target, compare
from thresher.kernels.inference.block_totals import prepare_totals
from thresher.kernels.inference.missing import bounded_by_missing
from thresher.reports.analysis import DEFAULT, Analysis
from thresher.reports.comparisons.comparability import (
    has_value,
    not_compared,
    notes_of,
    unfinished,
    withheld,
)
from thresher.reports.comparisons.comparison_row import ComparisonRow
from thresher.reports.comparisons.comparison_table import comparison_table, part_columns, terminal_tables
from thresher.reports.comparisons.family import Family
from thresher.reports.comparisons.findings import reading
from thresher.reports.comparisons.margins import check_margin
from thresher.reports.comparisons.run_pair import RunPair
from thresher.reports.report import Report
from thresher.reports.runs.completeness import shortfall_notes_of
from thresher.reports.runs.label_notes import few_label_notes
from thresher.reports.runs.looks import looked_level
from thresher.reports.runs.missing_bounds import bounds_notes
from thresher.reports.runs.missing_code import missing_code_notes
from thresher.reports.runs.names import distinct_run_names
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.run_report import RunReport, chosen_metrics
from thresher.reports.table import Table
from thresher.results import Measure

Runs = Sequence[RunData]
Mask = npt.NDArray[np.bool_]
_HEAD = ("metric", "baseline", "run", "baseline_value", "run_value", "difference")
_TAIL = (
    "standard_error",
    "p_value",
    "p_adjusted",
    "role",
    "verdict",
    "withheld",
    "why",
    "effect",
    "effect_kind",
    "detectable",
    "stated_difference",
    "items_needed_low",
    "items_needed_high",
    "margin",
    "items",
    "wins",
    "ties",
    "losses",
)


class ComparisonReport(Report[dict[str, dict[str, float]]]):
    """Several runs, each compared with the first.

    Values and difference of a row cover the same items: those that both runs scored. P-values of the
    primary measures, or of those requested by name, are corrected (Holm) over all runs that are compared; the
    other measures are secondary, listed after them without a verdict.

    Args:
        runs: two or more runs; the first is the baseline.
        analysis: what to compute.

    Raises:
        InputError: with fewer than two runs, for runs without items or metrics in common, an unknown column
            or metric, or a margin that is not a positive number.
    """

    def __init__(self, runs: Runs, analysis: Analysis = DEFAULT) -> None:
        if len(runs) < 2:  # noqa: PLR2004
            raise InputError("a comparison needs two or more runs")
        self.runs = tuple(runs)
        self.analysis = analysis
        self.level = looked_level(analysis.level, runs)
        self.names = tuple(distinct_run_names([run.name for run in runs]))
        self.margins = analysis.margins_of([name for run in runs for name in run.metrics])
        self.metrics = None if analysis.metrics is None else chosen_metrics(runs[0], analysis.metrics)
        self.family = Family.of(runs, self.names, self.metrics, analysis.primary, self.margins.of_metric)
        self._margin_notes = [
            check_margin(metric, size, self._measure(metric).bounds)
            for metric in self.family.measures
            if (size := self.margins.of(metric)) is not None
        ]
        grouped = {"cluster": analysis.cluster, "repeats": analysis.repeats}
        self.pairs = [
            RunPair.of(runs[0], run, (self.names[0], name), **grouped, metrics=self.metrics)
            for run, name in zip(runs[1:], self.names[1:], strict=True)
        ]
        if not any(pair.shared for pair in self.pairs):
            raise InputError(_nothing_shared(self.pairs))
        self._prepare_totals()

    def _measure(self, metric: str) -> Measure:
        return next(run.metrics[metric].measure for run in self.runs if metric in run.metrics)

    def _prepare_totals(self) -> None:
        """Let stored runs be read once for all values, intervals and differences."""
        shown = [(run, name) for run in self.runs for name in self._metrics_of(run) or run.metrics]
        prepare_totals(
            [Target(run.metrics[name].result, name) for run, name in shown],
            [pair.targets(metric) for pair in self.pairs for metric in pair.shared],
        )

    @cached_property
    def rows(self) -> list[ComparisonRow]:
        """Per run after the first and metric that both have, the paired difference; tested metrics first."""
        shared = [(pair, metric) for pair in self.pairs for metric in self.family.first(pair.shared)]
        comparisons = self.family.corrected([self.compared(pair, metric) for pair, metric in shared])
        return [
            ComparisonRow(
                *pair.names,
                self.bounded(pair, metric, comparison),
                self.reason(pair, metric, comparison),
                role=self.family.role(metric),
                rule=pair.first.metrics[metric].measure.rule,
            )
            for (pair, metric), comparison in zip(shared, comparisons, strict=True)
        ]

    def reason(
        self, pair: RunPair, metric: str, comparison: Comparison, over: Mask | None = None
    ) -> str | None:
        """Why a comparison has no verdict; None if it has one."""
        without = not_compared(pair, metric, comparison, over) or unfinished(pair)
        return without or (None if self.analysis.verdicts == "always" else withheld(pair, metric))

    @property
    def comparable(self) -> bool:
        """Whether any tested measure has a value in two runs over the items that both scored.

        Where the runs declare no primary measure at all, any shown measure will do.
        """
        tested = self.family.measures
        return any(
            all(has_value(target) for target in pair.targets(metric))
            for pair in self.pairs
            for metric in pair.shared
            if metric in tested or not tested
        )

    @property
    def obstacles(self) -> list[str]:
        """Why no tested measure could be compared; empty if one could."""
        if self.comparable:
            return []
        tested = [row for row in self.rows if row.tested or not self.family.measures]
        return [*reading(tested, 0), *self._unshared] or self.family.notes(self._shared)

    def compared(self, pair: RunPair, metric: str, over: Mask | None = None) -> Comparison:
        """One metric of two runs, over some of their common items."""
        targets = pair.targets(metric)
        if over is not None:
            targets = (targets[0].over(over), targets[1].over(over))
        comparison = compare(
            *targets, level=self.level, margin=self.margins.of(metric), **pair.grouping.units
        )
        return replace(comparison, unchanged=pair.unchanged(metric))

    def bounded(
        self, pair: RunPair, metric: str, comparison: Comparison, over: Mask | None = None
    ) -> Comparison:
        """A corrected comparison with what missing scores could make of its verdict."""
        first, second = (Target(target.result, metric, over) for target in pair.targets(metric))
        here, there = pair.lost(metric)
        lost = (here, there) if over is None else (here & over, there & over)
        return bounded_by_missing(comparison, first, second, lost, **pair.grouping.units)

    @property
    def notes(self) -> list[str]:
        """What to know first: other data and settings, items left out, metrics that only one run has."""
        return self.common_notes

    @cached_property
    def common_notes(self) -> list[str]:
        """What to know of the runs as a whole."""
        runs = dict(zip(self.names, self.runs, strict=True))
        notes = shortfall_notes_of(runs, [report.metrics for report in self.reports])
        notes += notes_of(self.pairs)
        if any(one == other for one, other in pairwise(sorted(run.name for run in self.runs if run.name))):
            notes.append(f"Two runs share a name; shown as {', '.join(self.names)}.")
        grouping = self.pairs[0].grouping.notes if self.pairs else []
        bounds = bounds_notes(self.runs, self._shared)
        notes += {note: None for run in self.reports for note in missing_code_notes(run.run, run.metrics)}
        margins = list(dict.fromkeys(filter(None, self._margin_notes)))
        few = few_label_notes(self.runs[0], self._shared, self.reports[0].grouping)
        return [*notes, *self.family.notes(self._shared), *grouping, *few, *bounds, *margins]

    @property
    def _shared(self) -> list[str]:
        """The shown measures that the first run has in common with another one."""
        return list(dict.fromkeys(metric for pair in self.pairs for metric in pair.shared))

    @property
    def _unshared(self) -> list[str]:
        """One sentence per run that has no metric in common with the first."""
        alone = [pair.names for pair in self.pairs if not pair.shared]
        return [f"{run} against {first}: not compared: no metric in common." for first, run in alone]

    @property
    def reading(self) -> list[str]:
        """What the report says, in whole sentences."""
        return [*reading(self.rows, self.tests), *self._unshared]

    @property
    def tests(self) -> int:
        """For how many tests the p-values are corrected."""
        wide = self.family.chosen == "afterwards"
        return sum(not math.isnan(row.comparison.p_value) for row in self.rows if wide or row.tested)

    @cached_property
    def reports(self) -> list[RunReport]:
        """Each run's own report, over all items that it scored."""
        return [RunReport(run, replace(self.analysis, metrics=self._metrics_of(run))) for run in self.runs]

    def _metrics_of(self, run: RunData) -> list[str] | None:
        return None if self.metrics is None else [name for name in self.metrics if name in run.metrics]

    def values(self) -> dict[str, dict[str, float]]:
        """Run name -> display name -> value, each over the run's own scored items."""
        return {name: report.values() for name, report in zip(self.names, self.reports, strict=True)}

    def table(self) -> Table:
        """Return one row per metric and run after the first: values, paired difference, verdict."""
        rows = []
        for row in self.rows:
            facts = row.to_dict()
            limits = [(facts["interval"] or {}).get(key) for key in ("low", "high", "method")]
            limits += [(facts["narrow"] or {}).get(key) for key in ("low", "high")]
            part = [] if row.part is None else [row.part]
            needed = facts["items_needed"] or (None, None)
            facts |= {"items_needed_low": needed[0], "items_needed_high": needed[1]}
            rows.append([*part, *(facts[key] for key in _HEAD), *limits, *(facts[key] for key in _TAIL)])
        columns = (
            *part_columns(self.rows),
            *_HEAD,
            "low",
            "high",
            "interval",
            "narrow_low",
            "narrow_high",
            *_TAIL,
        )
        return Table(columns, rows, notes=self.notes, reading=self.reading)

    def summary(self) -> Table:
        """Return the comparison metric by metric, rounded: what is better, what is open, and why."""
        return comparison_table(self)

    def layouts(self) -> Iterator[Table]:
        """Return tables for a terminal: a wide and a compact one, with letters for long names of runs."""
        return terminal_tables(self)

    def default(self) -> dict[str, dict[str, float]]:
        """Return the values by run and display name.

        Raises:
            InputError: for options that decide about verdicts, which this form does not show.
        """
        tests = ("margins", "margin", "primary")
        unused = [name for name in tests if getattr(self.analysis, name) is not None]
        if unused:
            raise InputError(
                f"{unused[0]}= decides about verdicts, which the default format does not show; "
                "pass output_format='df', 'csv', 'json' or 'markdown'"
            )
        return self.values()

    def page_arguments(self) -> dict[str, Any]:  # noqa: D102
        return {"runs": self.runs, **vars(self.analysis)}

    def data(self) -> dict[str, Any]:
        """Notes, every run's aggregate report, the differences to the first run, and what they say."""
        tests = {"made": self.tests, "correction": "holm", "level": self.level}
        named = zip(self.reports, self.names, strict=True)
        reports = [{**report.data(), "run": name} for report, name in named]
        return {
            "notes": self.notes,
            "runs": reports,
            "differences": [row.to_dict() for row in self.rows],
            "reading": self.reading,
            "tests": {**tests, "family": self.family.to_dict()},
        }


def _nothing_shared(pairs: Sequence[RunPair]) -> str:
    """What each run has, where no two have a metric in common."""
    first = pairs[0]
    *others, last = [pair.names[1] for pair in pairs]
    names = f"{', '.join([first.names[0], *others])} and {last}"
    sides = [(first.names[0], first.requested(first.first))]
    sides += [(pair.names[1], list(pair.second.metrics)) for pair in pairs]
    there = "; ".join(f"{name} has {', '.join(metrics) or 'none'}" for name, metrics in sides)
    return f"{names} have no metric in common: {there}; compare runs of the same metrics"
