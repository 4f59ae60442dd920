"""The reading of a run that finds where the lines of each query are."""

import string
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thresher.datasets._rows import Block, blocks_of, lines_of
from thresher.datasets.sources.row_ids import GivenIds
from thresher.datasets.sources.trec_lines import Coded, Ranges, SortedRun
from thresher.datasets.trec import RUN
from thresher.errors import InputError

_LINES = 10_000


class RunPass:
    """Reads a run and notes its queries.

    Args:
        path: the run.

    Attributes:
        counts: query -> number of lines, in the order in which queries first occur.
        is_grouped: whether the lines of each query follow each other in a file that can be entered there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.counts: dict[str, int] = {}
        self.is_grouped = path.suffix.lower() != ".gz"
        self._ranges: dict[str, tuple[int, int]] = {}
        self._last: str | None = None

    def read(self) -> None:
        """Read all lines.

        Raises:
            InputError: if the file cannot be read or has no lines; for a bad line, with its number.
        """
        for block in blocks_of(self.path, RUN):
            table = block.table_by_arrow(RUN)
            if table is None:  # a part of these lines might be parsed differently
                self.is_grouped = False
                table = block.table(self.path, RUN)
            if table.num_rows:
                self._add(block, Coded.of(table["query"]))
        if not self.counts:
            raise InputError(f"{self.path} holds no lines of {RUN.what}; give at least one")

    def ranges(self, items: Mapping[str, int]) -> Ranges:
        """Where the lines of each item begin and end in a grouped run; both 0 for items without lines."""
        return np.array([self._ranges.get(name, (0, 0)) for name in items], np.int64).reshape(-1, 2)

    def sorted_copy(self, path: Path, items: Mapping[str, int]) -> Ranges:
        """Write the run sorted by item; return where the lines of each item are in the copy."""
        copy = SortedRun(path, items, [self.counts.get(name, 0) for name in items])
        for block in blocks_of(self.path, RUN):
            table = block.table(self.path, RUN)
            if table.num_rows:
                copy.add(table)
        return copy.finish()

    def _add(self, block: Block, queries: Coded) -> None:
        if self.is_grouped:
            self._note_ranges(block, queries)
        rows = np.bincount(queries.codes, minlength=len(queries.names))
        for name, count in zip(queries.names, rows.tolist(), strict=True):
            self.counts[name] = self.counts.get(name, 0) + count

    def _note_ranges(self, block: Block, queries: Coded) -> None:
        codes = queries.codes
        starts = np.concatenate([[0], np.flatnonzero(codes[1:] != codes[:-1]) + 1])
        places = _places_of_lines(block.content)
        if len(starts) != len(queries.names) or len(places) != len(codes):
            self._scatter()
            return
        ends = [*(places[starts] + block.byte).tolist(), block.byte + len(block.content)]
        for name, (start, stop) in zip(queries.names, pairwise(ends), strict=True):
            first = self._ranges.get(name, (start, stop))[0]
            if first != start and name != self._last:
                self._scatter()
                return
            self._ranges[name] = first, stop
            self._last = name

    def _scatter(self) -> None:
        self.is_grouped = False
        self._ranges.clear()


def _places_of_lines(content: bytes) -> npt.NDArray[np.int64]:
    """Where the lines begin that are not blank."""
    data = np.frombuffer(content, np.uint8)
    places = np.concatenate([[0], np.flatnonzero(data == ord("\n")) + 1])
    places = places[places < len(data)]
    sizes = np.diff([*places, len(data)])
    suspects = np.flatnonzero(np.isin(data[places], np.frombuffer(string.whitespace.encode(), np.uint8)))
    blank = [at for at in suspects if content[places[at] : places[at] + sizes[at]].isspace()]
    return np.delete(places, blank)


def refuse_repeats(path: Path, folder: Path) -> None:
    """Raise InputError for the first document that was retrieved twice for a query.

    Hashes of the lines are sorted on disk, so that memory does not grow with the run.

    Args:
        path: the run.
        folder: where the hashes are sorted.
    """
    hashes = GivenIds(folder)
    for pairs in _batches(path):
        hashes.add([" ".join(pair) for _, pair in pairs])
    suspects = hashes.suspects()
    needed = {row for rows in suspects for row in rows}
    known: dict[int, tuple[int, tuple[str, str]]] = {}
    for first, pairs in enumerate(_batches(path)):
        known |= {row: pair for row, pair in enumerate(pairs, first * _LINES) if row in needed}
    for row, *others in suspects:
        line, (query, document) = known[row]
        for other in others:
            before, pair = known[other]
            if pair == (query, document):
                repeat = f"document {document!r} of query {query!r} is already in line {before}"
                raise InputError(f"{path}:{line}: {repeat}; remove one of the two")


def _batches(path: Path) -> Iterator[list[tuple[int, tuple[str, str]]]]:
    """Yield line, query and document of some lines at a time."""
    batch = []
    for line, (query, document, _) in lines_of(path, RUN):
        batch.append((line, (query, document)))
        if len(batch) == _LINES:
            yield batch
            batch = []
    yield batch
