"""How the columns of a table are read: decided once from all of its rows, applied to any of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from thresher.datasets._conversions import conversions, count_layouts
from thresher.datasets._csv import CellKind
from thresher.datasets._entries import kind_of_cells, read_entries
from thresher.datasets._flatten import Expansion
from thresher.datasets._table import RawTable
from thresher.datasets.names import name_columns
from thresher.errors import InputError
from thresher.results import FrozenColumn

IDS = "ids"


@dataclass(frozen=True)
class Reading:
    """The decisions that depend on a whole table.

    Attributes:
        expansion: how columns of objects are expanded.
        names: column after expansion -> its name in the data set.
        kinds: column after expansion -> kind of its cells, if their types are inferred.
        notes: remarks on guessed names, one sentence each.
    """

    expansion: Expansion
    names: Mapping[str, str]
    kinds: Mapping[str, CellKind] = field(default_factory=dict)
    notes: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, table: RawTable, mapping: Mapping[str, str]) -> "Reading":
        """Decide how to read a table.

        Raises:
            InputError: if it has no columns, two of them get one name, or the mapping does not fit.
        """
        expansion = Expansion.of(table, mapping)
        expanded = expansion.expand(table)
        if not expanded.columns:
            raise InputError(f"{table.source} has no columns; name at least one")
        naming = name_columns(expanded, mapping, expansion.paths)
        kinds = {column: kind_of_cells(expanded, column, name) for column, name in naming.names.items()}
        inferred = {column: kind for column, kind in kinds.items() if kind is not None}
        return cls(expansion, dict(naming.names), inferred, naming.notes)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in the data set."""
        return tuple(name for name in self.names.values() if name != IDS)

    @property
    def id_column(self) -> str | None:
        """The column of the ids, after expansion; None if they are derived."""
        return next((column for column, name in self.names.items() if name == IDS), None)

    @property
    def origin(self) -> dict[str, str]:
        """Column of the data set -> its name in the source, if that differs; of a nested one, its path."""
        paths = {column: ".".join(path) for column, path in self.expansion.paths.items()}
        sources = {name: paths.get(column, column) for column, name in self.names.items()}
        return {name: source for name, source in sources.items() if name != source}

    def entries(self, expanded: RawTable, column: str) -> list[Any]:
        """The entries of one column of an expanded table.

        Raises:
            InputError: for an entry of the wrong type, naming its place.
        """
        return read_entries(expanded, column, self.names[column], self.kinds.get(column))

    def read(self, expanded: RawTable) -> dict[str, FrozenColumn]:
        """The columns of the data set, without ids.

        Raises:
            InputError: for an entry of the wrong type, naming its place.
        """
        return {
            name: FrozenColumn(self.entries(expanded, column))
            for column, name in self.names.items()
            if name != IDS
        }

    def layouts(self, expanded: RawTable) -> dict[str, dict[str, int]]:
        """Name of each column of conversations -> layout -> number of its entries."""
        return count_layouts(expanded, self.names)

    def remarks(self, expanded: RawTable, cut_chats: Mapping[str, int] | None = None) -> Sequence[str]:
        """Guesses and conversions, one sentence each.

        Args:
            expanded: the expanded table.
            cut_chats: column -> chats that are reduced to their last question, if they are counted already.
        """
        return *expanded.notes, *self.notes, *conversions(expanded, self.names, cut_chats)
