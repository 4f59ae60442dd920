"""Entries of a column at many positions, in any order, a block at a time."""

import shutil
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.files.buckets import Buckets
from thresher.files.building import temporary_folder
from thresher.results.columns import FrozenColumn
from thresher.results.parted_columns import PartedColumn

Positions = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.signedinteger[Any]]


def taken_entries(column: FrozenColumn, positions: Positions, size: int) -> Iterator[FrozenColumn]:
    """Yield the entries at these positions, `size` at a time; one block is in memory.

    Entries of a stored run in another order than that of its parts are distributed over files, so that each
    part is read once.

    Args:
        column: the column.
        positions: positions of the entries, distinct.
        size: entries in a block.

    >>> [list(block) for block in taken_entries(FrozenColumn("abcd"), np.array([2, 0, 3]), 2)]
    [['c', 'a'], ['d']]
    """
    if not isinstance(column, PartedColumn) or len(positions) <= size or is_ascending(positions):
        for start in range(0, len(positions), size):
            yield column.take(positions[start : start + size].tolist())
        return
    folder = temporary_folder()
    try:
        buckets = _distributed(
            column, positions, Buckets(folder / "entries.tmp", -(-len(positions) // size)), size
        )
        for bucket in range(buckets.count):
            places, entries = zip(*buckets.read(bucket), strict=True)
            order = np.argsort(np.concatenate(places))
            yield FrozenColumn(entry for piece in entries for entry in piece).take(order.tolist())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _distributed(column: PartedColumn, positions: Positions, buckets: Buckets, size: int) -> Buckets:
    places, start = places_of(positions, len(column)), 0
    for part, end in enumerate(column.ends):
        rows = np.flatnonzero(places[start:end] >= 0)
        targets = places[start:end][rows]
        if len(rows):
            buckets.add(targets // size, partial(_stored, targets, column.read(part).take(rows.tolist())))
        start = end
    return buckets


def _stored(places: Numbers, entries: FrozenColumn, rows: Positions) -> tuple[Numbers, list[Any]]:
    return places[rows], list(entries.take(rows.tolist()))


def places_of(positions: Positions, size: int) -> Numbers:
    """For each of `size` items its place among these positions, or -1; 4 bytes per item up to 2 billion.

    >>> places_of(np.array([2, 0]), 3).tolist()
    [1, -1, 0]
    """
    places = np.full(size, -1, np.min_scalar_type(-max(size, 1)))
    places[positions] = np.arange(len(positions), dtype=places.dtype)
    return places


def is_ascending(positions: Positions) -> bool:
    """Whether positions are in the order of the items."""
    return bool((positions[1:] > positions[:-1]).all())
