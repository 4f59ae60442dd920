"""The items of several runs, joined by id, else by question."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference import Target
from thresher.reports.comparisons.join import Key, question_keys
from thresher.reports.runs.completeness import missing_scores
from thresher.reports.runs.grouping import CLUSTER, CONVERSATION, REPEATS, Grouping, column_of
from thresher.reports.runs.run_data import RunData
from thresher.results import MetricResult

Codes = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class JoinedItems:
    """The items that more than half of the runs have.

    A run that was stopped early then lacks items, instead of taking them from all others.

    Attributes:
        runs: the runs.
        by: `id` or `question`.
        keys: what identifies each item.
        positions: per run the position of each item in it; -1 if the run lacks the item.
    """

    runs: tuple[RunData, ...]
    by: str
    keys: tuple[Key, ...]
    positions: tuple[Codes, ...]

    @classmethod
    def of(cls, runs: Sequence[RunData]) -> "JoinedItems":
        """Join runs by their ids if all have some, else by their questions.

        Raises:
            InputError: if no item is in more than half of the runs.
        """
        if all(run.ids_given for run in runs):
            keys = _frequent([run.ids for run in runs])
            if keys:
                return cls(tuple(runs), "id", keys, tuple(_positions(keys, run.ids) for run in runs))
        asked = [question_keys(run) for run in runs]
        of_runs = [list(questions) for questions in asked if questions is not None]
        keys = _frequent(of_runs) if len(of_runs) == len(runs) else ()
        if not keys:
            names = ", ".join(run.name or "a run" for run in runs)
            raise InputError(
                f"{names} have too few items in common: no item is in more than half of them, by id or by "
                "question; give all runs the same `id` column"
            )
        return cls(tuple(runs), "question", keys, tuple(_positions(keys, of_run) for of_run in of_runs))

    def __len__(self) -> int:
        """Number of items."""
        return len(self.keys)

    def note(self, names: Sequence[str]) -> list[str]:
        """Return which runs have items that are left out, in one sentence; none if no run has."""
        counts = [len(run) - int((at >= 0).sum()) for run, at in zip(self.runs, self.positions, strict=True)]
        extra = [f"{count} only in {name}" for count, name in zip(counts, names, strict=True) if count]
        if not extra:
            return []
        items = counted(len(self), "item")
        return [f"Ranked over the {items} that more than half of the runs have ({', '.join(extra)})."]

    def target(self, run: int, measure: str) -> Target:
        """One measure of one run over the joined items; items that the run lacks do not count."""
        result, at = self.runs[run].metrics[measure].result, self.positions[run]
        if _is_whole(at, result):
            return Target(result, measure)
        return Target(result.take(np.maximum(at, 0)), measure, at >= 0)

    def lost(self, run: int, measure: str) -> Mask:
        """Mask of the items that a run has, whose score exists in principle and is not known."""
        at = self.positions[run]
        return (at >= 0) & missing_scores(self.runs[run].metrics[measure].result)[np.maximum(at, 0)]

    def grouping(self, cluster: str | None, repeats: str | None) -> Grouping:
        """Clusters and repeats of the joined items; each item's are read from the first run that has it.

        Raises:
            InputError: for an unknown column, or an item without an entry in it.
        """
        names = [name for name in (cluster, repeats) if name]
        for name in names:
            column_of(self.runs[0], name)
        names += [name for name in (CLUSTER, CONVERSATION, REPEATS) if name in self.runs[0].inputs]
        columns = {name: self._column(name) for name in dict.fromkeys(names)}
        return Grouping.of(RunData(columns, [], ids=list(map(str, range(len(self))))), cluster, repeats)

    def _column(self, name: str) -> list[object]:
        entries: list[object] = [None] * len(self)
        for run, at in zip(reversed(self.runs), reversed(self.positions), strict=True):
            if name in run.inputs:
                column = run.inputs[name]
                for item in np.flatnonzero(at >= 0).tolist():
                    entries[item] = column[int(at[item])]
        return entries


def _frequent(keys_of_runs: Sequence[Sequence[Key]]) -> tuple[Key, ...]:
    """Keys that more than half of the runs have, in the order of their first occurrence."""
    counts = Counter(key for keys in keys_of_runs for key in keys if key is not None)
    return tuple(key for key, count in counts.items() if count > len(keys_of_runs) / 2)


def _positions(keys: Sequence[Key], own: Sequence[Key]) -> Codes:
    at = {key: position for position, key in enumerate(own) if key is not None}
    return np.array([at.get(key, -1) for key in keys], dtype=np.int64)


def _is_whole(at: Codes, result: MetricResult) -> bool:
    return len(at) == len(result) and bool((at == np.arange(len(at))).all())
