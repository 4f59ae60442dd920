"""Entries of a JSON list that are sorted by their items on disk."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thresher.files.building import GrowingFile, Records
from thresher.files.opening import explain_read_errors, open_at

BUCKET = 1 << 24
"""Bytes that are sorted in memory."""
_MOST = 64
"""Buckets that are written at a time; each takes two files."""
_AT_ONCE = 1 << 14
"""Entries of a bucket that are divided again at a time."""
_ROW = 3
"""Numbers noted of an entry: its item, its position in the list, and its bytes."""

Int64s = npt.NDArray[np.int64]


class SortedEntries:
    """Entries in the order of their items; those of an item keep their order.

    Entries are written to buckets of consecutive items, and each bucket is sorted in memory. A bucket that
    is too large is divided, until it holds one item.

    Args:
        path: the file to write, with a comma after each entry. A file next to it has their positions.
        items: number of items.
        size: bytes of all entries, approximately.
    """

    def __init__(self, path: Path, items: int, size: int) -> None:
        self.path, self._items = path, items
        self._counts = np.zeros((items, 2), np.int64)  # entries and bytes
        self._buckets = _Buckets(path.with_suffix(""), range(items), size // BUCKET + 1)

    def add(self, owners: Sequence[int], first: int, texts: Iterable[bytes]) -> None:
        """Add entries.

        Args:
            owners: the item of each entry.
            first: position of the first of them in the list.
            texts: the entries.
        """
        contents = [text + b"," for text in texts]
        sizes = np.fromiter(map(len, contents), np.int64, len(contents))
        places = np.asarray(owners, np.int64)
        np.add.at(self._counts, places, np.stack([np.ones_like(sizes), sizes], axis=1))
        rows = np.stack([places, np.arange(first, first + len(contents)), sizes], axis=1)
        self._buckets.add(rows, contents)

    def finish(self) -> Int64s:
        """Write the files; return where the entries of each item start: entry and byte, and both ends."""
        content, positions = GrowingFile(self.path), GrowingFile(positions_of(self.path))
        for rows, texts in self._buckets.in_order():
            order = np.argsort(rows[:, 0], kind="stable")
            content.append(b"".join(texts[at] for at in order.tolist()))
            positions.append(rows[order, 1].tobytes())
        content.flush()
        positions.flush()
        return np.concatenate([np.zeros((1, 2), np.int64), np.cumsum(self._counts, axis=0)])


def positions_of(path: Path) -> Path:
    """The file with the positions of the entries in their list."""
    return path.with_name(f"{path.stem}-positions.bin")


class _Buckets:
    """Buckets of consecutive items in files."""

    def __init__(self, path: Path, items: range, count: int) -> None:
        self._items = items
        self._width = max(1, -(-len(items) // min(count, _MOST)))
        starts = range(items.start, items.stop, self._width)
        self._paths = [path.with_name(f"{path.name}-{start}-{self._width}") for start in starts]
        self._files: dict[int, tuple[GrowingFile, GrowingFile]] = {}

    def add(self, rows: Int64s, contents: Sequence[bytes]) -> None:
        """Add entries."""
        buckets = (rows[:, 0] - self._items.start) // self._width
        order = np.argsort(buckets, kind="stable")
        starts = np.flatnonzero(np.diff(buckets[order], prepend=-1))
        for start, stop in pairwise([*starts, len(order)]):
            chosen, bucket = order[start:stop], int(buckets[order[start]])
            if bucket not in self._files:
                path = self._paths[bucket]
                self._files[bucket] = GrowingFile(path.with_suffix(".rows")), GrowingFile(path)
            noted, content = self._files[bucket]
            noted.append(rows[chosen].tobytes())
            content.append(b"".join(contents[at] for at in chosen.tolist()))
            noted.flush()  # so that many buckets do not wait in memory
            content.flush()

    def in_order(self) -> Iterator[tuple[Int64s, list[bytes]]]:
        """Yield the entries of consecutive items together; deletes the files."""
        for bucket, files in sorted(self._files.items()):
            noted, content = files
            start = self._items.start + bucket * self._width
            items = range(start, min(start + self._width, self._items.stop))
            if content.size > BUCKET and len(items) > 1:
                parts = _Buckets(content.path, items, content.size // BUCKET + 1)
                for rows, texts in _read(files, _AT_ONCE):
                    parts.add(rows, texts)
                yield from parts.in_order()
            else:
                yield from _read(files, noted.size)
            noted.path.unlink()
            content.path.unlink()


def _read(files: tuple[GrowingFile, GrowingFile], at_once: int) -> Iterator[tuple[Int64s, list[bytes]]]:
    """Yield the entries of a bucket, some at a time."""
    noted, content = files
    records = Records(noted.path, _ROW)
    with explain_read_errors(content.path), open_at(content.path, 0) as file:
        for start in range(0, len(records), at_once):
            rows = records.read(start, start + at_once)
            yield rows, [file.read(size) for size in rows[:, 2].tolist()]
