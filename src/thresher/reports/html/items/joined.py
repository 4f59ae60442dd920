"""The distinct items of all runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.reports.comparisons.join import Join, join
from thresher.reports.runs.run_data import RunData
from thresher.results import FrozenColumn
from thresher.results.parted_columns import PartedColumn

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
    own_items = [_own_items(len(run), joined) for run, joined in zip(runs[1:], joins, strict=True)]
    taken = _clashing(first, runs[1:], own_items, names)
    later = dict[str, int]()
    places = [_first(len(first), len(runs))]
    extra: list[list[int]] = []
    for number, (run, joined, own) in enumerate(zip(runs[1:], joins, own_items, strict=True), start=1):
        places[0][joined.here, number] = joined.there
        for place in own.tolist():
            key = _key(run, place, names[number])
            if key not in later:
                later[key] = len(extra)
                extra.append([-1] * len(runs))
                more.append(_free(key, names[number], taken))
            extra[later[key]][number] = place
    whole = np.array(extra, dtype=np.int64).reshape(len(extra), len(runs))
    matrix = np.concatenate([*places, whole]) if extra else places[0]
    return JoinedItems(_followed_by(first, more), len(runs), matrix)


def _own_items(size: int, joined: Join) -> Int64s:
    """Positions of a run's items that the first run lacks."""
    own = np.ones(size, np.bool_)
    own[joined.there] = False
    return np.flatnonzero(own)


def _key(run: RunData, place: int, name: str) -> str:
    return str(run.ids[place]) if run.ids_given else f"{name} {run.ids[place]}"


def _clashing(
    first: FrozenColumn, runs: Sequence[RunData], own_items: Sequence[Int64s], names: Sequence[str]
) -> set[str]:
    """Ids of the first run that items of other runs may get, also after `_free` has added names of runs."""
    keys = {
        _key(run, place, name)
        for run, own, name in zip(runs, own_items, names[1:], strict=True)
        for place in own.tolist()
    }
    if not keys:
        return set()
    endings = [f" ({name})" for name in names[1:]]
    return {item for item in first if _extends(item, keys, endings)}


def _extends(text: str, keys: set[str], endings: Sequence[str]) -> bool:
    """Whether a text is one of these keys, followed by any of the endings."""
    return text in keys or any(
        text.endswith(ending) and _extends(text[: -len(ending)], keys, endings) for ending in endings
    )


def _followed_by(first: FrozenColumn, more: Sequence[str]) -> Sequence[str]:
    """All ids; those of a stored run are not read."""
    if not more:
        return first
    if not isinstance(first, PartedColumn):
        return (*first, *more)
    parts, read, last = len(first.ends), first.read, FrozenColumn(more)
    return PartedColumn(
        [*first.ends, len(first) + len(more)], lambda part: read(part) if part < parts else last
    )


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
