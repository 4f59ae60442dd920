"""The join of two long columns of ids or questions: on disk, by the entries themselves."""

import shutil
from collections.abc import Hashable, Iterable, Iterator
from itertools import islice, repeat

import numpy as np
import numpy.typing as npt

from thresher.files.buckets import Buckets
from thresher.files.building import temporary_folder
from thresher.files.sorted_pairs import SortedPairs, repeats

Positions = npt.NDArray[np.int64]
Keys = Iterable[Hashable]
"""What an item is matched by, one per item; None for one that cannot be matched."""
Pairs = tuple[Positions, Positions, npt.NDArray[np.object_]]
_BUCKET = 50_000
"""Items of a run in a bucket: about 20 MB for two runs with questions of 100 characters."""
_BATCH = 100_000
"""Keys distributed over the buckets at a time."""
_HASHED = 10_000
"""Texts that are hashed at a time."""


def matching_keys(first: Keys, second: Keys, size: int) -> Iterator[Pairs]:
    """Yield the items whose keys both runs have.

    Keys are distributed over buckets on disk by their hashes; those of a bucket are matched in memory. So
    memory does not grow with the number of items, and every entry is read once.

    Args:
        first: the keys of a run, distinct.
        second: those of another run.
        size: number of items of the longer run.

    Yields:
        Positions in the first run, in no order, the matching ones in the second, and their keys.

    >>> [[side.tolist() for side in pairs] for pairs in matching_keys("abc", ["x", None, "c", "b"], 4)]
    [[[1, 2], [3, 2], ['b', 'c']]]
    """
    folder = temporary_folder()
    try:
        sides = [Buckets(folder / f"{number}.tmp", 1 + size // _BUCKET) for number in range(2)]
        for buckets, keys in zip(sides, (first, second), strict=True):
            _distribute(keys, buckets)
        for bucket in range(sides[0].count):
            known: dict[Hashable, int] = {}
            for items, keys in sides[1].read(bucket):
                known.update(zip(keys, items.tolist(), strict=True))
            for items, keys in sides[0].read(bucket):
                others = np.fromiter(map(known.get, keys, repeat(-1)), np.int64, len(keys))
                matched = others >= 0
                yield items[matched], others[matched], keys[matched]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _distribute(keys: Keys, buckets: Buckets) -> None:
    """Write the items that have a key with their keys."""
    entries, start = iter(keys), 0
    while batch := list(islice(entries, _BATCH)):
        rows = np.flatnonzero([key is not None for key in batch])
        own, hashes = (
            np.fromiter(values, kind, len(batch))[rows]
            for values, kind in ((batch, object), (map(hash, batch), np.int64))
        )
        items = rows + start
        buckets.add(hashes % buckets.count, lambda chosen: (items[chosen], own[chosen]))  # noqa: B023  # called at once
        start += len(batch)


def occurrences(texts: Iterable[str | None]) -> Iterator[int]:
    """Yield for each text the number of its occurrences up to there, from 1; 1 for None.

    Texts are distinguished by hashes of 64 bits, as those of data without ids. The hashes are sorted on disk:
    memory does not grow with the number of texts.

    >>> list(occurrences(["a", "b", "a", None]))
    [1, 1, 2, 1]
    """
    folder = temporary_folder()
    try:
        pairs, by_item = SortedPairs(folder / "texts.tmp"), SortedPairs(folder / "items.tmp")
        size = _add_hashes(pairs, texts)
        for batch in repeats(pairs):
            by_item.append(batch[:, 0], batch[:, 1])
        item = 0
        for repeated in by_item.in_order():
            for place, number in repeated.tolist():
                yield from repeat(1, place - item)
                yield number
                item = place + 1
        yield from repeat(1, size - item)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _add_hashes(pairs: SortedPairs, texts: Iterable[str | None]) -> int:
    """Add hash and position of each text; return their number, with those of None."""
    size, entries = 0, iter(texts)
    while block := list(islice(entries, _HASHED)):
        present = np.array([text is not None for text in block])
        hashes = np.fromiter(map(hash, block), np.int64, len(block))
        pairs.append(hashes[present], np.flatnonzero(present) + size)
        size += len(block)
    return size
