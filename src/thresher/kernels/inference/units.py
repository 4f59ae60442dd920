"""Independent units, which are drawn and left out as a whole: items with their repeats, or clusters."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import count
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Units:
    """Items and clusters of the counted rows of a result.

    Attributes:
        mask: the rows that count.
        items: number of distinct items among them.
        item: item of each counted row; None if no item occurs twice.
        clusters: number of clusters; None if items are independent.
        cluster: cluster of each item; None if items are independent.
    """

    mask: Mask
    items: int
    item: Codes | None = None
    clusters: int | None = None
    cluster: Codes | None = None

    @classmethod
    def of(
        cls,
        mask: Mask,
        clusters: Sequence[Hashable] | None = None,
        repeats: Sequence[Hashable] | None = None,
    ) -> Self:
        """Build the units.

        Args:
            mask: the rows that count.
            clusters: per row its cluster, e.g. a document; rows of one cluster are not independent.
            repeats: per row the item that it repeats; repeats are averaged first.

        Raises:
            InputError: if clusters or repeats have a wrong length or lack an entry, or if repeats of one item
                are in different clusters.
        """
        item, items = _codes(repeats, mask, "repeats")
        cluster, n_clusters = _codes(clusters, mask, "clusters")
        if item is None or cluster is None:
            rows = int(np.count_nonzero(mask))
            return cls(mask, items or rows, item, n_clusters if cluster is not None else None, cluster)
        of_item = np.zeros(items, np.int64)
        of_item[item] = cluster
        if (of_item[item] != cluster).any():
            row = int(np.flatnonzero(mask)[np.flatnonzero(of_item[item] != cluster)[0]])
            raise InputError(f"row {row} repeats an item of another cluster; give all repeats one cluster")
        return cls(mask, items, item, n_clusters, of_item)

    def within(self, inside: Mask) -> Self:
        """The same units with fewer counted rows.

        Args:
            inside: mask of the remaining rows, one entry per counted row.
        """
        mask = self.mask.copy()
        mask[mask] = inside
        item = np.arange(self.items) if self.item is None else self.item
        return type(self)(mask, self.items, item[inside], self.clusters, self.cluster)

    @property
    def digest(self) -> bytes:
        """Identifies the assignment of counted rows to items and clusters."""
        parts = [codes.tobytes() for codes in (self.item, self.cluster) if codes is not None]
        return blake2b(b"|".join(parts) + repr((self.items, self.item is None)).encode()).digest()

    @property
    def unclustered(self) -> Self:
        """The same items without their clusters."""
        return type(self)(self.mask, self.items, self.item)

    @property
    def size(self) -> int:
        """Number of independent units: clusters if there are any, else items."""
        return self.items if self.clusters is None else self.clusters

    @property
    def sizes(self) -> Floats:
        """Number of counted items of each independent unit."""
        member = self.member
        if member is None:
            return np.ones(self.items)
        return np.bincount(member, self.shares, self.size).astype(np.float64)

    @property
    def member(self) -> Codes | None:
        """Per counted row its independent unit; None if every row is a unit."""
        if self.cluster is None:
            return self.item
        return self.cluster if self.item is None else self.cluster[self.item]

    @property
    def shares(self) -> Floats | None:
        """Per counted row 1 / number of its item's rows; None without repeats."""
        return None if self.item is None else 1.0 / np.bincount(self.item, minlength=self.items)[self.item]

    @property
    def weights(self) -> Floats:
        """Per row of the result: its share of its item, 0 where it does not count."""
        weights = self.mask.astype(np.float64)
        if self.shares is not None:
            weights[self.mask] = self.shares
        return weights

    def averaged(self, values: npt.NDArray[Any]) -> Floats:
        """One value per item from one per counted row."""
        scores = values.astype(np.float64, copy=False)
        if self.item is None or self.shares is None:
            return scores
        return np.asarray(np.bincount(self.item, scores * self.shares, self.items), dtype=np.float64)

    def summed(self, rows: Floats) -> Floats:
        """Sums over each independent unit (units x columns) from counted rows (rows x columns)."""
        shared = rows if self.shares is None else rows * self.shares[:, None]
        member = self.member
        if member is None:
            return shared
        return np.stack([np.bincount(member, column, self.size) for column in shared.T], axis=1)

    def spread_out(self, weights: Floats) -> Floats:
        """Weights per counted row from weights per independent unit (draws x units)."""
        member = self.member
        rows = weights if member is None else weights[:, member]
        return rows if self.shares is None else rows * self.shares


def codes_of(labels: Sequence[Hashable]) -> tuple[Codes, int]:
    """Encode labels as 0, 1, ... in the order of first occurrence; also return the number of labels.

    >>> codes, number = codes_of(["b", "a", "b"])
    >>> codes.tolist(), number
    ([0, 1, 0], 2)
    """
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iub":
        distinct, inverse = np.unique(labels, return_inverse=True)
        return inverse.astype(np.int64), len(distinct)
    known = defaultdict[Hashable, int](count().__next__)
    return np.fromiter(map(known.__getitem__, labels), np.int64, len(labels)), len(known)


def _codes(labels: Sequence[Hashable] | None, mask: Mask, name: str) -> tuple[Codes | None, int]:
    if labels is None:
        return None, 0
    if len(labels) != len(mask):
        raise InputError(
            f"{name} has {counted(len(labels), 'entry', 'entries')} for {counted(len(mask), 'item')}; give "
            "one per item"
        )
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iub":
        return codes_of(labels[mask])
    present = [labels[row] for row in np.flatnonzero(mask).tolist()]
    if None in present:
        row = int(np.flatnonzero(mask)[present.index(None)])
        raise InputError(f"{name}: entry {row} is None; every scored item needs one")
    return codes_of(present)
