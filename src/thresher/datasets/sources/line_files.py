"""Text files of rows, entered at the byte where a row begins."""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any

from thresher.datasets._csv import any_field_size, csv_header, csv_records, csv_rows, csv_table, separated
from thresher.datasets._json import parse_row
from thresher.datasets._json_lines import parse_lines
from thresher.datasets._table import RawTable
from thresher.datasets.sources.row_files import BLOCK, Place, UnstreamableError, complete
from thresher.files.building import GrowingFile
from thresher.files.opening import explain_read_errors, open_at, open_binary, packed
from thresher.files.texts import decode, has_old_line_ends, is_blank, numbered_lines, without_mark


class Lines:
    """The lines of an open file, with the place that was reached.

    Args:
        path: the file, for messages.
        file: the open file.
        place: byte and line at which it is open.
        passed: receives the bytes of the lines; default: they are not kept.
    """

    def __init__(
        self, path: Path, file: io.BufferedReader, place: Place = (0, 1), passed: list[bytes] | None = None
    ) -> None:
        self._path, self._file = path, file
        self.byte, self.next_line = place
        self._passed = passed

    def __iter__(self) -> Iterator[str]:
        for _, raw, text in numbered_lines(self._path, self._file, self.next_line):
            self._pass([raw])
            yield text

    def take(self, most: int) -> list[tuple[int, bytes]]:
        """Number and bytes of the next lines that are not blank, without a byte order mark."""
        taken: list[tuple[int, bytes]] = []
        while raws := list(islice(self._file, most - len(taken))):
            lines = list(enumerate(raws, start=self.next_line))
            if self.next_line == 1:
                lines[0] = (1, without_mark(raws[0]))
            if min(raws) < b"!" or max(raws)[:1] > b"~":  # the first byte of a line may be white space
                lines = [line for line in lines if not is_blank(line[1])]
            taken += lines
            self._pass(raws)
        return taken

    def _pass(self, raws: Sequence[bytes]) -> None:
        self.byte += sum(map(len, raws))
        self.next_line += len(raws)
        if self._passed is not None:
            self._passed.extend(raws)


class LineFile:
    """A text file of rows.

    A gzipped file cannot be entered in its middle. Its blocks are written to another file, each as a gzip
    member of its own, while the file is read for the first time.

    Args:
        path: the file.
        copy: the file with the blocks, if this one is gzipped.
    """

    def __init__(self, path: Path, copy: Path | None = None, columns: Sequence[str] = ()) -> None:
        self.path, self._copy, self.columns = path, copy, list(columns)

    def blocks(self, limit: int | None) -> Iterator[tuple[RawTable, Place]]:
        """Yield the rows in order, and where each block begins; all but the last have `BLOCK` rows.

        Raises:
            InputError: for a row that cannot be read, with file and line.
            UnstreamableError: if lines end with a carriage return alone.
        """
        with explain_read_errors(self.path), open_binary(self.path) as file:
            if has_old_line_ends(file):
                raise UnstreamableError
            passed: list[bytes] = []
            lines = Lines(self.path, file, passed=None if self._copy is None else passed)
            places = self._blocks(lines, limit)
            if self._copy is None:
                yield from places
                return
            copy = GrowingFile(self._copy)
            for table, (_, line) in places:
                place = copy.size, line
                copy.append(packed(b"".join(passed)))
                passed.clear()
                yield table, place
            copy.flush()

    def read(self, place: Place, start: int, stop: int, columns: Sequence[str]) -> RawTable:
        """Read rows `[start:stop]`; the first is in the block at `place`."""
        source = self._copy or self.path
        with explain_read_errors(source), open_at(source, place[0], gzipped=self._copy is not None) as file:
            take = self._rows(Lines(self.path, file, place))
            take(start % BLOCK)
            return self._table(take(stop - start), columns)

    def _blocks(self, lines: Lines, limit: int | None) -> Iterator[tuple[RawTable, Place]]:
        place, remaining = (lines.byte, lines.next_line), limit
        take = self._rows(lines)
        while block := take(BLOCK if remaining is None else min(BLOCK, remaining)):
            yield self._table(block), place
            place = lines.byte, lines.next_line
            remaining = None if remaining is None else remaining - len(block)

    def _rows(self, lines: Lines) -> Callable[[int], list[tuple[int, Any]]]:
        """A function that returns line and content of the next rows, at most a number of them."""
        raise NotImplementedError

    def _table(self, rows: Sequence[tuple[int, Any]], columns: Sequence[str] | None = None) -> RawTable:
        """The columns of rows; those in `columns`, if given."""
        raise NotImplementedError


class JsonLinesFile(LineFile):
    """A file with one JSON object per line."""

    def _rows(self, lines: Lines) -> Callable[[int], list[tuple[int, dict[str, Any]]]]:
        return lambda most: self._parsed(lines.take(most))

    def _parsed(self, lines: Sequence[tuple[int, bytes]]) -> list[tuple[int, dict[str, Any]]]:
        rows = parse_lines([raw for _, raw in lines])
        if rows is None:
            rows = [parse_row(f"{self.path}:{line}", decode(self.path, raw, line)) for line, raw in lines]
        return [(line, row) for (line, _), row in zip(lines, rows, strict=True)]

    def _table(
        self, rows: Sequence[tuple[int, dict[str, Any]]], columns: Sequence[str] | None = None
    ) -> RawTable:
        contents = [row for _, row in rows]
        names = dict.fromkeys(chain.from_iterable(contents)) if columns is None else columns
        values = {name: [row.get(name) for row in contents] for name in names}
        return RawTable(str(self.path), values, [line for line, _ in rows])


class CsvFile(LineFile):
    """A file of separated values with a header.

    Args:
        path: the file.
        copy: the file with the blocks, if this one is gzipped.
        delimiter: what is expected to separate the fields.
        columns: names of the columns, if they are known.
    """

    def __init__(
        self, path: Path, copy: Path | None = None, columns: Sequence[str] = (), *, delimiter: str = ","
    ) -> None:
        super().__init__(path, copy, columns)
        self._delimiter = delimiter

    @cached_property
    def _separator(self) -> str:
        with explain_read_errors(self.path), open_binary(self.path) as file:
            return separated(Lines(self.path, file), self._delimiter)[0]

    def _rows(self, lines: Lines) -> Callable[[int], list[tuple[int, list[str]]]]:
        rows = self._each_row(lines)
        return lambda most: list(islice(rows, most))

    def _each_row(self, lines: Lines) -> Iterator[tuple[int, list[str]]]:
        with any_field_size():
            first = lines.next_line
            rest = separated(lines, self._delimiter)[1] if first == 1 else lines
            records = csv_records(self.path, rest, self._separator, first)
            if first == 1:
                self.columns = csv_header(self.path, records)
            yield from csv_rows(self.path, records, self.columns)

    def _table(self, rows: Sequence[tuple[int, list[str]]], columns: Sequence[str] | None = None) -> RawTable:
        table = csv_table(self.path, self.columns, rows, self._separator)
        if columns is None:
            return table
        return replace(table, columns=complete(table.columns, columns, len(rows)))
