"""The run and its baseline, and the items of each that stand against a bar."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference import Target
from thresher.reports.comparisons.comparability import pair_notes, withheld
from thresher.reports.comparisons.margins import Margins
from thresher.reports.comparisons.run_pair import RunPair
from thresher.reports.gates.requirement import Part
from thresher.reports.runs.grouping import Grouping, column_of
from thresher.reports.runs.names import distinct_run_names
from thresher.reports.runs.run_data import RunData
from thresher.reports.slices.parts import named_columns, parts_of

Mask = npt.NDArray[np.bool_]


_NAMED = 4
"""Up to so many secondary measures are named in a sentence."""


class UndecidableError(Exception):
    """A requirement cannot be decided on these data; the text says why."""


@dataclass(frozen=True)
class Sides:
    """A run, and what it is held against.

    Attributes:
        run: the run.
        baseline: another run; None without.
        cluster: column that says which items belong together; see `Grouping`.
        repeats: column that says which items repeat one another; see `Grouping`.
        always: whether runs are compared although settings or data differ.
        margins: margins of `no-regression` without `within`.
    """

    run: RunData
    baseline: RunData | None = None
    cluster: str | None = None
    repeats: str | None = None
    always: bool = False
    margins: Margins = field(default_factory=Margins)

    @cached_property
    def grouping(self) -> Grouping:
        """How the items of the run hang together."""
        return Grouping.of(self.run, self.cluster, self.repeats)

    @cached_property
    def pair(self) -> RunPair:
        """Baseline and run over the items that both have.

        Raises:
            UndecidableError: without a baseline, or if the runs cannot be joined.
        """
        if self.baseline is None:
            raise UndecidableError("there is no baseline")
        first, second = distinct_run_names([self.baseline.name or "baseline", self.run.name or "run"])
        try:
            return RunPair.of(
                self.baseline, self.run, (first, second), cluster=self.cluster, repeats=self.repeats
            )
        except InputError as error:
            raise UndecidableError(str(error)) from error

    @property
    def primary(self) -> list[str]:
        """The measures that run and baseline share and that one of them declares as primary.

        Raises:
            UndecidableError: without a baseline, or if the runs cannot be joined.
        """
        declared = {*self.pair.first.primary, *self.pair.second.primary}
        return [metric for metric in self.pair.shared if metric in declared]

    @property
    def untested(self) -> list[str]:
        """What `no-regression` without names does not test, in a sentence; empty if it tests everything."""
        try:
            primary = self.primary
        except UndecidableError:  # every decision against the baseline says so
            return []
        others = [metric for metric in self.pair.shared if metric not in primary]
        if not primary or not others:
            return []
        said = f"the primary measures ({', '.join(primary)}), not {_few(others, _NAMED)}"
        return [f"no-regression tests {said}; no-regression(NAME) tests what it names."]

    @property
    def notes(self) -> list[str]:
        """What to know before the decisions are read; what keeps runs from being comparable comes first."""
        if self.baseline is None:
            return self.grouping.notes
        try:
            return [*pair_notes(self.pair), *self.grouping.notes]
        except UndecidableError:  # every decision against the baseline says so
            return self.grouping.notes

    def target(self, metric: str) -> Target:
        """A metric of the run over all its scored items."""
        return Target(self.run.metrics[metric].result, metric)

    def targets(self, metric: str) -> tuple[Target, Target]:
        """A metric of baseline and run over the common items, those that both scored.

        Raises:
            UndecidableError: if the baseline lacks the metric, or the runs are not comparable.
        """
        pair = self.pair
        if metric not in pair.first.metrics:
            raise UndecidableError("the baseline does not have it")
        reason = None if self.always else withheld(pair, metric)
        if reason:
            settings = f" ({pair.other_settings(metric)})" if pair.other_settings(metric) else ""
            raise UndecidableError(
                f"{pair.names[0]} and {pair.names[1]} stand on {reason}{settings}; "
                "--across-settings decides all the same"
            )
        return pair.targets(metric)

    def parts(self, part: Part | None, metric: str) -> Iterator[tuple[str, Mask]]:
        """Each part that is meant: what it is called, and which items of the run are in it.

        Raises:
            InputError: for an unknown column, one whose entries are nearly all different, or a condition that
                cannot be read.
            UndecidableError: if no item is in a part.
        """
        if part is None:
            yield "", np.ones(len(self.run), np.bool_)
        elif part.entry is not None:
            yield "{} = {}".format(*part.entry), self._with_entry(*part.entry)
        else:
            yield from self._parts_of(part, metric)

    def _parts_of(self, part: Part, metric: str) -> Iterator[tuple[str, Mask]]:
        if part.by is not None and part.by not in named_columns(self.run):
            column_of(self.run, part.by)
        masks = parts_of(self.run, part.by or part.condition or "").of(metric)
        if not any(mask.any() for mask in masks.values()):
            raise UndecidableError(f"no item is in [{part.by or part.condition}]")
        yield from masks.items()

    def _with_entry(self, column: str, value: str) -> Mask:
        entries = np.array([_text(entry) for entry in column_of(self.run, column)], dtype=object)
        mask = np.asarray(entries == value, dtype=np.bool_)
        if not mask.any():
            known = sorted({entry for entry in entries if entry is not None})
            raise UndecidableError(f"no item has {column}={value}; there are {_few(known)}")
        return mask


def _text(entry: object) -> str | None:
    if entry is None:
        return None
    return f"{entry:g}" if isinstance(entry, float) else str(entry)


def _few(names: Sequence[str], most: int = 10) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
