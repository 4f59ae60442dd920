"""A few rows of a table that decide about its columns as the whole table does.

What a column means, whether its objects are expanded and which types its cells have depends on whether there
are entries of some form, and on the first entries. So the first row with each form of entry is retained, for
every column: what these rows decide, the whole table decides.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from thresher.conversations.layouts import conversation_layout
from thresher.datasets._conversions import count_cut_chats
from thresher.datasets._csv import COMMA, DECIMAL, NO_NUMBER, TRUTH, WHOLE, Marks
from thresher.datasets._flatten import MOST_KEYS, open_cells
from thresher.datasets._table import RawTable
from thresher.errors import InputError
from thresher.results.column_names import key_of
from thresher.results.entry_kinds import is_message, kind_of_entries
from thresher.results.open_columns import is_assertion
from thresher.spreadsheet_cells import MARK, unguarded

Place = tuple[Any, ...]
"""A column, and the keys inside its objects."""
_ASSERTIONS = "__expected"
"""The column whose meaning depends on whether its texts are assertions."""
_TEXT = "text"
_FORMS: Mapping[type, Any] = {
    str: _TEXT,
    int: int,
    float: float,
    bool: bool,
    type(None): None,
    list: (list, "texts"),
}
_PLAIN = frozenset({str, int, float, bool, type(None)})
_LISTS = frozenset({list, type(None)})
_TEXTS = frozenset({str, type(None)})


class Witnesses:
    """The first rows with entries of each form.

    Args:
        marks: the marks of cells, of tables of texts.
        mapping: column -> socket; objects written as text are opened where a path into them is mapped.

    Attributes:
        problem: the first text that is to be opened and is no object.
    """

    def __init__(self, marks: Marks, mapping: Mapping[str, str]) -> None:
        self.marks, self._mapping = marks, mapping
        self.problem: InputError | None = None
        self.cut_chats: dict[Place, int] = {}
        self._forms: dict[Place, set[Any]] = {}
        self._keys: dict[Place, set[Any]] = {}
        self._columns: dict[str, list[Any]] = {}
        self._lines: list[int] = []
        self._table: RawTable | None = None
        self._source = ""

    def add(self, table: RawTable) -> bool:
        """Examine the next rows; return whether any of them was retained."""
        if table.text_only:
            self._count_marks(table)
        read = table
        try:
            table = open_cells(table, self._mapping)
        except InputError as error:  # raised at the end: a later row may not be readable at all
            self.problem = self.problem or error
        rows: set[int] = set()
        for column, values in table.columns.items():
            is_text = table.text_only and values is read.columns[column]
            new = self._new_cells(column, values) if is_text else self._new_of_column(column, values)
            rows.update(new)
        if rows or self._table is None:
            self._retain(table, sorted(rows))
        return bool(rows)

    def table(self) -> RawTable:
        """The retained rows, with marks; their lines are not those of the file."""
        if self._table is None:
            raise ValueError("no rows were added")
        return replace(self._table, columns=dict(self._columns), lines=self._lines)

    @property
    def is_empty(self) -> bool:
        """Whether no rows were added."""
        return self._table is None

    def _retain(self, table: RawTable, rows: Sequence[int]) -> None:
        self._table = self._table or table
        for name in table.columns:
            self._columns.setdefault(name, [None] * len(self._lines))
        for name, entries in self._columns.items():
            values = table.columns.get(name)
            entries.extend(None if values is None else values[row] for row in rows)
        self._lines.extend(0 for _ in rows)

    def _count_marks(self, table: RawTable) -> None:
        if table.source != self._source:
            self._source = table.source
            self.marks.add([list(table.columns)])
        self.marks.add(zip(*table.columns.values(), strict=True))

    def _new_of_column(self, column: str, values: Sequence[Any]) -> Iterator[int]:
        if key_of(column) == _ASSERTIONS:
            yield from self._new_forms((column,), map(is_assertion, values), range(len(values)))
        yield from self._new_entries((column,), values, range(len(values)))

    def _new_entries(self, place: Place, values: Sequence[Any], rows: Sequence[int]) -> Iterator[int]:
        """Yield the rows with entries of forms that the place did not have before."""
        types = set(map(type, values))
        if types <= _PLAIN or (types <= _LISTS and _hold_texts(values)):
            yield from self._new_plain(place, values, rows, types)
        else:
            self.cut_chats[place] = self.cut_chats.get(place, 0) + count_cut_chats(values)
            yield from self._new_forms(place, map(_form, values), rows)
            if dict in types:
                yield from self._new_keys(place, values, rows)

    def _new_plain(
        self, place: Place, values: Sequence[Any], rows: Sequence[int], types: set[type]
    ) -> Iterator[int]:
        """New forms of a column whose entries have one form per type, except for empty texts."""
        forms = self._forms_at(place)
        new = {form for kind in types if (form := _FORMS[kind]) not in forms}
        if str in types and "" not in forms and "" in values:
            new.add("")
        if new:
            yield from self._new_forms(place, map(_form, values), rows)

    def _new_forms(self, place: Place, forms: Iterable[Any], rows: Iterable[int]) -> Iterator[int]:
        known = self._forms_at(place)
        for row, form in zip(rows, forms, strict=True):
            if form not in known:
                known.add(form)
                yield row

    def _forms_at(self, place: Place) -> set[Any]:
        return self._forms.setdefault(place, set())

    def _new_keys(self, place: Place, values: Sequence[Any], rows: Sequence[int]) -> Iterator[int]:
        """New forms inside of objects; none if there are so many keys that they are data."""
        keys = self._keys.setdefault(place, set())
        inside: dict[Any, tuple[list[Any], list[int]]] = {}
        for row, value in zip(rows, values, strict=True):
            for key, part in value.items() if type(value) is dict and len(keys) <= MOST_KEYS else ():
                entries, numbers = inside.setdefault(key, ([], []))
                entries.append(part)
                numbers.append(row)
        for key, (entries, numbers) in inside.items():
            if len(keys) > MOST_KEYS:
                return
            keys.add(key)
            yield from self._new_entries((*place, key), entries, numbers)

    def _new_cells(self, column: str, cells: Sequence[str]) -> Iterator[int]:
        forms, place = self._forms_at((column,)), (column,)
        if key_of(column) == _ASSERTIONS:
            yield from self._new_forms(place, map(is_assertion, cells), range(len(cells)))
        if _TEXT in forms and ("" in forms or "" not in cells):
            return
        yield from self._new_forms(place, map(_form_of_cell, cells), range(len(cells)))


def _hold_texts(lists: Sequence[Any]) -> bool:
    return set(map(type, chain.from_iterable(filter(None, lists)))) <= _TEXTS


def _form(value: Any) -> Any:
    """What of an entry decides about its column."""
    kind = type(value)
    if kind in _PLAIN:
        return "" if value == "" else _FORMS[kind]
    if isinstance(value, dict):
        return kind, kind_of_entries([value]), is_message(value), "text" in value, conversation_layout(value)
    return kind, kind_of_entries([value]), conversation_layout(value)


def _form_of_cell(cell: str) -> Any:
    """What of a cell decides about its column, whether or not its mark is removed."""
    if cell[:1] == MARK:
        return MARK, _form_of_text(cell), _form_of_text(unguarded(cell))
    return _form_of_text(cell)


def _form_of_text(cell: str) -> Any:
    bare = cell.strip()
    lower = bare.lower()
    number = tuple(bool(pattern.fullmatch(bare)) for pattern in (WHOLE, DECIMAL, COMMA))
    known = lower in NO_NUMBER, lower in TRUTH
    kind = kind_of_entries([cell], text_only=True)
    return _TEXT if kind == "text" and not any((*number, *known)) else (kind, number, known) if cell else ""
