"""The index of files of rows: made in one reading, in memory that does not grow with the rows."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from thresher.datasets._csv import Marks, without_marks
from thresher.datasets._ids import given_ids, repeated_id
from thresher.datasets._reading import Reading
from thresher.datasets._table import RawTable
from thresher.datasets.sources.blocks import Blocks
from thresher.datasets.sources.contents import Contents, TableReader
from thresher.datasets.sources.row_files import Place, RowFile
from thresher.datasets.sources.witnesses import Witnesses
from thresher.errors import InputError
from thresher.files.building import GrowingFile, Records
from thresher.files.nesting import explain_recursion

PLACES = "places.bin"
"""Byte and line at which each block begins, file after file."""


@dataclass(frozen=True)
class RowFiles:
    """Files of rows, and how they are read.

    Attributes:
        source: the files in messages: the path as given.
        files: the files, in order.
        mapping: column -> socket.
        limit: most rows to read; None for all.
        empty_as_text: whether an empty cell of a source of texts is a text without characters.
    """

    source: str
    files: Sequence[RowFile]
    mapping: Mapping[str, str] = field(default_factory=dict)
    limit: int | None = None
    empty_as_text: bool = False


class IndexPass:
    """Reads files once and decides all that their chunks need.

    The rows so far decide how columns are read, and entries are converted, checked and hashed at once. Where
    a later row changes the decision (a column with a text near its end, a key that appears late), the files
    are read a second time.

    Args:
        source: the files.
        folder: where the index is written.

    Attributes:
        marks: the marks of cells.
        rows: number of rows of each file.
        has_bad_texts: whether a text cannot be written as UTF-8.
        layouts: column of conversations -> layout -> number of its entries.
    """

    def __init__(self, source: RowFiles, folder: Path) -> None:
        self._source, self._folder = source, folder
        self.marks = Marks()
        self.rows: list[int] = []
        self.has_bad_texts = False
        self.layouts: Mapping[str, Mapping[str, int]] = {}
        self._witnesses = Witnesses(self.marks, source.mapping)

    def run(self) -> tuple[TableReader, str]:
        """Read the files; return the reader of their rows, and the fingerprint.

        Raises:
            InputError: for data that `read_dataset` refuses.
            UnstreamableError: if the files must be read as a whole.
        """
        contents = self._read_and_decide()
        reader = self._reader()
        if contents is None or contents.reader != reader:
            contents = self._read_again(reader)
        self._check_distinct(reader, contents)
        self.has_bad_texts, self.layouts = contents.has_bad_texts, contents.layouts
        return reader, contents.fingerprint()

    @property
    def columns(self) -> list[str]:
        """The columns of the files, in the order in which they appear."""
        return self._witnesses.columns

    def remarks(self, reader: TableReader) -> tuple[str, ...]:
        """Guesses and conversions, one sentence each."""
        places = reader.reading.expansion.places
        cut = {column: self._witnesses.cut_chats.get(place, 0) for column, place in places.items()}
        expanded = reader.expanded(self._witnessed())
        marks = [self.marks.note(self._source.source)] if self.marks.removed else []
        return (*marks, *reader.reading.remarks(expanded, cut))

    def _read_and_decide(self) -> Contents | None:
        """Read all rows; return their contents, or None if a later row changed how earlier ones are read.

        An entry that the reading so far refuses may be valid in the final one, so it is not an error yet.
        """
        contents: Contents | None = None
        places = GrowingFile(self._folder / PLACES)
        for number, (table, place) in enumerate(self._blocks()):
            places.append(np.array(place, np.int64).tobytes())
            decides = self._witnesses.add(table)
            if number == 0:
                contents = self._first_contents()
            elif decides and contents is not None and self._attempted_reader() != contents.reader:
                contents = None
            contents = None if contents is None else _added(contents, table)
        places.flush()
        if self._witnesses.problem is not None:
            raise self._witnesses.problem
        return contents

    def _first_contents(self) -> Contents | None:
        reader = self._attempted_reader()
        return None if reader is None else Contents(reader, self._folder)

    def _attempted_reader(self) -> TableReader | None:
        """The reader by the rows so far; None if it needs a later row, such as one with a mapped column."""
        with suppress(InputError):
            return self._reader()
        return None

    def _read_again(self, reader: TableReader) -> Contents:
        contents = Contents(reader, self._folder)
        try:
            for table in self._tables():
                contents.add(table)
        except InputError:
            self._refuse_entries(reader)
            raise
        return contents

    def _reader(self) -> TableReader:
        table = self._witnessed()
        table = without_marks(table) if self.marks.removed else table
        as_text = self._source.empty_as_text
        with explain_recursion(self._source.source):
            reading = Reading.of(replace(table, empty_as_text=as_text), self._source.mapping)
        return TableReader(reading, marked=self.marks.removed, empty_as_text=as_text)

    def _witnessed(self) -> RawTable:
        return replace(self._witnesses.table(), source=self._source.source)

    def _blocks(self) -> Iterator[tuple[RawTable, Place]]:
        """Yield all rows, and where their blocks begin; note the rows of each file."""
        remaining = self._source.limit
        for file in self._source.files:
            rows = 0
            for table, place in file.blocks(remaining):
                rows += len(table)
                yield table, place
            self.rows.append(rows)
            remaining = None if remaining is None else remaining - rows
            if remaining == 0:
                break
        if not any(self.rows):
            raise InputError(f"{self._source.source} has no rows; give at least one")

    def _tables(self) -> Iterator[RawTable]:
        for file, rows in zip(self._source.files, self.rows, strict=False):
            yield from (table for table, _ in file.blocks(rows)) if rows else ()

    def _refuse_entries(self, reader: TableReader) -> None:
        """Raise for the entry that the whole table would be refused for: the first of the first column."""
        for table in self._tables():
            reader.expanded(table)
        for column in reader.reading.names:
            if column != reader.reading.id_column:
                for table in self._tables():
                    with explain_recursion(table.source):
                        reader.reading.entries(reader.expanded(table), column)

    def _check_distinct(self, reader: TableReader, contents: Contents) -> None:
        for row, first, previous in contents.suspects():
            own, where = self._id_at(reader, row)
            for other in (first, previous):
                name, before = self._id_at(reader, other)
                if name == own:
                    raise repeated_id(where, before, name, str(reader.reading.id_column))

    def _id_at(self, reader: TableReader, row: int) -> tuple[str, str]:
        """The id of a row, and the row's place in messages."""
        column = str(reader.reading.id_column)
        blocks = Blocks(self._source.files, self.rows, Records(self._folder / PLACES, 2))
        table = reader.expanded(next(iter(blocks.tables(row, row + 1, self.columns))))
        return next(iter(given_ids(table, column))), table.where(0)


def _added(contents: Contents, table: RawTable) -> Contents | None:
    try:
        contents.add(table)
    except InputError:
        return None
    return contents
