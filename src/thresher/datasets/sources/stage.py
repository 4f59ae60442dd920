"""A stage: tables of Parquet that are made of a source in one reading, and from which its chunks are read.

A stage is a folder, or a place in an object store, with the name of all that it depends on. Its files have at
most some thousand rows, since they are read whole; their names have the digest of their content.
"""

import hashlib
import json
import shutil
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.files.arrow_arrays import array_of_numbers
from thresher.files.building import temporary_folder
from thresher.files.fetching import origin_of
from thresher.files.opening import explain_read_errors, open_binary
from thresher.files.parsing import parse_json
from thresher.files.stores import FolderStore, Store, is_url, open_store
from thresher.files.writing import explain_write_errors

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_VERSION = 4
_ENDS = 1 << 16
"""Bytes at each end of a file that are compared before a stage is used again."""
_MOST_ROWS, _MOST_SORTED, _MOST_BYTES = 10_000, 1 << 20, 1 << 24
"""Size at which a file ends: a chunk of a run has 10,000 items, each of which has any number of sorted rows."""
_AT_ONCE = 1 << 22
"""Bytes of rows that are sorted in memory."""
_FACTS = "index.json"
_DIGITS = 16

Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True)
class StagedFrom:
    """A file that a stage was made of. This is never taken for the fingerprint of its rows.

    Attributes:
        path: the file.
        size: its bytes.
        changed: when it was changed, in nanoseconds.
        ends: SHA-256 of its first and last 64 KiB.
    """

    path: str
    size: int
    changed: int
    ends: str

    @classmethod
    def of(cls, path: Path) -> Self:
        """The file as it is now.

        Raises:
            InputError: if it cannot be read.
        """
        with explain_read_errors(path):
            facts = path.stat()
            with open_binary(path, gzipped=False) as file:
                head = file.read(_ENDS)
                file.seek(max(0, facts.st_size - _ENDS))
                ends = hashlib.sha256(head + file.read(_ENDS)).hexdigest()
        return cls(origin_of(path), facts.st_size, facts.st_mtime_ns, ends)

    def is_current(self) -> bool:
        """Whether the file is on this machine and has this size and time; what a URL names is not asked for."""
        if is_url(self.path):
            return True
        try:
            facts = Path(self.path).stat()
        except (OSError, ValueError):
            return False
        return (facts.st_size, facts.st_mtime_ns) == (self.size, self.changed)


def stage_name(files: Sequence[StagedFrom], options: Mapping[str, Any]) -> str:
    """Name of a stage: a hash of the files' sizes, times and ends, and of how they are read."""
    described = [[_whole_path(file.path), *asdict(file).values()] for file in files]
    return _sha256(json.dumps([_VERSION, described, options]))[:32]


def _whole_path(path: str) -> str:
    return path if is_url(path) else str(Path(path).absolute())


class TableWriter:
    """Writes one table of a stage.

    Args:
        folder: the folder of the stage.
        table: name of the table.
        most_rows: rows at which a file ends.
    """

    def __init__(self, folder: Path, table: str, most_rows: int = 0) -> None:
        self._folder, self._table, self._most_rows = folder, table, most_rows or _MOST_ROWS
        self._files: list[tuple[str, int]] = []
        self._writer: pq.ParquetWriter | None = None
        self._rows = self._bytes = 0

    def write(self, rows: "pa.Table") -> None:
        """Add rows, as a row group.

        Raises:
            InputError: if they cannot be written.
            DiskFullError: if the disk is full.
        """
        import pyarrow.parquet as pq

        full = self._rows + len(rows) > self._most_rows or self._bytes > _MOST_BYTES
        if self._writer is not None and (
            full or not self._writer.schema.equals(rows.schema, check_metadata=True)
        ):
            self._close()
        with explain_write_errors(self._folder, InputError):
            if self._writer is None:
                repeats = "dictionary<" in str(rows.schema.remove_metadata())
                how: dict[str, Any] = {
                    "compression": "zstd",
                    "compression_level": 1,
                    "write_statistics": False,
                }
                self._writer = pq.ParquetWriter(self._path, rows.schema, use_dictionary=repeats, **how)
            self._writer.write_table(rows, row_group_size=max(1, len(rows)))
        self._rows += len(rows)
        self._bytes += rows.nbytes

    def finish(self) -> list[tuple[str, int]]:
        """Close the last file; return names and rows of all of them."""
        self._close()
        return self._files

    @property
    def _path(self) -> Path:
        return self._folder / f"{self._table}.tmp"

    def _close(self) -> None:
        if self._writer is None:
            return
        with explain_write_errors(self._folder, InputError):
            self._writer.close()
            with open_binary(self._path) as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()[:_DIGITS]
            name = f"{self._table}-{len(self._files):05}-{digest}.parquet"
            self._path.rename(self._folder / name)
        self._files.append((name, self._rows))
        self._writer, self._rows, self._bytes = None, 0, 0


def write_table(folder: Path, table: str, columns: "Mapping[str, pa.Array]") -> list[tuple[str, int]]:
    """Write a whole table; return names and rows of its files."""
    import pyarrow as pa

    rows, writer = pa.table(dict(columns)), TableWriter(folder, table)
    for start in range(0, len(rows), _MOST_ROWS):
        writer.write(rows.slice(start, _MOST_ROWS))
    return writer.finish()


class Scattered:
    """Rows of items in any order, which become a table in the order of their items.

    They wait in a file. A range of items whose rows fit into memory is looked for in all of them and sorted,
    range after range; rows of one item retain their order.

    Args:
        folder: the folder of the stage.
        table: name of the table.
    """

    def __init__(self, folder: Path, table: str) -> None:
        self._folder, self._table = folder, table
        self._owners: list[Int64s] = []
        self._bytes = 0
        self._sink: pa.RecordBatchFileWriter | None = None

    def add(self, owners: "npt.NDArray[np.integer[Any]]", rows: "pa.RecordBatch") -> None:
        """Add rows.

        Args:
            owners: the number of the item of each row.
            rows: the rows; all have the same columns.

        Raises:
            InputError: if they cannot be written.
            DiskFullError: if the disk is full.
        """
        import pyarrow as pa

        with explain_write_errors(self._folder, InputError):
            if self._sink is None:
                self._sink = pa.ipc.new_file(str(self._path), rows.schema)
            self._sink.write_batch(rows)
        self._owners.append(owners.astype(np.int32))
        self._bytes += rows.nbytes

    def finish(self, items: int, places: Int64s | None = None) -> tuple[list[tuple[str, int]], Int64s]:
        """Write the table.

        Args:
            items: number of items.
            places: the place of each item; default: its number.

        Returns:
            Name and rows of each file, and where the rows of each item begin, and the last end.
        """
        import pyarrow as pa

        owners = self._owners if places is None else [places[numbers] for numbers in self._owners]
        counts = sum((np.bincount(own, minlength=items) for own in owners), np.zeros(items, np.int64))
        ends = np.concatenate([[0], np.cumsum(counts)])
        writer = TableWriter(self._folder, self._table, most_rows=_MOST_SORTED)
        if self._sink is None:
            return [], ends
        self._sink.close()
        at_once, start = max(1, int(ends[-1]) * _AT_ONCE // max(1, self._bytes)), 0
        while start < items:
            stop = max(start + 1, int(np.searchsorted(ends, ends[start] + at_once, "right")) - 1)
            with explain_write_errors(self._folder, InputError), pa.memory_map(str(self._path)) as mapped:
                # Mapped anew for each range, so that the pages of earlier ones do not stay in memory.
                for rows in _in_order(pa.ipc.open_file(mapped), owners, start, stop):
                    writer.write(rows)
            start = stop
        self._path.unlink()
        return writer.finish(), ends

    @property
    def _path(self) -> Path:
        return self._folder / f"{self._table}.scattered"


def _in_order(
    waiting: "pa.RecordBatchFileReader", owners: Sequence[Int64s], start: int, stop: int
) -> "Iterator[pa.Table]":
    """Yield the rows of some items in the order of these, those of a row group together."""
    import pyarrow as pa

    found, whose = [], []
    for number, own in enumerate(owners):
        chosen = np.flatnonzero((own >= start) & (own < stop))
        if len(chosen):
            found.append(waiting.get_batch(number).take(array_of_numbers(chosen)))
            whose.append(own[chosen])
    if found:
        order = np.argsort(np.concatenate(whose), kind="stable")
        table = pa.Table.from_batches(found).combine_chunks()
        for at in range(0, len(order), _MOST_ROWS):
            yield table.take(array_of_numbers(order[at : at + _MOST_ROWS])).combine_chunks()


class Tables:
    """The tables of a stage, read from wherever it is.

    Args:
        location: folder or URL.
        files: table -> name and rows of each of its files.
    """

    def __init__(self, location: str, files: Mapping[str, Sequence[Sequence[Any]]]) -> None:
        self._location, self._files = location, files
        self._open: dict[str, tuple[str, pq.ParquetFile]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._location, self._files)

    def read(self, table: str, start: int, stop: int) -> "Iterator[pa.Table]":
        """Yield rows `[start:stop]` of a table, those of a row group together.

        Raises:
            InputError: if a file is missing or damaged.
        """
        begin = 0
        for name, rows in self._files[table]:
            if begin < stop and begin + rows > start:
                file, at = self._file(table, name), begin
                for group in range(file.metadata.num_row_groups):
                    end = at + file.metadata.row_group(group).num_rows
                    if at < stop and end > start:
                        first = max(start - at, 0)
                        yield file.read_row_group(group, use_threads=False).slice(
                            first, min(stop, end) - at - first
                        )
                    at = end
            begin += rows

    def _file(self, table: str, name: str) -> "pq.ParquetFile":
        import pyarrow as pa
        import pyarrow.parquet as pq

        if table not in self._open or self._open[table][0] != name:
            store = open_store(self._location)
            with explain_read_errors(store.place(name)):
                content = store.read(name)
            if not _is_intact(name, content):
                raise InputError(f"{store.place(name)} is damaged; delete its folder and run the same again")
            self._open[table] = name, pq.ParquetFile(pa.BufferReader(content))
        return self._open[table][1]


def _is_intact(name: str, content: bytes) -> bool:
    """Whether a file has the content that its name says."""
    return hashlib.sha256(content).hexdigest()[:_DIGITS] in name


def whole_column(tables: "Sequence[pa.Table]", place: int) -> "pa.Array":
    """A column of consecutive rows, of which there is at least one table."""
    import pyarrow as pa

    chunks = [chunk for table in tables for chunk in table.column(place).chunks if len(chunk)]
    if len(chunks) > 1:
        return pa.concat_arrays(chunks)
    return chunks[0] if chunks else pa.array([], tables[0].schema.field(place).type)


@dataclass(frozen=True, kw_only=True)
class Stage:
    """What is known about staged items.

    Attributes:
        location: its folder or URL.
        name: name of the data set.
        files: the files of the data.
        size: number of items.
        fingerprint: that of all items.
        tables: table -> name and rows of each of its files.
    """

    location: str
    name: str
    files: tuple[StagedFrom, ...]
    size: int = 0
    fingerprint: str = ""
    tables: Mapping[str, Sequence[Sequence[Any]]]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        raise NotImplementedError

    @cached_property
    def content(self) -> Tables:
        """The tables."""
        return Tables(self.location, self.tables)

    @property
    def staged(self) -> list[str]:
        """The files of the stage."""
        return [name for files in self.tables.values() for name, _ in files]

    def facts(self) -> dict[str, Any]:
        """What is known as plain data, without the place."""
        facts = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "location"}
        return facts | {"files": list(map(asdict, self.files))}

    def renamed(self, rename: Callable[[str], str]) -> Self:
        """The stage with another name of its source in all that is known."""
        text = rename(json.dumps(self.facts(), ensure_ascii=False))
        return self._of(parse_json(text, self.location), self.location)

    def write(self) -> None:
        """Write what is known, when all tables are there.

        Raises:
            InputError: if it cannot be written.
        """
        write_sealed(open_store(self.location), self.facts())

    @classmethod
    def read(cls, store: Store) -> Self | None:
        """Read a stage; None if it is not whole."""
        facts = read_sealed(store)
        if facts is None or "tables" not in facts:
            return None
        stage, names = cls._of(facts, store.location), {*store.names()}
        with suppress(OSError):
            whole = all(
                name in names and (store.is_remote or _is_intact(name, store.read(name)))
                for name in stage.staged
            )
            return stage if whole else None
        return None

    @classmethod
    def _of(cls, facts: dict[str, Any], location: str) -> Self:
        files = tuple(StagedFrom(**file) for file in facts.pop("files"))
        known = {key: _with_tuples(value) for key, value in facts.items()}
        return cls(**known, location=location, files=files)


def _with_tuples(value: Any) -> Any:
    """A list as tuple, for which JSON has no form."""
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


def write_sealed(store: Store, facts: Mapping[str, Any]) -> None:
    """Write facts to a place, with the SHA-256 of themselves.

    Raises:
        InputError: if they cannot be written.
    """
    text = json.dumps(facts)
    content = json.dumps({"index": text, "sha256": _sha256(text)}).encode()
    with explain_write_errors(store.place(_FACTS), InputError):
        if store.put_if_absent(_FACTS, content) is None and (known := store.stat(_FACTS)) is not None:
            store.replace_if_same(_FACTS, content, known.version)


def read_sealed(store: Store) -> dict[str, Any] | None:
    """Read the facts at a place; None if there are none, or they are damaged."""
    with suppress(OSError, InputError, ValueError, TypeError, KeyError, AttributeError):
        sealed = parse_json(store.read(_FACTS).decode(), store.place(_FACTS))
        facts: dict[str, Any] = parse_json(sealed["index"], store.place(_FACTS))
        return facts if _sha256(sealed["index"]) == sealed["sha256"] else None
    return None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def prepared(store: Store) -> Store:
    """The store, whose folder exists."""
    if isinstance(store, FolderStore):
        store.prepare()
    return store


Staged = TypeVar("Staged", bound=Stage)


class StagedSource(Generic[Staged]):
    """Items that are read by chunk; the files that they came from are not touched again.

    A copy made by pickling reads the same stage, which must stay.

    Args:
        stage: the stage.
        temporary: folder to delete when the source is no longer used.
    """

    def __init__(self, stage: Staged, *, temporary: Path | None = None) -> None:
        self._stage = stage
        if temporary is not None:
            weakref.finalize(self, shutil.rmtree, temporary, ignore_errors=True)

    @property
    def stage(self) -> Staged:
        """What is staged."""
        return self._stage

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._stage,)

    def __len__(self) -> int:
        return self._stage.size

    def __repr__(self) -> str:
        columns = ", ".join(self.columns)
        return f"{type(self).__name__}({self.name!r}, {counted(len(self), 'item')}, columns: {columns})"

    @property
    def location(self) -> str:
        """Folder or URL of the stage."""
        return self._stage.location

    @property
    def name(self) -> str:
        """Name of the data in reports."""
        return self._stage.name

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self._stage.columns

    @property
    def ids_given(self) -> bool:
        """False if the ids were derived from the questions or the row numbers."""
        return True

    @property
    def origin(self) -> Mapping[str, str]:
        """Column -> its name in the source, if that differs."""
        return {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Guesses and conversions made by the reader, one sentence each."""
        return ()

    @property
    def layouts(self) -> Mapping[str, Mapping[str, int]]:
        """Column of conversations -> layout -> number of conversations of the source."""
        return {}

    def slice(self, start: int, stop: int, /) -> Dataset:
        """The items `[start:stop]`, with the meaning of Python's slices."""
        raise NotImplementedError

    def fingerprint(self) -> str:
        """`Dataset.fingerprint` of all items."""
        return self._stage.fingerprint

    def renamed(self, rename: Callable[[str], str]) -> Self:
        """The source, which messages give another name from now on."""
        self._stage = self._stage.renamed(rename)
        return self

    def stored_in(self, store: Store, *, rows: bool = True) -> Self:
        """The source with its stage at another place, where other processes and later runs find it.

        Args:
            store: the place of stages.
            rows: whether rows will be read; otherwise only what is known about them is stored.

        Raises:
            InputError: if it cannot be written.
            DiskFullError: if the disk is full.
        """
        own = open_store(self.location)
        target = store.child(Path(self.location).name)
        stage = replace(self._stage, location=target.location)
        if target.location == own.location or type(stage).read(target) is not None:
            return self._at(stage)
        with explain_write_errors(target.location, InputError):
            prepared(target)
            for name in stage.staged if rows else ():
                target.put_if_absent(name, own.read(name))
        stage.write()
        return self._at(stage)

    def _at(self, stage: Staged) -> Self:
        kind, (_, *further) = self.__reduce__()
        source: Self = kind(stage, *further)
        return source

    def delete_rows(self) -> None:
        """Delete the staged rows, when no chunk needs them any more; what is known about them stays."""
        store = open_store(self.location)
        with explain_write_errors(store.location, InputError):
            for name in self._stage.staged:
                store.delete(name)


def open_stage(
    kind: type[Staged],
    files: Sequence[Path],
    options: Mapping[str, Any],
    build: Callable[[Path, tuple[StagedFrom, ...]], Staged],
    kept: Store | None,
) -> tuple[Staged, Path | None]:
    """Find the stage of files, or build one in a temporary folder; return that folder too.

    Args:
        kind: the class of the stage.
        files: the files of the data.
        options: how they are read.
        build: makes and writes the stage in a folder.
        kept: where one may have been kept.

    Raises:
        InputError: as `build`.
    """
    staged = tuple(map(StagedFrom.of, files))
    key = stage_name(staged, options)
    stored = None if kept is None else kind.read(kept.child(key))
    if stored is not None:
        return stored, None
    parent = temporary_folder()
    try:
        (parent / key).mkdir()
        return build(parent / key, staged), parent
    except BaseException:
        shutil.rmtree(parent, ignore_errors=True)
        raise
