"""Items that are not independent: those of one cluster, and repeats of one item."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.units import codes_of
from thresher.reports.runs.run_data import RunData
from thresher.results.suggestions import suggest
from thresher.surface import undeclared

Codes = npt.NDArray[np.int64]
CLUSTER, CONVERSATION, REPEATS = "cluster", "conversation_id", "repeat_of"
"""Input columns that reports use by default; `conversation_id` where items are turns of conversations."""
FEW_CLUSTERS = 10
"""With fewer clusters of equal weight an interval is at least 15 % wider than the same spread of many items
would make it (t quantile with 9 degrees of freedom against the normal one), which deserves a warning."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which items of a run belong together.

    Attributes:
        cluster: the column that says which items belong together; None if items are independent.
        repeats: the column that says which items repeat one another; None if none do.
        clusters: per item the number of its cluster.
        repeated: per item the number of what it repeats.
    """

    cluster: str | None = None
    repeats: str | None = None
    clusters: Codes | None = None
    repeated: Codes | None = None

    @classmethod
    def of(cls, run: RunData, cluster: str | None = None, repeats: str | None = None) -> Self:
        """Read clusters and repeats from the run's inputs.

        Args:
            run: the run.
            cluster: name of the column of clusters; without, `cluster` if there is one, else
                `conversation_id` if several items have one conversation. An empty name takes items as
                independent.
            repeats: name of the column of what an item repeats; without, `repeat_of` if there is one. An
                empty name takes no item as a repeat.

        Raises:
            InputError: for an unknown column, or an item without an entry in it.
        """
        clusters = _chosen(run, cluster, CLUSTER)
        if cluster is None and clusters is None and _holds_turns(run.inputs.get(CONVERSATION, ())):
            clusters = CONVERSATION
        repeated = _chosen(run, repeats, REPEATS)
        return cls(clusters, repeated, _codes(run, clusters), _codes(run, repeated))

    def take(self, items: npt.ArrayLike) -> Self:
        """The same for some items, by position."""
        chosen = np.array(items, dtype=np.int64)
        parts = (None if codes is None else codes[chosen] for codes in (self.clusters, self.repeated))
        return type(self)(self.cluster, self.repeats, *parts)

    @property
    def units(self) -> dict[str, Any]:
        """Arguments of the statistics."""
        return {"clusters": self.clusters, "repeats": self.repeated}

    @property
    def notes(self) -> list[str]:
        """How items were grouped, in whole sentences."""
        sentences = []
        if self.clusters is not None:
            sentences.append(f"Items of one `{self.cluster}` are not independent: {_counted(self.clusters)}.")
        if self.repeated is not None:
            number = len(np.unique(self.repeated))
            sentences.append(
                f"Items of one `{self.repeats}` are repeats, averaged first: "
                f"{counted(number, 'item counts', 'items count')}."
            )
        return sentences


def _counted(clusters: Codes) -> str:
    """How many clusters count, with a warning where they weigh as little as a few equal ones."""
    sizes = np.unique(clusters, return_counts=True)[1].astype(np.float64)
    number, alike = len(sizes), float(sizes.sum()) ** 2 / float(sizes @ sizes)  # Kish (1965)
    if number == 1:
        return "all items are in one cluster, which shows no spread, so there are no intervals"
    if alike >= FEW_CLUSTERS:
        return counted(number, "cluster counts", "clusters count")
    count = (
        f"only {counted(number, 'cluster counts', 'clusters count')}"
        if sizes.min() == sizes.max()
        else (
            f"{counted(number, 'cluster counts', 'clusters count')}, of {sizes.min():.0f} to "
            f"{sizes.max():.0f} items, and weigh as much as {alike:.1f} equal ones"
        )
    )
    return f"{count}; with so few, intervals are wide and only large differences can be shown"


def column_of(run: RunData, name: str) -> Sequence[Any]:
    """An input column by its name.

    Raises:
        InputError: for an unknown name; lists the known ones.
    """
    if name not in run.inputs:
        known = ", ".join(run.inputs) or "none"
        there = f"{run.name or 'this run'}{suggest(name, run.inputs)}; there are {known}{undeclared(name)}"
        raise InputError(f"no input column {name!r} in {there}")
    return run.inputs[name]


def _chosen(run: RunData, asked: str | None, known: str) -> str | None:
    if asked is None:
        return known if known in run.inputs else None
    return asked or None


def _holds_turns(conversations: Sequence[Any]) -> bool:
    """Whether every item has a conversation, and some have the same: their items are turns of it."""
    names = {name for name in conversations if isinstance(name, str | int)}
    return 0 < len(names) < len(conversations) and all(isinstance(name, str | int) for name in conversations)


def _codes(run: RunData, name: str | None) -> Codes | None:
    if name is None:
        return None
    column = column_of(run, name)
    for item, entry in enumerate(column):
        if entry is None or entry != entry:  # noqa: PLR0124 (NaN)
            raise InputError(f"{name}: item {run.ids[item]} has no entry; give every item one")
    try:
        return codes_of(column)[0]
    except TypeError as error:
        raise InputError(f"{name}: entries must be texts or numbers, not lists or objects") from error
