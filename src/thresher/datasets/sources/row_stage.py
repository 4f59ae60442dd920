"""Files of rows: their stage has columns as read, with file and line, and the decisions how to read them."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.datasets._csv import Marks, without_marks
from thresher.datasets._flatten import Expansion
from thresher.datasets._formats import ROW_FORMATS
from thresher.datasets._ids import given_ids, repeated_id
from thresher.datasets._parquet import values_of
from thresher.datasets._reading import Reading
from thresher.datasets._table import RawTable, complete
from thresher.datasets.dataset import Dataset
from thresher.datasets.fingerprints import FINGERPRINT_ROWS, BlockHashes
from thresher.datasets.sources.row_ids import (
    NO_QUESTION,
    Int64s,
    Keys,
    ids_of_keys,
    question_keys,
    repeated_rows,
)
from thresher.datasets.sources.stage import (
    Stage,
    StagedFrom,
    StagedSource,
    Tables,
    TableWriter,
    whole_column,
    write_table,
)
from thresher.datasets.sources.witnesses import Witnesses
from thresher.datasets.texts import are_texts
from thresher.errors import InputError
from thresher.files.arrow_arrays import array_of_numbers, array_of_text_lists, array_of_texts, numpy_of
from thresher.files.nesting import check_nesting, explain_recursion
from thresher.results import FrozenColumn

if TYPE_CHECKING:
    import pyarrow as pa

ROWS, OCCURRENCES = "rows", "occurrences"
"""Tables of the stage: all rows, and the number of each row among those with its question, if some repeat."""
_JSON, _AS_IS = "json", ""
"""Forms of a staged column: JSON of each entry, or Arrow values."""


@dataclass(frozen=True)
class RowFiles:
    """Files of rows, and how they are read.

    Attributes:
        source: the files in messages: the path as given.
        form: name of their format.
        paths: the files, in order.
        mapping: column -> socket.
        limit: most rows to read; None for all.
        empty_as_text: whether an empty cell of a source of texts is a text without characters.
    """

    source: str
    form: str
    paths: Sequence[Path]
    mapping: Mapping[str, str] = field(default_factory=dict)
    limit: int | None = None
    empty_as_text: bool = False


@dataclass(frozen=True)
class TableReader:
    """Reads some rows as the whole table is read.

    Attributes:
        reading: how columns are read.
        marked: whether marks before cells are removed.
        empty_as_text: whether an empty cell of a source of texts is a text without characters.
    """

    reading: Reading
    marked: bool = False
    empty_as_text: bool = False

    def expanded(self, table: RawTable) -> RawTable:
        """The rows without marks, with all columns of the data, and with objects expanded.

        Raises:
            InputError: for values that are nested too deeply.
        """
        if self.marked:
            table = without_marks(table)
        for column, values in table.columns.items():
            check_nesting(f"{table.source}: column {column!r}", values)
        needed = (place[0] for place in self.reading.expansion.places.values())
        columns = complete(table.columns, dict.fromkeys(needed), len(table))
        whole = replace(table, columns=columns, empty_as_text=self.empty_as_text)
        return self.reading.expansion.expand(whole)

    def facts(self) -> dict[str, Any]:
        """The reader as plain data.

        Raises:
            InputError: if a key of an expanded object is neither a text nor a number.
        """
        expansion = self.reading.expansion
        for column, *keys in expansion.places.values():
            for key in keys:
                if not isinstance(key, str | int | float | bool):
                    raise InputError(f"objects in {column!r} have the key {key!r}; write keys as texts")
        return {
            "places": list(expansion.places.items()),
            "nested": sorted(expansion.nested),
            "names": list(self.reading.names.items()),
            "kinds": dict(self.reading.kinds),
            "marked": self.marked,
            "empty_as_text": self.empty_as_text,
        }

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> "TableReader":
        """The reader with these facts."""
        places = {name: tuple(place) for name, place in facts["places"]}
        expansion = Expansion(places, frozenset(facts["nested"]))
        reading = Reading(expansion, dict(facts["names"]), dict(facts["kinds"]))
        return cls(reading, facts["marked"], facts["empty_as_text"])


@dataclass(frozen=True, kw_only=True)
class RowStage(Stage):
    """The stage of files of rows.

    Attributes:
        sources: of each file how its tables are described (`RawTable`).
        reader: the facts of the `TableReader`.
        notes: guesses and conversions, one sentence each.
        layouts: column of conversations -> layout -> number of its entries.
    """

    sources: Sequence[Mapping[str, Any]]
    reader: Mapping[str, Any]
    notes: tuple[str, ...]
    layouts: Mapping[str, Mapping[str, int]]

    @cached_property
    def reads(self) -> TableReader:
        """The reader of the rows."""
        return TableReader.of_facts(self.reader)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of the data set."""
        return self.reads.reading.columns

    def raw_tables(self, start: int, stop: int) -> Iterator[RawTable]:
        """Yield rows `[start:stop]` as they were read."""
        return _raw_tables(self.content, self.sources, start, stop)

    def ids(
        self, tables: Sequence[RawTable], questions: Sequence[Any] | None, first: int, size: int
    ) -> list[str]:
        """The ids of the rows from `first` on.

        Args:
            tables: these rows, expanded.
            questions: their questions; None if the data have none.
            first: number of the first row.
            size: number of rows.
        """
        if self.reads.reading.id_column is not None:
            return [name for table in tables for name in given_ids(table, self.reads.reading.id_column)]
        numbers = np.ones(size, np.int64)
        if OCCURRENCES in self.tables:
            parts = self.content.read(OCCURRENCES, first, first + size)
            numbers = np.concatenate([numbers[:0], *(numpy_of(whole_column([part], 0)) for part in parts)])
        return ids_of_keys(question_keys(questions, size), numbers, first)


class FileSource(StagedSource[RowStage]):
    """Items in files; a chunk is read without what comes before it."""

    @property
    def ids_given(self) -> bool:
        """False if the ids were derived from the questions or the row numbers."""
        return self._stage.reads.reading.id_column is not None

    @property
    def origin(self) -> Mapping[str, str]:
        """Column -> its name in the source, if that differs."""
        return self._stage.reads.reading.origin

    @property
    def notes(self) -> tuple[str, ...]:
        """Guesses and conversions made by the reader, one sentence each."""
        return self._stage.notes

    @property
    def layouts(self) -> Mapping[str, Mapping[str, int]]:
        """Column of conversations -> layout -> number of conversations of the source."""
        return self._stage.layouts

    def slice(self, start: int, stop: int, /) -> Dataset:
        """The items `[start:stop]`, with the meaning of Python's slices.

        Raises:
            InputError: if the stage cannot be read.
        """
        rows, reads = range(len(self))[start:stop], self._stage.reads
        tables = [reads.expanded(table) for table in self._stage.raw_tables(rows.start, rows.stop)]
        columns: dict[str, list[Any]] = {name: [] for name in self._stage.columns}
        for table in tables:
            for name, column in reads.reading.read(table).items():
                columns[name].extend(column)
        return Dataset(
            FrozenColumn(self._stage.ids(tables, columns.get("questions"), rows.start, len(rows))),
            {name: FrozenColumn(column) for name, column in columns.items()},
            name=self.name,
            ids_given=self.ids_given,
            origin=self.origin,
            notes=self._stage.notes,
            layouts=self.layouts,
        )


def stage_rows(
    given: RowFiles, name: str, files: tuple[StagedFrom, ...], folder: Path
) -> tuple[RowStage, bool]:
    """Make and write the stage of files; return it, and whether a text cannot be written as UTF-8.

    Raises:
        InputError: for data that `read_dataset` refuses.
    """
    staging = _Staging(given, folder)
    reader, contents, numbers = staging.run()
    tables = {ROWS: staging.files}
    if numbers is not None:
        tables[OCCURRENCES] = write_table(folder, OCCURRENCES, {"number": array_of_numbers(numbers)})
    stage = RowStage(
        location=str(folder),
        name=name,
        files=files,
        size=contents.rows,
        fingerprint=contents.fingerprint(numbers),
        tables=tables,
        sources=staging.sources,
        reader=reader.facts(),
        notes=staging.remarks(reader),
        layouts=contents.layouts,
    )
    stage.write()
    return stage, contents.has_bad_texts


class _Staging:
    """Reads files once, writes their rows, and decides all that chunks need.

    The rows so far decide how columns are read, and entries are converted, checked and hashed at once. Where
    a later row changes the decision (a column with a text near its end, a key that appears late), the stage
    is read again.
    """

    def __init__(self, given: RowFiles, folder: Path) -> None:
        self._given, self._folder = given, folder
        self._marks = Marks()
        self._witnesses = Witnesses(self._marks, given.mapping)
        self.sources: list[dict[str, Any]] = []
        self.files: list[tuple[str, int]] = []

    def run(self) -> "tuple[TableReader, Contents, Int64s | None]":
        """Read the files; return reader, contents, and the numbers of repeated questions if there are any."""
        contents = self._read_and_decide()
        reader = self._reader()
        if contents is None or contents.reader != reader:
            contents = self._read_again(reader)
        if reader.reading.id_column is not None:
            self._check_distinct(reader, contents.keys)
            return reader, contents, None
        repeats = repeated_rows(contents.keys.all())
        asked = repeats[contents.keys.all()[repeats[:, 0]] != NO_QUESTION]
        if not len(asked):
            return reader, contents, None
        numbers = np.ones(contents.rows, np.int64)
        numbers[asked[:, 0]] = asked[:, 1]
        return reader, contents, numbers

    def remarks(self, reader: TableReader) -> tuple[str, ...]:
        """Guesses and conversions, one sentence each."""
        places = reader.reading.expansion.places
        cut = {column: self._witnesses.cut_chats.get(place, 0) for column, place in places.items()}
        expanded = reader.expanded(self._witnessed())
        marks = [self._marks.note(self._given.source)] if self._marks.removed else []
        return (*marks, *reader.reading.remarks(expanded, cut))

    def _read_and_decide(self) -> "Contents | None":
        """Stage all rows; return their contents, or None if a later row changed how earlier ones are read.

        An entry that the reading so far refuses may be valid in the final one, so it is not an error yet.
        """
        contents: Contents | None = None
        writer = TableWriter(self._folder, ROWS)
        for table, rows in self._blocks():
            is_first = self._witnesses.is_empty
            writer.write(rows)
            decides = self._witnesses.add(table)
            if is_first or (decides and contents is not None and self._attempted_reader() != contents.reader):
                reader = self._attempted_reader() if is_first else None
                contents = None if reader is None else Contents(reader)
            if contents is not None:
                try:
                    contents.add(table)
                except InputError:
                    contents = None
        self.files = writer.finish()
        if self._witnesses.problem is not None:
            raise self._witnesses.problem
        return contents

    def _blocks(self) -> "Iterator[tuple[RawTable, pa.Table]]":
        """Yield all rows, as read and as staged; note how those of each file are described."""
        remaining = self._given.limit
        read = 0
        for path in self._given.paths:
            for table in ROW_FORMATS[self._given.form](path, remaining):
                if len(self.sources) == 0 or self.sources[-1]["source"] != table.source:
                    self.sources.append(_described(table))
                yield table, _staged(len(self.sources) - 1, table)
                read += len(table)
                remaining = None if remaining is None else remaining - len(table)
            if remaining == 0:
                break
        if not read:
            raise InputError(f"{self._given.source} has no rows; give at least one")

    def _attempted_reader(self) -> TableReader | None:
        """The reader by the rows so far; None if it needs a later row, such as one with a mapped column."""
        with suppress(InputError):
            return self._reader()
        return None

    def _reader(self) -> TableReader:
        table = self._witnessed()
        table = without_marks(table) if self._marks.removed else table
        as_text = self._given.empty_as_text
        with explain_recursion(self._given.source):
            reading = Reading.of(replace(table, empty_as_text=as_text), self._given.mapping)
        return TableReader(reading, marked=self._marks.removed, empty_as_text=as_text)

    def _witnessed(self) -> RawTable:
        return replace(self._witnesses.table(), source=self._given.source)

    def _tables(self, start: int = 0, stop: int | None = None) -> Iterator[RawTable]:
        tables = Tables(str(self._folder), {ROWS: self.files})
        return _raw_tables(
            tables, self.sources, start, sum(rows for _, rows in self.files) if stop is None else stop
        )

    def _read_again(self, reader: TableReader) -> "Contents":
        contents = Contents(reader)
        try:
            for table in self._tables():
                contents.add(table)
        except InputError:
            self._refuse_entries(reader)
            raise
        return contents

    def _refuse_entries(self, reader: TableReader) -> None:
        """Raise for the entry that the whole table would be refused for: the first of the first column."""
        for table in self._tables():
            reader.expanded(table)
        for column in reader.reading.names:
            if column != reader.reading.id_column:
                for table in self._tables():
                    with explain_recursion(table.source):
                        reader.reading.entries(reader.expanded(table), column)

    def _check_distinct(self, reader: TableReader, keys: Keys) -> None:
        for row, *others in keys.suspects():
            own, where = self._id_at(reader, row)
            for other in others:
                name, before = self._id_at(reader, other)
                if name == own:
                    raise repeated_id(where, before, name, str(reader.reading.id_column))

    def _id_at(self, reader: TableReader, row: int) -> tuple[str, str]:
        """The id of a row, and the row's place in messages."""
        table = reader.expanded(next(self._tables(row, row + 1)))
        return next(given_ids(table, str(reader.reading.id_column))), table.where(0)


class Contents:
    """Ids and fingerprint of the rows, which are added in order.

    Args:
        reader: reads the rows.

    Attributes:
        keys: of ids, or of the questions that ids are derived from.
        has_bad_texts: whether a text cannot be written as UTF-8.
        layouts: column of conversations -> layout -> number of its entries.
    """

    def __init__(self, reader: TableReader) -> None:
        self.reader = reader
        self.rows = 0
        self.has_bad_texts = False
        self.layouts: dict[str, Counter[str]] = {}
        self._hashes = BlockHashes()
        self.keys = Keys()

    def add(self, table: RawTable) -> None:
        """Add the next rows.

        Raises:
            InputError: for an entry or id that cannot be used.
        """
        reading, ids = self.reader.reading, list[str]()
        with explain_recursion(table.source):
            expanded = self.reader.expanded(table)
            columns = reading.read(expanded)
        if reading.id_column is None:
            self.keys.add_questions(columns.get("questions"), len(expanded))
        else:
            ids = list(given_ids(expanded, reading.id_column))
            self.keys.add_ids(ids)
            self._hashes.add_ids(ids)
        self._hashes.add_columns(columns)
        self.has_bad_texts = self.has_bad_texts or not all(map(are_texts, [ids, *columns.values()]))
        for name, counts in reading.layouts(expanded).items():
            self.layouts.setdefault(name, Counter()).update(counts)
        self.rows += len(expanded)

    def fingerprint(self, numbers: Int64s | None) -> str:
        """The fingerprint of all rows; nothing can be added afterwards.

        Args:
            numbers: of each row its number among those with its question; None if no question repeats.
        """
        if self.reader.reading.id_column is None:
            numbers = np.ones(self.rows, np.int64) if numbers is None else numbers
            for start in range(0, self.rows, FINGERPRINT_ROWS):
                block = slice(start, start + FINGERPRINT_ROWS)
                self._hashes.add_ids(ids_of_keys(self.keys.all()[block], numbers[block], start))
        return self._hashes.fingerprint(self.reader.reading.columns, self.rows)


_DESCRIPTION = ("source", "lists_as_text", "text_only", "decimal_commas")


def _described(table: RawTable) -> dict[str, Any]:
    return {name: getattr(table, name) for name in _DESCRIPTION} | {"has_lines": table.lines is not None}


def _staged(file: int, table: RawTable) -> "pa.Table":
    """The rows as they are staged: number of the file, line, and the columns by position."""
    import pyarrow as pa

    first = table.first + 1
    lines = range(first, first + len(table)) if table.lines is None else table.lines
    arrays = [
        array_of_numbers(np.full(len(table), file, np.int32)),
        array_of_numbers(np.array(lines, np.int64)),
    ]
    columns = []
    with explain_recursion(table.source):
        for name, values in table.columns.items():
            array, form = _encoded(values) if table.arrow is None else (table.arrow[name], _AS_IS)
            arrays.append(array)
            columns.append((name, form))
    names = ["file", "line", *map(str, range(len(columns)))]
    types = [pa.field(name, array.type) for name, array in zip(names, arrays, strict=True)]
    return pa.Table.from_arrays(arrays, schema=pa.schema(types, {"columns": json.dumps(columns)}))


def _encoded(values: Sequence[Any]) -> "tuple[pa.Array, str]":
    """A column of texts or of what JSON has, as Arrow if that preserves its entries, else as JSON."""
    import pyarrow as pa

    kinds = set(map(type, values)) - {type(None)}
    with suppress(
        pa.ArrowException, OverflowError, UnicodeEncodeError
    ):  # lone surrogates, numbers of any size
        if kinds <= {str}:
            return array_of_texts(values), _AS_IS
        if kinds == {list}:
            return array_of_text_lists(values), _AS_IS
        if len(kinds) == 1 and dict not in kinds:
            numbers = np.array(
                values
            )  # of objects, if entries are missing or integers need more than 64 bits
            known = numbers.dtype in (np.int64, np.float64, np.bool_)
            return array_of_numbers(numbers) if known else pa.array(values), _AS_IS
    return array_of_texts([None if value is None else json.dumps(value) for value in values]), _JSON


def _raw_tables(
    tables: Tables, sources: Sequence[Mapping[str, Any]], start: int, stop: int
) -> Iterator[RawTable]:
    """Yield the rows `[start:stop]` of a stage as they were read, those of different files apart."""
    for rows in tables.read(ROWS, start, stop):
        files, lines = (numpy_of(whole_column([rows], place)) for place in (0, 1))
        begins = [0, *(np.flatnonzero(np.diff(files)) + 1).tolist(), len(rows)]
        for begin, end in pairwise(begins):
            part, about = rows.slice(begin, end - begin), dict(sources[int(files[begin])])
            has_lines = about.pop("has_lines")
            columns = {
                name: _decoded(about["source"], name, whole_column([part], place), form)
                for place, (name, form) in enumerate(json.loads(rows.schema.metadata[b"columns"]), start=2)
            }
            yield RawTable(
                **about,
                columns=columns,
                lines=lines[begin:end].tolist() if has_lines else None,
                first=0 if has_lines else int(lines[begin]) - 1,
            )


def _decoded(source: str, name: str, column: "pa.Array", form: str) -> Sequence[Any]:
    if form == _JSON:
        texts = ["null" if text is None else text for text in column.to_pylist()]
        values: list[Any] = json.loads(f"[{','.join(texts)}]")
        return values
    return values_of(f"{source}: column {name!r}", column)
