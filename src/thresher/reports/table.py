"""A table: what every report is before it is rendered."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from thresher.counted import counted
from thresher.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


class Table(Sequence[dict[str, Any]]):
    """Named columns and rows of plain values; immutable. Prints as a Markdown table.

    A table is a sequence of rows: `table[0]` is a row as a dict, `table["question"]` a column as a list.

    Args:
        columns: names of the columns.
        rows: one cell per column each.
        notes: sentences that must be read before the table.
        reading: sentences that say what the table shows, to read after it.

    >>> print(Table(["question", "hit"], [["Who?", 1.0]]))
    | question | hit |
    | --- | --- |
    | Who? | 1 |
    """

    __slots__ = ("_rows", "columns", "notes", "reading")

    def __init__(
        self,
        columns: Iterable[str],
        rows: Iterable[Iterable[Any]],
        *,
        notes: Iterable[str] = (),
        reading: Iterable[str] = (),
    ) -> None:
        self.columns = tuple(columns)
        self.notes = tuple(notes)
        self.reading = tuple(reading)
        self._rows = tuple(tuple(row) for row in rows)

    @overload
    def __getitem__(self, key: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, key: slice) -> "Table": ...
    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    def __getitem__(self, key: int | slice | str) -> Any:
        if isinstance(key, str):
            if key not in self.columns:
                raise InputError(f"no column {key!r}; there are {', '.join(self.columns)}")
            position = self.columns.index(key)
            return [row[position] for row in self._rows]
        if isinstance(key, slice):
            return self.with_rows(self._rows[key])
        return dict(zip(self.columns, self._rows[key], strict=True))

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self._rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.columns == other.columns and self._rows == other._rows

    def __hash__(self) -> int:
        return hash(self.columns) ^ len(self._rows)

    def __str__(self) -> str:
        return self.to_markdown()

    def __repr__(self) -> str:
        return (
            f"Table({counted(len(self), 'row')} x {counted(len(self.columns), 'column')}: "
            f"{', '.join(self.columns)})"
        )

    @property
    def rows(self) -> tuple[tuple[Any, ...], ...]:
        """The rows as tuples, in column order."""
        return self._rows

    def select(self, columns: Iterable[str]) -> "Table":
        """Return the table with some of its columns.

        Raises:
            InputError: for an unknown column.
        """
        cells = {name: self[name] for name in columns}
        return self._with(columns=cells, rows=zip(*cells.values(), strict=True) if len(self) else ())

    def with_rows(self, rows: Iterable[Iterable[Any]]) -> "Table":
        """Return a table with other rows and the same columns and sentences."""
        return self._with(rows=rows)

    def with_findings(self, sentences: Iterable[str]) -> "Table":
        """Return the table with further sentences under it."""
        return self._with(reading=[*self.reading, *sentences])

    def _with(self, **parts: Any) -> "Table":
        same = {"columns": self.columns, "rows": self._rows, "notes": self.notes, "reading": self.reading}
        return Table(**{**same, **parts})

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        from thresher.reports.rendering.notebook import notebook_html

        return notebook_html(self)

    def to_dict(self) -> dict[str, list[Any]]:
        """Column name -> values."""
        return {name: [row[i] for row in self._rows] for i, name in enumerate(self.columns)}

    def to_dataframe(self) -> "pd.DataFrame":
        """A pandas data frame with the same columns; notes and reading are in its `attrs`."""
        import pandas as pd

        frame = pd.DataFrame(list(self._rows), columns=list(self.columns))
        sentences = {"notes": list(self.notes), "reading": list(self.reading)}
        frame.attrs.update({name: lines for name, lines in sentences.items() if lines})
        return frame

    def to_markdown(self) -> str:
        """A Markdown table, notes before and reading after; no cell can break it."""
        from thresher.reports.rendering.text import markdown, surrounded

        return surrounded(self, markdown(self), bullet="- ")

    def to_csv(self, *, raw: bool = False) -> str:
        """CSV text with a header; lists become JSON, an unscored cell stays empty.

        Args:
            raw: leave every text as it is, for programs. By default a text that a spreadsheet would execute,
                such as `=1+2`, gets a `'` before it, which `read_dataset` removes.
        """
        from thresher.reports.rendering.text import csv_text

        return csv_text(self, raw=raw)

    def to_json(self) -> str:
        """Strict JSON: a list of row objects; NaN is null."""
        from thresher.reports.rendering.text import json_text

        return json_text(list(self))
