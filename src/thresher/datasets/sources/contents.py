"""What the index pass learns from the entries of the rows: ids, fingerprint, layouts, and what is wrong."""

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from thresher.datasets._csv import without_marks
from thresher.datasets._ids import given_ids
from thresher.datasets._reading import Reading
from thresher.datasets._table import RawTable
from thresher.datasets.fingerprints import BlockHashes
from thresher.datasets.sources.row_files import complete
from thresher.datasets.sources.row_ids import DerivedIds, GivenIds
from thresher.datasets.texts import are_texts
from thresher.files.nesting import check_nesting, explain_recursion


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


class Contents:
    """Ids and fingerprint of the rows, which are added in order.

    Args:
        reader: reads the rows.
        folder: where the index is written.
    """

    def __init__(self, reader: TableReader, folder: Path) -> None:
        self.reader = reader
        self.rows = 0
        self.has_bad_texts = False
        self.layouts: dict[str, Counter[str]] = {}
        self._hashes = BlockHashes()
        self._given = GivenIds(folder) if reader.reading.id_column is not None else None
        self._derived = DerivedIds(folder) if self._given is None else None

    def add(self, table: RawTable) -> None:
        """Add the next rows.

        Raises:
            InputError: for an entry or id that cannot be used.
        """
        reading = self.reader.reading
        with explain_recursion(table.source):
            expanded = self.reader.expanded(table)
            columns = reading.read(expanded)
        ids: list[str] = []
        if self._given is not None and reading.id_column is not None:
            ids = list(given_ids(expanded, reading.id_column))
            self._given.add(ids)
            self._hashes.add_ids(ids)
        if self._derived is not None:
            self._derived.add(columns.get("questions"), len(expanded))
        self._hashes.add_columns(columns)
        self.has_bad_texts = self.has_bad_texts or not all(map(are_texts, [ids, *columns.values()]))
        for name, counts in reading.layouts(expanded).items():
            self.layouts.setdefault(name, Counter()).update(counts)
        self.rows += len(expanded)

    def suspects(self) -> list[tuple[int, int, int]]:
        """Rows whose id may be that of an earlier row, with the rows to compare; nothing can be added."""
        return [] if self._given is None else self._given.suspects()

    def fingerprint(self) -> str:
        """The fingerprint of all rows; nothing can be added afterwards."""
        for ids in () if self._derived is None else self._derived.finish():
            self._hashes.add_ids(ids)
        return self._hashes.fingerprint(self.reader.reading.columns, self.rows)
