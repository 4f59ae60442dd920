"""Sorting pairs of numbers on disk, in memory that does not grow with their number."""

from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from thresher.files.building import GrowingFile

RUN = 1 << 16
"""Pairs sorted at a time: 1 MB. Merging holds four times as many, and their copies while it sorts them."""
_RUNS = 4
_PAIR = np.dtype([("key", "<i8"), ("value", "<i8")])

Pairs = npt.NDArray[np.void]
Numbers = npt.NDArray[np.int64]


class SortedPairs:
    """Pairs (key, value) that are appended in any order and read in the order of the keys.

    Pairs of equal keys keep the order in which they were appended. They are written to disk in sorted runs;
    reading merges a range of keys of all runs at a time.

    Args:
        path: the file of the runs, 16 bytes a pair.
        run: pairs in a run.
    """

    def __init__(self, path: Path, run: int = RUN) -> None:
        self._run = run
        self._file = GrowingFile(path)
        self._waiting: list[Pairs] = []
        self._count = 0
        self._sizes: list[int] = []
        self._reader: BinaryIO

    def append(self, keys: npt.NDArray[np.int64], values: npt.NDArray[np.int64]) -> None:
        """Add pairs."""
        pairs = np.empty(len(keys), _PAIR)
        pairs["key"], pairs["value"] = keys, values
        self._waiting.append(pairs)
        self._count += len(pairs)
        if self._count >= self._run:
            self._write()

    def in_order(self) -> Iterator[Pairs]:
        """Yield all pairs in the order of their keys, some at a time; nothing can be appended afterwards.

        All pairs of a key come together unless they are more than four runs.
        """
        self._write()
        self._file.flush()
        if not self._sizes:
            return
        with self._file.path.open("rb") as file:
            self._reader = file
            bounds = np.iinfo(np.int64)
            yield from self._range(int(bounds.min), int(bounds.max) + 1)
        self._file.path.unlink()

    def _write(self) -> None:
        if self._count:
            pairs = np.concatenate(self._waiting)
            pairs = pairs[np.argsort(pairs["key"], kind="stable")]
            self._file.append(pairs.tobytes())
            self._sizes.append(len(pairs))
        self._waiting, self._count = [], 0

    def _range(self, low: int, high: int) -> Iterator[Pairs]:
        """Yield the pairs whose keys are in `[low, high)`."""
        places = self._places(low, high)
        if not places:
            return
        if sum(stop - start for start, stop in places) <= _RUNS * self._run:
            together = np.concatenate([self._read(start, stop) for start, stop in places])
            yield together[np.argsort(together["key"], kind="stable")]
        elif high - low == 1:
            for start, stop in places:
                yield self._read(start, stop)
        else:
            middle = self._middle(places, low)
            yield from self._range(low, middle)
            yield from self._range(middle, high)

    def _places(self, low: int, high: int) -> list[tuple[int, int]]:
        """Where each run has the keys in `[low, high)`."""
        places, begin = [], 0
        for size in self._sizes:
            run = range(begin, begin + size)
            start = begin + bisect_left(run, low, key=self._key)
            stop = begin + bisect_left(run, high, key=self._key)
            places.append((start, stop))
            begin += size
        return [(start, stop) for start, stop in places if start < stop]

    def _middle(self, places: list[tuple[int, int]], low: int) -> int:
        """A key that has pairs on both sides, or the one after `low`."""
        medians = sorted(self._key((start + stop) // 2) for start, stop in places)
        return max(medians[len(medians) // 2], low + 1)

    def _key(self, place: int) -> int:
        return int(self._read(place, place + 1)["key"][0])

    def _read(self, start: int, stop: int) -> Pairs:
        self._reader.seek(start * _PAIR.itemsize)
        return np.frombuffer(self._reader.read((stop - start) * _PAIR.itemsize), _PAIR)


def repeats(pairs: SortedPairs) -> Iterator[Numbers]:
    """Read the rows of each key, which are the values, in their order.

    Yields:
        Row, occurrence, first row and previous row of every row whose key an earlier row has.
    """
    last = None
    for batch in pairs.in_order():
        keys, rows = batch["key"], batch["value"]
        begins = np.concatenate([[last is None or keys[0] != last[0]], keys[1:] != keys[:-1]])
        places = np.arange(len(keys))
        start = np.maximum.accumulate(np.where(begins, places, 0))
        occurrence, first = places - start + 1, rows[start]
        previous = np.concatenate([[-1 if last is None else last[3]], rows[:-1]])
        if last is not None and not begins[0]:
            end = int(np.argmax(begins)) if begins.any() else len(keys)
            occurrence[:end] += last[1]
            first[:end] = last[2]
        last = int(keys[-1]), int(occurrence[-1]), int(first[-1]), int(rows[-1])
        again = np.flatnonzero(occurrence > 1)
        yield np.stack([column[again] for column in (rows, occurrence, first, previous)], axis=1)
