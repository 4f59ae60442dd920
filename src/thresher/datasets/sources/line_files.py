"""Text files of rows, entered at the byte where a row begins."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from thresher.datasets._csv import any_field_size, csv_header, csv_records, csv_rows, csv_table
from thresher.datasets._json import parse_row
from thresher.datasets._table import RawTable
from thresher.datasets.sources.row_files import BLOCK, Place, UnstreamableError, complete
from thresher.files.building import GrowingFile
from thresher.files.opening import explain_read_errors, open_at, open_binary, packed
from thresher.files.texts import has_old_line_ends, numbered_lines


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
        self._lines = numbered_lines(path, file, place[1])
        self.byte, self.next_line = place
        self._passed = passed

    def __iter__(self) -> Iterator[str]:
        for number, raw, text in self._lines:
            self.byte, self.next_line = self.byte + len(raw), number + 1
            if self._passed is not None:
                self._passed.append(raw)
            yield text


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
            places = self._blocks(lines, islice(self._rows(lines), limit))
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
            rows = self._rows(Lines(self.path, file, place))
            skipped = start % BLOCK
            return self._table(list(islice(rows, skipped, skipped + stop - start)), columns)

    def _blocks(self, lines: Lines, rows: Iterator[tuple[int, Any]]) -> Iterator[tuple[RawTable, Place]]:
        place = lines.byte, lines.next_line
        while block := list(islice(rows, BLOCK)):
            yield self._table(block), place
            place = lines.byte, lines.next_line

    def _rows(self, lines: Lines) -> Iterator[tuple[int, Any]]:
        """Yield line and content of each row."""
        raise NotImplementedError

    def _table(self, rows: Sequence[tuple[int, Any]], columns: Sequence[str] | None = None) -> RawTable:
        """The columns of rows; those in `columns`, if given."""
        raise NotImplementedError


class JsonLinesFile(LineFile):
    """A file with one JSON object per line."""

    def _rows(self, lines: Lines) -> Iterator[tuple[int, dict[str, Any]]]:
        for text in lines:
            if not text.isspace():
                number = lines.next_line - 1
                yield number, parse_row(f"{self.path}:{number}", text)

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
        delimiter: what separates the fields.
        columns: names of the columns, if they are known.
    """

    def __init__(
        self, path: Path, copy: Path | None = None, columns: Sequence[str] = (), *, delimiter: str = ","
    ) -> None:
        super().__init__(path, copy, columns)
        self._delimiter = delimiter

    def _rows(self, lines: Lines) -> Iterator[tuple[int, list[str]]]:
        with any_field_size():
            first = lines.next_line
            records = csv_records(self.path, lines, self._delimiter, first)
            if first == 1:
                self.columns = csv_header(self.path, records, self._delimiter)
            yield from csv_rows(self.path, records, self.columns)

    def _table(self, rows: Sequence[tuple[int, list[str]]], columns: Sequence[str] | None = None) -> RawTable:
        table = csv_table(self.path, self.columns, rows)
        if columns is None:
            return table
        return replace(table, columns=complete(table.columns, columns, len(rows)))
