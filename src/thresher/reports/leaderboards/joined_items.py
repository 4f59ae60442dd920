"""The items of several runs, joined by id, else by question."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference import Target
from thresher.reports.comparisons.join import (
    NO_KEY,
    Keys,
    id_keys,
    is_every,
    places_among,
    question_keys,
)
from thresher.reports.runs.completeness import missing_scores
from thresher.reports.runs.grouping import CLUSTER, CONVERSATION, REPEATS, Grouping, column_of
from thresher.reports.runs.run_data import RunData
from thresher.results import FrozenColumn, MetricResult
from thresher.results.taken_statistics import TakenStatistics, taken_result

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.signedinteger[Any]]


@dataclass(frozen=True, eq=False)
class JoinedItems:
    """The items that more than half of the runs have.

    A run that was stopped early then lacks items, instead of taking them from all others.

    Attributes:
        runs: the runs.
        by: `id` or `question`.
        positions: per run the position of each item in it; -1 if the run lacks the item.
    """

    runs: tuple[RunData, ...]
    by: str
    positions: tuple[Numbers, ...]
    _taken: dict[int, MetricResult] = field(default_factory=dict)
    _stores: dict[object, TakenStatistics] = field(default_factory=dict)

    @classmethod
    def of(cls, runs: Sequence[RunData]) -> "JoinedItems":
        """Join runs by their ids if all have some, else by their questions.

        Raises:
            InputError: if no item is in more than half of the runs.
        """
        if all(run.ids_given for run in runs):
            positions = _frequent([id_keys(run) for run in runs])
            if len(positions[0]):
                return cls(tuple(runs), "id", positions)
        asked = [keys for _, keys, _ in map(question_keys, runs) if keys is not None]
        positions = _frequent(asked) if len(asked) == len(runs) else ()
        if not positions or not len(positions[0]):
            names = ", ".join(run.name or "a run" for run in runs)
            raise InputError(
                f"{names} have too few items in common: no item is in more than half of them, by id or by "
                "question; give all runs the same `id` column"
            )
        return cls(tuple(runs), "question", positions)

    def __len__(self) -> int:
        """Number of items."""
        return len(self.positions[0])

    @property
    def names(self) -> list[str]:
        """The ids of the items, or their questions."""
        if self.by == "id":
            return list(map(str, self._entries([run.ids for run in self.runs])))
        return list(map(str, self._entries([run.inputs[question_keys(run)[0]] for run in self.runs])))

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
        if is_every(at, len(result)):
            return Target(result, measure)
        if id(result) not in self._taken:
            self._taken[id(result)] = taken_result(result, np.maximum(at, 0), self._stores)
        return Target(self._taken[id(result)], measure, at >= 0)

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
        columns = {
            name: self._entries([run.inputs.get(name) for run in self.runs]) for name in dict.fromkeys(names)
        }
        ids = list(map(str, range(len(self)))) if columns else None
        return Grouping.of(RunData(columns, [], ids=ids), cluster, repeats)

    def _entries(self, columns: Sequence[FrozenColumn | None]) -> list[Any]:
        """The entry of each item in the first run that has both; None without one."""
        entries, unknown = [None] * len(self), np.ones(len(self), np.bool_)
        for column, at in zip(columns, self.positions, strict=True):
            if column is not None:
                items = np.flatnonzero(unknown & (at >= 0))
                for item, entry in zip(items.tolist(), column.take(at[items].tolist()), strict=True):
                    entries[item] = entry
                unknown[items] = False
        return entries


def _frequent(keys_of_runs: Sequence[Keys]) -> tuple[Numbers, ...]:
    """Per run the positions of the keys that more than half of the runs have, by their first occurrence."""
    every, places = np.zeros(0, np.int64), []
    for keys in keys_of_runs:
        own = places_among(keys, every)
        new = np.flatnonzero((own < 0) & (keys != NO_KEY))
        own[new] = np.arange(len(every), len(every) + len(new))
        every = np.concatenate([every, keys[new]])
        places.append(own)
    positions = [np.full(len(every), -1) for _ in places]
    for at, own in zip(positions, places, strict=True):
        at[own[own >= 0]] = np.flatnonzero(own >= 0)
    counts = np.sum([at >= 0 for at in positions], axis=0)
    small = np.min_scalar_type(-max(1, *map(len, keys_of_runs)))  # 4 bytes an item
    return tuple(at[counts > len(positions) / 2].astype(small) for at in positions)
