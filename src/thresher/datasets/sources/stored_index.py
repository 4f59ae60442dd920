"""The index of files on disk, in a folder that is named after all that it depends on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.datasets._flatten import Expansion
from thresher.datasets._reading import Reading
from thresher.datasets.sources.contents import TableReader
from thresher.datasets.sources.indexed_items import ItemIndex
from thresher.datasets.sources.row_files import RowFile, UnstreamableError
from thresher.datasets.sources.row_formats import ROW_FORMATS


@dataclass(frozen=True, kw_only=True)
class StoredIndex(ItemIndex):
    """The index of files of rows.

    Attributes:
        form: name of the format of the files.
        rows: number of rows that are read of each.
        known: of each file, the columns that later readings must know.
        raw_columns: the columns of all files.
        table: the fields of the `TableReader`, as plain data.
        notes: guesses and conversions, one sentence each.
        layouts: column of conversations -> layout -> number of its entries.
    """

    form: str
    rows: tuple[int, ...]
    known: tuple[tuple[str, ...], ...]
    raw_columns: tuple[str, ...]
    table: Mapping[str, Any]
    notes: tuple[str, ...]
    layouts: Mapping[str, Mapping[str, int]]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of the data set."""
        return self.reader().reading.columns

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
