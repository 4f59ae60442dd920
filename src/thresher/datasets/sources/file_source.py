"""Items in files, read by chunk."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.datasets._ids import given_ids
from thresher.datasets.dataset import Dataset
from thresher.datasets.sources.blocks import Blocks
from thresher.datasets.sources.index_pass import PLACES
from thresher.datasets.sources.indexed_items import IndexedItems
from thresher.datasets.sources.row_ids import Numbers
from thresher.datasets.sources.stored_index import StoredIndex
from thresher.files.building import Records
from thresher.results import FrozenColumn


class FileSource(IndexedItems[StoredIndex]):
    """Items in files; a chunk is read without what comes before it."""

    def __init__(self, index: StoredIndex, *, temporary: Path | None = None) -> None:
        super().__init__(index, temporary=temporary)
        self._reader = index.reader()

    @property
    def ids_given(self) -> bool:
        """False if the ids were derived from the questions or the row numbers."""
        return self._reader.reading.id_column is not None

    @property
    def origin(self) -> Mapping[str, str]:
        """Column -> its name in the source, if that differs."""
        return self._reader.reading.origin

    @property
    def notes(self) -> tuple[str, ...]:
        """Guesses and conversions made by the reader, one sentence each."""
        return self._index.notes

    @property
    def layouts(self) -> Mapping[str, Mapping[str, int]]:
        """Column of conversations -> layout -> number of conversations of the source."""
        return self._index.layouts

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self._reader.reading.columns

    def slice(self, start: int, stop: int, /) -> Dataset:
        """The items `[start:stop]`, with the meaning of Python's slices.

        Raises:
            InputError: if a file changed since it was indexed, or cannot be read.
        """
        rows = range(len(self))[start:stop]
        self._index.check_unchanged()
        columns: dict[str, list[Any]] = {name: [] for name in self.columns}
        ids: list[str] = []
        blocks = Blocks(self._index.row_files(), self._index.rows, Records(self._index.folder / PLACES, 2))
        for table in blocks.tables(rows.start, rows.stop, self._index.raw_columns):
            first = rows.start + len(ids)
            expanded = self._reader.expanded(table)
            part = self._reader.reading.read(expanded)
            for name, column in part.items():
                columns[name].extend(column)
            if self._reader.reading.id_column is None:
                numbers = Numbers(self._index.folder)
                ids.extend(numbers.ids_of(part.get("questions"), len(expanded), first))
            else:
                ids.extend(given_ids(expanded, self._reader.reading.id_column))
        return Dataset(
            FrozenColumn(ids),
            {name: FrozenColumn(column) for name, column in columns.items()},
            name=self.name,
            ids_given=self.ids_given,
            origin=self.origin,
            notes=self.notes,
            layouts=self.layouts,
        )
