"""The index of files on disk, in a folder that is named after all that it depends on."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from thresher.datasets._flatten import Expansion
from thresher.datasets._reading import Reading
from thresher.datasets.sources.contents import TableReader
from thresher.datasets.sources.row_files import RowFile, UnstreamableError
from thresher.datasets.sources.row_formats import ROW_FORMATS
from thresher.datasets.sources.sealed import read_sealed, write_sealed
from thresher.errors import InputError
from thresher.files.opening import explain_read_errors, open_at

_VERSION = 1
_ENDS = 1 << 16
"""Bytes at each end of a file that are compared before an index is used again."""


@dataclass(frozen=True)
class IndexedFile:
    """A file, and how to notice that it changed. This is never taken for the fingerprint of its rows.

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
            with open_at(path, 0) as file:
                head = file.read(_ENDS)
                file.seek(max(0, facts.st_size - _ENDS))
                ends = hashlib.sha256(head + file.read(_ENDS)).hexdigest()
        return cls(str(path), facts.st_size, facts.st_mtime_ns, ends)

    def check_unchanged(self) -> None:
        """Raise InputError if the file has another size or time than when it was indexed."""
        with explain_read_errors(self.path):
            facts = Path(self.path).stat()
        if (facts.st_size, facts.st_mtime_ns) != (self.size, self.changed):
            raise InputError(f"{self.path} changed while it was evaluated; restore it, or start another run")


@dataclass(frozen=True)
class StoredIndex:
    """An index.

    Attributes:
        folder: its folder.
        name: name of the data set.
        form: name of the format of the files.
        files: the files, in order.
        rows: number of rows that are read of each.
        known: of each file, the columns that later readings must know.
        columns: the columns of all files.
        table: the fields of the `TableReader`, as plain data.
        notes: guesses and conversions, one sentence each.
        fingerprint: that of all items.
    """

    folder: Path
    name: str
    form: str
    files: tuple[IndexedFile, ...]
    rows: tuple[int, ...]
    known: tuple[tuple[str, ...], ...]
    columns: tuple[str, ...]
    table: Mapping[str, Any]
    notes: tuple[str, ...]
    fingerprint: str

    @property
    def size(self) -> int:
        """Number of rows of all files."""
        return sum(self.rows)

    def reader(self) -> TableReader:
        """The reader of the rows."""
        reading, expansion = self.table["reading"], self.table["reading"]["expansion"]
        places = {name: tuple(place) for name, place in expansion["places"]}
        whole = Reading(
            Expansion(places, frozenset(expansion["nested"])), dict(reading["names"]), dict(reading["kinds"])
        )
        return TableReader(whole, marked=self.table["marked"], empty_as_text=self.table["empty_as_text"])

    def row_files(self) -> list[RowFile]:
        """The files, ready to be read."""
        return open_files(self.form, [file.path for file in self.files], self.folder, self.known)

    def check_unchanged(self) -> None:
        """Raise InputError if a file changed since it was indexed."""
        for file in self.files:
            file.check_unchanged()

    def write(self) -> None:
        """Write the index to its folder, with the SHA-256 of itself and of the other files there.

        Raises:
            InputError: if it cannot be written.
        """
        content = {key: value for key, value in vars(self).items() if key != "folder"}
        write_sealed(self.folder, content | {"files": [asdict(file) for file in self.files]})

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Read an index; None if there is none, or it is damaged."""
        content = read_sealed(folder)
        if content is None:
            return None
        files = tuple(IndexedFile(**file) for file in content.pop("files"))
        lists = {key: tuple(content[key]) for key in ("rows", "columns", "notes")}
        known = tuple(map(tuple, content["known"]))
        return cls(**{**content, **lists, "folder": folder, "files": files, "known": known})


def table_of(reader: TableReader) -> dict[str, Any]:
    """The fields of a reader as plain data.

    Raises:
        UnstreamableError: if a key of an expanded object is neither a text nor a number.
    """
    reading, expansion = reader.reading, reader.reading.expansion
    for place in expansion.places.values():
        if not all(isinstance(key, str | int | float | bool) for key in place):
            raise UnstreamableError
    return {
        "reading": {
            "expansion": {"places": list(expansion.places.items()), "nested": sorted(expansion.nested)},
            "names": list(reading.names.items()),
            "kinds": dict(reading.kinds),
        },
        "marked": reader.marked,
        "empty_as_text": reader.empty_as_text,
    }


def index_name(files: Sequence[IndexedFile], options: Mapping[str, Any]) -> str:
    """Name of an index: a hash of the files' sizes, times and ends, and of how they are read."""
    described = [[str(Path(file.path).absolute()), *asdict(file).values()] for file in files]
    return hashlib.sha256(json.dumps([_VERSION, described, options]).encode()).hexdigest()[:32]


def open_files(
    form: str, paths: Sequence[str], folder: Path, known: Sequence[Sequence[str]] | None = None
) -> list[RowFile]:
    """Files of one format, ready to be read.

    Args:
        form: name of the format.
        paths: the files.
        folder: the folder of the index, which has the blocks of gzipped files.
        known: of each file, the columns that an earlier reading knew.
    """
    columns = known or [()] * len(paths)
    return [
        ROW_FORMATS[form](Path(path), _copy(Path(path), folder, number), names)
        for number, (path, names) in enumerate(zip(paths, columns, strict=True))
    ]


def _copy(path: Path, folder: Path, number: int) -> Path | None:
    return folder / f"rows-{number:05}.gz" if path.suffix.lower() == ".gz" else None
