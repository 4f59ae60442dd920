"""Rows of several files by their numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from thresher.datasets._table import RawTable
from thresher.datasets.sources.row_files import BLOCK, RowFile
from thresher.files.building import Records


@dataclass(frozen=True)
class Blocks:
    """Files whose rows are numbered through, and the places of their blocks.

    Attributes:
        files: the files.
        rows: the number of rows that are read of each.
        places: byte and line of every block, file after file.
    """

    files: Sequence[RowFile]
    rows: Sequence[int]
    places: Records

    def tables(self, start: int, stop: int, columns: Sequence[str]) -> Iterator[RawTable]:
        """Yield rows `[start:stop]`, one table a file.

        Args:
            start: number of the first row, from 0.
            stop: number after the last row.
            columns: the columns of the tables.

        Raises:
            InputError: if a file cannot be read.
        """
        begin = block = 0
        for file, rows in zip(self.files, self.rows, strict=False):
            first, last = max(start - begin, 0), min(stop - begin, rows)
            if first < last:
                place = block + first // BLOCK
                byte, line = self.places.read(place, place + 1)[0].tolist()
                yield file.read((byte, line), first, last, columns)
            begin += rows
            block += -(-rows // BLOCK)
