"""The data of a gate: a run, its baseline, and slices of their items."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from thresher.errors import InputError
from thresher.kernels.inference import Target
from thresher.reports.comparisons.comparability import pair_notes, withheld
from thresher.reports.comparisons.margins import Margins
from thresher.reports.comparisons.run_pair import RunPair
from thresher.reports.gates.grammar import Mask, SliceSelector
from thresher.reports.runs.completeness import unfinished_sentence
from thresher.reports.runs.grouping import Grouping, column_of
from thresher.reports.runs.looks import looks_sentence
from thresher.reports.runs.run_data import RunData
from thresher.reports.slices.parts import named_columns, parts_of
from thresher.reports.thresholds.chosen_on import ChoiceOfItems

_MOST_NAMES, _MOST_ENTRIES = 4, 10
"""More measures, or entries of a column, would make a sentence too long to read."""


class UndecidableError(Exception):
    """A requirement cannot be decided on these data; the text says why."""


@dataclass(frozen=True)
class GateContext:
    """A run with everything that its requirements are measured by.

    Attributes:
        run: the run.
        baseline: the run to compare with, if any.
        cluster: name of the column of clusters; see `Grouping`.
        repeats: name of the column of repeated items; see `Grouping`.
        across_settings: whether runs are compared although settings or data differ.
        margins: margins of `no-regression` without `within`.
        choose_on: `column=value`: the items that `held_out` chooses thresholds on; None for random halves.
    """

    run: RunData
    baseline: RunData | None = None
    cluster: str | None = None
    repeats: str | None = None
    across_settings: bool = False
    margins: Margins = field(default_factory=Margins)
    choose_on: str | None = None

    @cached_property
    def grouping(self) -> Grouping:
        """Clusters and repeats of the run's items."""
        return Grouping.of(self.run, self.cluster, self.repeats)

    @cached_property
    def chosen_on(self) -> Mask | None:
        """Mask of the items of the run that thresholds are chosen on; None for random halves.

        Raises:
            InputError: for an unknown column, or a value that no item or every item has.
        """
        return ChoiceOfItems(self.choose_on).named(self.run)

    @property
    def names(self) -> tuple[str, str]:
        """Distinct names of the run and the baseline; two runs of one data file often share theirs."""
        run = self.run.name or "run"
        baseline = "baseline" if self.baseline is None else self.baseline.name or "baseline"
        return run, f"{baseline} (baseline)" if baseline == run else baseline

    @cached_property
    def pair(self) -> RunPair:
        """Baseline and run, joined on their common items.

        Raises:
            UndecidableError: without a baseline, or if the runs cannot be joined.
        """
        if self.baseline is None:
            raise UndecidableError("there is no baseline")
        run, baseline = self.names
        try:
            return RunPair.of(
                self.baseline, self.run, (baseline, run), cluster=self.cluster, repeats=self.repeats
            )
        except InputError as error:
            raise UndecidableError(str(error)) from error

    @property
    def primary(self) -> list[str]:
        """Measures that both runs have and that one of them declares as primary.

        Raises:
            UndecidableError: if there are none, without a baseline, or if the runs cannot be joined.
        """
        if not self.pair.shared:
            raise UndecidableError("run and baseline have no metric in common")
        declared = {*self.pair.first.primary, *self.pair.second.primary}
        measures = [metric for metric in self.pair.shared if metric in declared]
        if not measures:
            remedy = "name the measures, as in no-regression(a, b)"
            raise UndecidableError(f"run and baseline have no primary measure in common; {remedy}")
        return measures

    def notes(self, *, primary_only: bool) -> list[str]:
        """Return what to know before the decisions; unfinished runs and differing settings come first.

        `primary_only`: whether a requirement tests the primary measures only; the others are then named.
        """
        if self.baseline is None:
            notes = [unfinished_sentence(self.run), looks_sentence(self.run)]
        else:
            runs = list(zip(self.names, (self.run, self.baseline), strict=True))
            notes = [
                f"{name}: {said}"
                for sentence in (unfinished_sentence, looks_sentence)
                for name, run in runs
                if (said := sentence(run))
            ]
        try:
            notes += [] if self.baseline is None else pair_notes(self.pair)
            untested = self._untested() if primary_only and self.baseline is not None else []
        except UndecidableError:  # every decision against the baseline repeats this reason
            untested = []
        chosen = [] if self.choose_on is None else [f"held_out: {ChoiceOfItems(self.choose_on).sentence()}"]
        return [*filter(None, notes), *self.grouping.notes, *untested, *chosen]

    def _untested(self) -> list[str]:
        others = [metric for metric in self.pair.shared if metric not in self.primary]
        if not others:
            return []
        tested = f"the primary measures ({', '.join(self.primary)}), not {_listed(others, _MOST_NAMES)}"
        return [f"no-regression tests {tested}; no-regression(NAME) tests what it names."]

    def paired_targets(self, metric: str) -> tuple[Target, Target]:
        """Return a metric of baseline and run over the common items that both scored.

        Raises:
            UndecidableError: if the baseline lacks the metric, or the runs are not comparable.
        """
        pair = self.pair
        if metric not in pair.first.metrics:
            raise UndecidableError("the baseline does not have it")
        if not self.across_settings and withheld(pair, metric):
            settings = pair.other_settings(metric)
            parts = filter(None, ["data" * bool(pair.other_data), f"settings ({settings})" * bool(settings)])
            raise UndecidableError(
                f"{' and '.join(pair.names)} were evaluated with different {' and '.join(parts)}; "
                "pass --across-settings to decide anyway"
            )
        return pair.targets(metric)

    def slices(self, selector: SliceSelector | None, metric: str) -> Iterator[tuple[str, Mask]]:
        """Yield the name of each selected slice and the mask of its items; an empty name means all items.

        Raises:
            InputError: for an unknown column, one whose entries are nearly all different, or a condition that
                cannot be read.
            UndecidableError: if a slice has no items.
        """
        if selector is None:
            yield "", np.ones(len(self.run), np.bool_)
        elif selector.entry is not None:
            yield "{} = {}".format(*selector.entry), self._with_entry(*selector.entry)
        else:
            yield from self._slices_by(selector, metric)

    def _slices_by(self, selector: SliceSelector, metric: str) -> Iterator[tuple[str, Mask]]:
        if selector.by is not None and selector.by not in named_columns(self.run):
            column_of(self.run, selector.by)
        text = selector.by or selector.condition or ""
        masks = parts_of(self.run, text).of(metric)
        if not any(mask.any() for mask in masks.values()):
            raise UndecidableError(f"no item is in [{text}]")
        yield from masks.items()

    def _with_entry(self, column: str, value: str) -> Mask:
        entries = np.array([_entry_text(entry) for entry in column_of(self.run, column)], dtype=object)
        mask = np.asarray(entries == value, dtype=np.bool_)
        if not mask.any():
            known = sorted({entry for entry in entries if entry is not None})
            raise UndecidableError(f"no item has {column}={value}; there are {_listed(known, _MOST_ENTRIES)}")
        return mask


def _entry_text(entry: object) -> str | None:
    if entry is None:
        return None
    return f"{entry:g}" if isinstance(entry, float) else str(entry)


def _listed(names: Sequence[str], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
