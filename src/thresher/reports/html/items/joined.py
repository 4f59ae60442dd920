"""The distinct items of all runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.reports.comparisons.join import join
from thresher.reports.runs.run_data import RunData
from thresher.results import FrozenColumn

Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True)
class JoinedItems:
    """The position of each item in each run.

    Attributes:
        ids: one per item, distinct.
        runs: number of runs.
        matrix: items x runs; the position of the item in the run, -1 where the run lacks it. None if every
            run has all items in their order.
    """

    ids: Sequence[str]
    runs: int
    matrix: Int64s | None = None

    @property
    def places(self) -> Int64s:
        """`matrix`, also if every run has all items in their order."""
        return self.places_of(np.arange(len(self.ids)))

    def places_of(self, rows: Int64s) -> Int64s:
        """The positions of some of the items: items x runs."""
        if self.matrix is None:
            return np.repeat(rows[:, None], self.runs, axis=1)
        return self.matrix[rows]

    def take(self, rows: Int64s) -> "JoinedItems":
        """Return some of the items."""
        ids = self.ids if isinstance(self.ids, FrozenColumn) else FrozenColumn(self.ids)
        return JoinedItems(tuple(ids.take(rows.tolist())), self.runs, self.places_of(rows))


def joined_items(runs: Sequence[RunData], names: Sequence[str]) -> JoinedItems:
    """Return the first run's items in its order, then those that only later runs have.

    Raises:
        InputError: if a run has no item in common with the first.
    """
    joins = [join(runs[0], run) for run in runs[1:]]
    if all(joined.is_whole(len(runs[0]), len(run)) for joined, run in zip(joins, runs[1:], strict=True)):
        return JoinedItems(runs[0].ids, len(runs))
    first, more = runs[0].ids, list[str]()
    taken: set[str] = set()
    later = dict[str, int]()
    places = [_first(len(first), len(runs))]
    extra: list[list[int]] = []
    for number, (run, joined) in enumerate(zip(runs[1:], joins, strict=True), start=1):
        places[0][joined.here, number] = joined.second
        own = np.ones(len(run), np.bool_)
        own[joined.there] = False
        if own.any() and not taken:
            taken = set(first)
        for place in np.flatnonzero(own).tolist():
            key = str(run.ids[place]) if run.ids_given else f"{names[number]} {run.ids[place]}"
            if key not in later:
                later[key] = len(extra)
                extra.append([-1] * len(runs))
                more.append(_free(key, names[number], taken))
            extra[later[key]][number] = place
    whole = np.array(extra, dtype=np.int64).reshape(len(extra), len(runs))
    ids: Sequence[str] = first if not more else (*first, *more)
    return JoinedItems(ids, len(runs), np.concatenate([*places, whole]) if extra else places[0])


def _first(items: int, runs: int) -> Int64s:
    places = np.full((items, runs), -1, dtype=np.int64)
    places[:, 0] = np.arange(items)
    return places


def _free(key: str, name: str, taken: set[str]) -> str:
    """Return a unique name for an item: its id, followed by the run's name if the id is taken."""
    while key in taken:
        key = f"{key} ({name})"
    taken.add(key)
    return key
