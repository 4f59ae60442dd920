"""Objects distributed over numbered buckets on disk, which are read one at a time."""

import pickle
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.files.building import GrowingFile

Int64s = npt.NDArray[np.int64]


class Buckets:
    """Rows of any kind that are added in any order and read bucket by bucket.

    So rows are brought into another order, or together with equal ones, in the memory of one bucket. The
    caller chooses the number of buckets accordingly.

    Args:
        path: the file of the buckets. It contains pickles, so it belongs in a temporary folder.
        count: number of buckets.
    """

    def __init__(self, path: Path, count: int) -> None:
        self.count = count
        self._file = GrowingFile(path)
        # Starts and ends in the file; a tuple for each piece would take more memory than many of the pieces.
        self._pieces = [array("q") for _ in range(count)]

    def add(self, buckets: npt.NDArray[np.signedinteger[Any]], take: Callable[[Int64s], object]) -> None:
        """Add rows.

        Args:
            buckets: the bucket of each row.
            take: positions of some of these rows -> what is stored of them.

        Raises:
            InputError: if the file cannot be written.
            DiskFullError: if the disk is full.
        """
        order = np.argsort(
            buckets.astype(np.min_scalar_type(self.count)), kind="stable"
        )  # small types: radix
        ends = np.cumsum(np.bincount(buckets, minlength=self.count)).tolist()
        start = 0
        for pieces, end in zip(self._pieces, ends, strict=True):
            if start < end:
                content = pickle.dumps(take(order[start:end]), pickle.HIGHEST_PROTOCOL)
                pieces.append(self._file.size)
                self._file.append(content)
                pieces.append(self._file.size)
            start = end

    def read(self, bucket: int) -> list[Any]:
        """Return what was stored in a bucket, in the order of adding."""
        self._file.flush()
        with self._file.path.open("rb") as file:
            edges = self._pieces[bucket]
            return [self._read(file, *piece) for piece in zip(edges[::2], edges[1::2], strict=True)]

    @staticmethod
    def _read(file: Any, start: int, end: int) -> Any:
        file.seek(start)
        return pickle.loads(file.read(end - start))  # noqa: S301  # written by `add`
