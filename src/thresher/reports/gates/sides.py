"""The run and its baseline, and the items of each that stand against a bar."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference import Target
from thresher.reports.comparability import pair_notes, withheld
from thresher.reports.gates.requirement import Part
from thresher.reports.grouping import Grouping, column_of
from thresher.reports.names import distinct_run_names
from thresher.reports.pair import Pair
from thresher.reports.run_data import RunData

Mask = npt.NDArray[np.bool_]
MOST_PARTS = 100


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
    """

    run: RunData
    baseline: RunData | None = None
    cluster: str | None = None
    repeats: str | None = None
    always: bool = False

    @cached_property
    def grouping(self) -> Grouping:
        """How the items of the run hang together."""
        return Grouping.of(self.run, self.cluster, self.repeats)

    @cached_property
    def pair(self) -> Pair:
        """Baseline and run over the items that both have.

        Raises:
            UndecidableError: without a baseline, or if the runs cannot be joined.
        """
        if self.baseline is None:
            raise UndecidableError("there is no baseline")
        first, second = distinct_run_names([self.baseline.name or "baseline", self.run.name or "run"])
        try:
            return Pair.of(
                self.baseline, self.run, (first, second), cluster=self.cluster, repeats=self.repeats
            )
        except InputError as error:
            raise UndecidableError(str(error)) from error

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

    def parts(self, part: Part | None) -> Iterator[tuple[Part | None, Mask]]:
        """Each part that is meant, and which items of the run are in it.

        Raises:
            InputError: for an unknown column, or one with too many different entries.
            UndecidableError: if no item is in a part.
        """
        if part is None:
            yield None, np.ones(len(self.run), np.bool_)
            return
        entries = np.array([_text(entry) for entry in column_of(self.run, part.column)], dtype=object)
        known = sorted({entry for entry in entries if entry is not None})
        if part.value is not None and part.value not in known:
            raise UndecidableError(f"no item has {part.column}={part.value}; there are {_few(known)}")
        if part.value is None and not 0 < len(known) <= MOST_PARTS:
            raise InputError(
                f"column {part.column!r} has {len(known)} different entries; "
                f"slice by one with 1 to {MOST_PARTS}"
            )
        for value in known if part.value is None else [part.value]:
            yield Part(part.column, value), np.asarray(entries == value, dtype=np.bool_)


def _text(entry: object) -> str | None:
    return None if entry is None else str(entry)


def _few(names: Sequence[str], most: int = 10) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
