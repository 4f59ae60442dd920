"""Sorting columns of scores on disk, in memory that does not grow with their number."""

import shutil
import weakref
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.files.building import GrowingFile, temporary_folder
from thresher.files.sorted_pairs import SortedPairs

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]
_CHUNK = 1 << 16
"""Scores that are ranked at a time."""
_OTHER_BITS = np.int64(0x7FFF_FFFF_FFFF_FFFF)


class NumbersFile:
    """A file of 64-bit numbers that is read like a sequence, an entry or a range at a time."""

    def __init__(self, path: Path, dtype: type[np.generic]) -> None:
        self.path, self._dtype = path, dtype

    def __len__(self) -> int:
        return self.path.stat().st_size // 8

    def __getitem__(self, place: int) -> Any:
        start = range(len(self))[place]
        return self.read(start, start + 1)[0]

    def read(self, start: int, stop: int) -> npt.NDArray[Any]:
        """Entries `[start:stop]`; fewer at the end of the file."""
        return np.fromfile(self.path, self._dtype, stop - start, offset=8 * start)


class ScoresOnDisk:
    """Sorted scores in files of a temporary folder, which is deleted with this object.

    Args:
        folder: the folder.

    Attributes:
        values: the distinct scores, in ascending order.
        ends: for each, the number of scores that are at most as high.
        positions: the items in the order of their scores.
    """

    def __init__(self, folder: Path) -> None:
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._folder = folder
        self._pairs = SortedPairs(folder / "pairs")
        self.values = NumbersFile(folder / "values", np.float64)
        self.ends = NumbersFile(folder / "ends", np.int64)
        self.positions = NumbersFile(folder / "positions", np.int64)
        self._ranks: NumbersFile | None = None

    def add(self, scores: Floats, positions: Int64s) -> None:
        """Add scores without NaN, and the positions of their items."""
        bits = (scores + 0.0).view(np.int64)  # -0.0 becomes 0.0
        self._pairs.append(np.where(bits < 0, bits ^ _OTHER_BITS, bits), positions)  # in the order of numbers

    def sort(self) -> None:
        """Write the files; nothing can be added afterwards."""
        values, ends, positions = (
            GrowingFile(numbers.path) for numbers in (self.values, self.ends, self.positions)
        )
        count, last = 0, np.zeros(0, np.int64)
        for batch in self._pairs.in_order():
            positions.append(batch["value"].tobytes())
            if len(last) and batch["key"][0] != last[0]:
                values.append(_scores(last).tobytes())
                ends.append(np.int64(count).tobytes())
            places = np.flatnonzero(np.diff(batch["key"]))
            values.append(_scores(batch["key"][places]).tobytes())
            ends.append((count + places + 1).tobytes())
            count, last = count + len(batch), batch["key"][-1:].copy()
        values.append(_scores(last).tobytes())
        ends.append(np.full(len(last), count).tobytes())
        for file in (values, ends, positions):
            file.flush()

    def ranks(self, rows: slice) -> Floats:
        """The ranks of consecutive items, from 1, infinite without a score; written at the first call."""
        if self._ranks is None:
            self._ranks = self._written_ranks()
        ranks = self._ranks.read(rows.start, rows.stop)
        return np.append(ranks, np.full(rows.stop - rows.start - len(ranks), np.inf))

    def _written_ranks(self) -> NumbersFile:
        by_item = SortedPairs(self._folder / "ranks by item")
        for start in range(0, len(self.positions), _CHUNK):
            positions = self.positions.read(start, start + _CHUNK)
            by_item.append(positions, self._doubled_ranks(start, start + len(positions)))
        file = GrowingFile(self._folder / "ranks")
        items = 0
        for batch in by_item.in_order():
            for ranks in _with_gaps(batch["key"] - items, batch["value"] / 2):
                file.append(ranks.tobytes())
            items = int(batch["key"][-1]) + 1
        file.flush()
        return NumbersFile(file.path, np.float64)

    def _doubled_ranks(self, start: int, stop: int) -> Int64s:
        """Twice the mean rank of the scores at some places in ascending order, which is an integer."""
        first = bisect_right(self.ends, start)
        ends = self.ends.read(first, first + stop - start)
        begins = np.append(self.ends[first - 1] if first else 0, ends[:-1])
        among = np.searchsorted(ends, np.arange(start, stop), "right")
        return np.asarray(begins[among] + 1 + ends[among], dtype=np.int64)


def sort_on_disk(
    read: Callable[[], Iterator[tuple[slice, list[Floats]]]], numbers: Sequence[int]
) -> list[ScoresOnDisk]:
    """Sort some of the columns that `read` yields block by block, by their numbers."""
    columns = {number: ScoresOnDisk(temporary_folder()) for number in numbers}
    for rows, blocks in read() if columns else ():
        for number, column in columns.items():
            inside = np.flatnonzero(~np.isnan(blocks[number]))
            column.add(blocks[number][inside], rows.start + inside)
    for column in columns.values():
        column.sort()
    return list(columns.values())


def _scores(keys: Int64s) -> Floats:
    return np.where(keys < 0, keys ^ _OTHER_BITS, keys).view(np.float64)


def _with_gaps(places: Int64s, ranks: Floats) -> Iterator[Floats]:
    """Yield the ranks of consecutive items; those of items without a score are infinite."""
    for start in range(0, int(places[-1]) + 1, _CHUNK):
        dense = np.full(min(_CHUNK, int(places[-1]) + 1 - start), np.inf)
        first, last = np.searchsorted(places, (start, start + _CHUNK))
        dense[places[first:last] - start] = ranks[first:last]
        yield dense
