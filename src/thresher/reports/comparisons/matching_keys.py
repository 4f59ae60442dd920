"""The join of two long columns of ids or questions: on disk, by the entries themselves."""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, repeat
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from thresher.files.arrow_arrays import array_of_numbers
from thresher.files.buckets import Buckets
from thresher.files.building import temporary_folder
from thresher.files.sorted_pairs import SortedPairs, repeats
from thresher.files.text_hashes import as_texts, text_hashes
from thresher.results.parted_columns import PartedColumn

if TYPE_CHECKING:
    import pyarrow as pa

Positions = npt.NDArray[np.int64]
Keys = Iterable[str | None]
"""What an item is matched by, one per item; None for one that cannot be matched."""
_Rows = tuple[Positions, Positions, "pa.LargeBinaryArray"]
"""Positions of some items, the hashes of their keys, and the keys."""
_BUCKET = 100_000
"""Items of a run in a bucket: about 10 MB for two runs with ids of 12 characters."""
_BATCH = 200_000
"""Keys distributed over the buckets at a time."""
_HASHED = 10_000
"""Texts that are hashed at a time."""


def matching_keys(
    first: Keys, second: Keys, size: int
) -> "Iterator[tuple[Positions, Positions, pa.LargeBinaryArray]]":
    """Yield the items whose keys both runs have.

    Keys are distributed over buckets on disk by their hashes, those of both runs in two threads; those of a
    bucket are matched in memory. So memory does not grow with the number of items, and a key is read once.

    Args:
        first: the keys of a run, distinct.
        second: those of another run.
        size: number of items of the longer run.

    Yields:
        Positions in the first run, in no order, the matching ones in the second, and their keys in UTF-8.

    >>> ((items, others, keys),) = matching_keys("abc", ["x", None, "c", "b"], 4)
    >>> sorted(zip(items.tolist(), others.tolist(), keys.tolist()))
    [(1, 3, b'b'), (2, 2, b'c')]
    """
    folder = temporary_folder()
    try:
        sides = [Buckets(folder / f"{number}.tmp", 1 + size // _BUCKET) for number in range(2)]
        with ThreadPoolExecutor() as pool:
            list(pool.map(_distribute, (first, second), sides))
        for bucket in range(sides[0].count):
            pieces = [side.read(bucket) for side in sides]
            if all(pieces):
                yield _matches(*map(_together, pieces))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _distribute(keys: Keys, buckets: Buckets) -> None:
    """Write the items that have a key with their keys."""
    import pyarrow as pa

    start = 0
    for parts in _batches(keys):
        hashes = np.concatenate(
            [text_hashes(part) for part in parts]
        )  # of one part: in the processor's cache
        batch = pa.concat_arrays(parts)
        rows = np.flatnonzero(np.array(batch.is_valid().to_pylist())) if batch.null_count else None
        items = np.arange(len(batch)) if rows is None else rows
        buckets.add(
            hashes[items] % buckets.count,
            lambda chosen: (items[chosen] + start, hashes[items[chosen]], batch.take(_arrow(items[chosen]))),  # noqa: B023  # called at once
        )
        start += len(batch)


def _batches(keys: Keys) -> "Iterator[list[pa.LargeBinaryArray]]":
    """Texts, some at a time; those of a stored run as they are stored."""
    if not isinstance(keys, PartedColumn):
        entries = iter(keys)
        while batch := list(islice(entries, _BATCH)):
            yield [as_texts(batch)]
        return
    waiting: list[pa.LargeBinaryArray] = []
    for part in keys.parts():
        waiting.append(as_texts(part))
        if sum(map(len, waiting)) >= _BATCH:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def _together(pieces: Sequence[_Rows]) -> _Rows:
    import pyarrow as pa

    items, hashes, keys = zip(*pieces, strict=True)
    return np.concatenate(items), np.concatenate(hashes), pa.concat_arrays(keys)


def _matches(first: _Rows, second: _Rows) -> "tuple[Positions, Positions, pa.LargeBinaryArray]":
    """Match the keys of a bucket by their hashes, and compare the keys."""
    import pyarrow.compute as pc

    orders = [np.argsort(hashes, kind="stable") for _, hashes, _ in (first, second)]
    sought, known = (side[1][order] for side, order in zip((first, second), orders, strict=True))
    if (known[1:] == known[:-1]).any():
        rows, others = _matched_by_key(first[2], second[2])
    else:
        places = np.minimum(np.searchsorted(known, sought), len(known) - 1)
        alike = known[places] == sought
        rows, others = orders[0][alike], orders[1][places[alike]]
    keys = first[2].take(_arrow(rows))
    same = pc.equal(keys, second[2].take(_arrow(others)))
    if same.false_count:
        chosen = np.flatnonzero(same.to_pylist())
        rows, others, keys = rows[chosen], others[chosen], keys.take(_arrow(chosen))
    return first[0][rows], second[0][others], keys


def _matched_by_key(
    first: "pa.LargeBinaryArray", second: "pa.LargeBinaryArray"
) -> tuple[Positions, Positions]:
    """The same without hashes, for a bucket with different keys of equal hashes."""
    known = {key: row for row, key in enumerate(second.to_pylist())}
    pairs = [(row, known[key]) for row, key in enumerate(first.to_pylist()) if key in known]
    rows, others = np.array(pairs, np.int64).reshape(-1, 2).T
    return rows, others


def _arrow(rows: Positions) -> "pa.Array":
    return array_of_numbers(np.asarray(rows, np.int64))


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
